/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z6: which factors make the null error, by the analyses of variance of instructions in all modes
 * together: one that matters in any mode matters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"
#include "stats/interval.h"

/* What the claim says of a factor. */
static const struct {
    enum error_factor factor;
    const char *name;
    bool matters;
} expected[] = {
    {FACTOR_PATH, "path", true},
    {FACTOR_PATTERN, "pattern", true},
    {FACTOR_COUNTERS, "number of counters", true},
    {FACTOR_MACHINE, "machine", true},
    {FACTOR_OPT, "optimisation level", false},
};
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

/* A factor in the analysis where it shows most. */
struct part {
    const struct error_effect *effect; /* NULL: not tested */
    const struct error_anova *anova;
    enum finding_verdict matters; /* holds: it does */
    double range;                 /* between its levels, in the same analysis; NaN: not known */
};

static enum finding_verdict matters(const struct error_effect *effect)
{
    if (!(effect->share_within >= ERROR_EFFECT_THRESHOLD))
        return FINDING_FAILS;
    return effect->matters ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
}

/* The paper's modes; what the operating system executes alone is not its subject. */
static bool is_about(const struct claim_facts *facts, const struct error_anova *anova, bool stepped)
{
    const char *class = event_class(facts->file, anova->event);
    enum count_mode mode = event_mode_of(facts->file, anova->event);
    return anova->stepped == stepped && class && strcmp(class, "instructions") == 0 &&
           (stepped || mode == COUNT_USER || mode == COUNT_BOTH);
}

/* A factor may act by itself, or change what another does. */
static bool concerns(const struct error_effect *effect, enum error_factor factor)
{
    return effect->factors & 1u << factor;
}

static bool is_path_or_machine(uint32_t factors)
{
    return factors == 1u << FACTOR_PATH || factors == 1u << FACTOR_MACHINE;
}

static double range_in(const struct error_report *report, const struct error_anova *anova,
                       enum error_factor factor)
{
    for (size_t i = anova->first; i < anova->first + anova->effects; i++)
        if (report->effects[i].factors == 1u << factor)
            return report->effects[i].range;
    return NAN;
}

/* What matters before what does not; then a factor's own effect before what it changes in others.
 */
static bool shows_more(const struct part *one, const struct part *other, enum error_factor factor)
{
    static const int weight[] = {
        [FINDING_FAILS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_HOLDS] = 3};
    if (one->matters != other->matters)
        return weight[one->matters] > weight[other->matters];
    bool own = one->effect->factors == 1u << factor;
    if (own != (other->effect->factors == 1u << factor))
        return own;
    return one->effect->share_within > other->effect->share_within;
}

static struct part look_at(const struct claim_facts *facts, bool stepped, enum error_factor factor)
{
    struct part part = {0};
    const struct error_report *report = facts->report;
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (!is_about(facts, anova, stepped))
            continue;
        for (size_t j = anova->first; j < anova->first + anova->effects; j++) {
            const struct error_effect *effect = &report->effects[j];
            if (!concerns(effect, factor))
                continue;
            struct part candidate = {effect, anova, matters(effect),
                                     range_in(report, anova, factor)};
            if (!part.effect || shows_more(&candidate, &part, factor))
                part = candidate;
        }
    }
    return part;
}

/* In user mode more counters need not matter (Z3): without the other mode that refutes nothing. */
static bool is_tested_in_both_modes(const struct claim_facts *facts, enum error_factor factor)
{
    const struct error_report *report = facts->report;
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (!is_about(facts, anova, false) ||
            event_mode_of(facts->file, anova->event) != COUNT_BOTH)
            continue;
        for (size_t j = anova->first; j < anova->first + anova->effects; j++)
            if (concerns(&report->effects[j], factor))
                return true;
    }
    return false;
}

/* Share of the variance, in percent. The interval is that of the noncentrality of F where its
 * distribution is nearly normal; detectable is the share at which p falls below the limit. */
static struct estimate share_of(const struct part *part)
{
    const struct error_effect *effect = part->effect;
    const struct error_anova *anova = part->anova;
    double percent = 100 * effect->share_within;
    struct estimate share = {.value = percent, .low = percent, .high = percent};
    double df = (double)effect->df, residual_df = (double)anova->residual_df;
    if (anova->no_variance || !isfinite(effect->f) || df <= 0 || residual_df <= 0 ||
        anova->total_sum <= 0 || anova->residual_sum <= 0)
        return share;
    /* One percent of what the share is of, in units of the residual variance. */
    double whole = effect->share_within > 0 ? effect->sum_sq / effect->share_within
                                            : fmax(anova->within_sum, anova->residual_sum);
    double unit = 100 * anova->residual_sum / residual_df / whole;
    double beyond = fmax(0, df * effect->f - df);
    double half = 1.96 * sqrt(2 * (df + 2 * beyond));
    share.low = fmin(share.value, fmax(0, beyond - half) * unit);
    share.high = fmax(share.value, fmin(100, (beyond + df + half) * unit));
    double least = 0, most = 1e9;
    for (int i = 0; i < 100; i++) {
        double f = (least + most) / 2;
        if (f_p(f, df, residual_df) < ERROR_EFFECT_P)
            most = f;
        else
            least = f;
    }
    share.detectable = most * df * unit;
    return share;
}

/* One digit behind the point where there is none before it that says as much. */
static double rounded(double value)
{
    return fabs(value) < 10 ? round(value * 10) / 10 : round(value);
}

/* "pattern matters (12 % within paths of instructions:u as path x pattern, levels 9 apart)" */
static void tell(const struct part *part, size_t index, struct finding *finding)
{
    static const char *const words[] = {[FINDING_HOLDS] = "matters",
                                        [FINDING_FAILS] = "does not matter",
                                        [FINDING_INCONCLUSIVE] = "may matter"};
    const struct error_effect *effect = part->effect;
    double share = 100 * effect->share_within;
    char through[100] = "", apart[80] = "", number[FIGURE_SIZE];
    if (effect->factors != 1u << expected[index].factor)
        snprintf(through, sizeof(through), " as %.60s", effect->name);
    if (isfinite(part->range))
        snprintf(apart, sizeof(apart), ", levels %s apart",
                 figure_of(rounded(part->range), number));
    finding_clause(finding, "%s %s (%s %% %s %.40s%s%s%s)", expected[index].name,
                   words[part->matters],
                   share > 0 && share < 0.05 ? "under 0.1" : figure_of(rounded(share), number),
                   is_path_or_machine(effect->factors) ? "of" : "within paths of",
                   part->anova->stepped ? "instructions:u" : effect->event,
                   part->anova->stepped ? ", stepped" : "", through, apart);
}

/* The part that decides gives the figure: one that refutes, else one that is open, else the level,
 * which is what surprises in the claim, else the weakest. */
static bool decides(enum finding_verdict verdict, const struct part *part, size_t index,
                    enum finding_verdict sofar, const struct part *best)
{
    if (!best->effect || verdict_graver(verdict, sofar))
        return true;
    if (verdict != sofar)
        return false;
    return expected[index].factor == FACTOR_OPT ||
           (best->effect->factors != 1u << FACTOR_OPT &&
            part->effect->share_within < best->effect->share_within);
}

static void weigh(const struct claim_facts *facts, bool stepped, struct finding *finding)
{
    struct part best = {0};
    enum finding_verdict sofar = FINDING_UNTESTABLE;
    char untested[120] = "";
    for (size_t i = 0; i < EXPECTED; i++) {
        struct part part = look_at(facts, stepped, expected[i].factor);
        bool one_sided = expected[i].factor == FACTOR_COUNTERS && part.effect &&
                         part.matters != FINDING_HOLDS &&
                         (stepped || !is_tested_in_both_modes(facts, FACTOR_COUNTERS));
        if (part.effect)
            tell(&part, i, finding);
        if (!part.effect || one_sided) {
            size_t used = strlen(untested);
            snprintf(untested + used, sizeof(untested) - used, "%s%s%s", used ? ", " : "",
                     expected[i].name, one_sided ? " in user+kernel mode" : "");
            continue;
        }
        static const enum finding_verdict opposite[] = {[FINDING_HOLDS] = FINDING_FAILS,
                                                        [FINDING_FAILS] = FINDING_HOLDS,
                                                        [FINDING_INCONCLUSIVE] =
                                                            FINDING_INCONCLUSIVE};
        enum finding_verdict verdict = expected[i].matters ? part.matters : opposite[part.matters];
        if (decides(verdict, &part, i, sofar, &best)) {
            best = part;
            sofar = verdict;
        }
    }
    struct estimate share = share_of(&best);
    share.verdict = sofar;
    estimate_report(&share, finding);
    if (untested[0])
        finding_clause(finding, "not tested: %s", untested);
}

/* Path and pattern are what the claim is about: without either nothing was tested. */
static bool can_tell(const struct claim_facts *facts, bool stepped)
{
    return look_at(facts, stepped, FACTOR_PATH).effect ||
           look_at(facts, stepped, FACTOR_PATTERN).effect;
}

void rule_factors(const struct claim_facts *facts, struct finding *finding)
{
    for (int stepped = 0; stepped < 2; stepped++)
        if (can_tell(facts, stepped)) {
            weigh(facts, stepped, finding);
            return;
        }
    char why[NOTE_SIZE];
    why_no_instructions(facts->file, COUNT_USER, why, sizeof(why));
    finding_clause(finding,
                   "no analysis of variance has several paths or patterns of instructions");
    finding_clause(finding, "%s", why);
}
