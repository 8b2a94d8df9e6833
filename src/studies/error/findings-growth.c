/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings about what makes an error grow: duration (Z7, Z8, Z9), factors (Z6), patterns (Z5),
 * placement (Z10). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * Z6: which factors make the null error, by the analyses of variance of instructions in all modes
 * together: one that matters in any mode matters. */

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

/* What holds before what is open, and that before what fails. */
static int loudness(enum finding_verdict verdict)
{
    static const int weight[] = {
        [FINDING_FAILS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_HOLDS] = 3};
    return weight[verdict];
}

/* What matters before what does not; then a factor's own effect before what it changes in others.
 */
static bool shows_more(const struct part *one, const struct part *other, enum error_factor factor)
{
    if (one->matters != other->matters)
        return loudness(one->matters) > loudness(other->matters);
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
        const struct error_effect *effects = anova->effects;
        double range = NAN;
        if (!is_about(facts, anova, stepped))
            continue;
        for (size_t j = anova->effect_count; j-- > 0;)
            if (effects[j].factors == 1u << factor)
                range = effects[j].range;
        for (size_t j = 0; j < anova->effect_count; j++) {
            struct part candidate = {&effects[j], anova, matters(&effects[j]), range};
            if (concerns(&effects[j], factor) &&
                (!part.effect || shows_more(&candidate, &part, factor)))
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
        for (size_t j = 0; j < anova->effect_count; j++)
            if (concerns(&anova->effects[j], factor))
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
    const bool of_all =
        effect->factors == 1u << FACTOR_PATH || effect->factors == 1u << FACTOR_MACHINE;
    const double share = 100 * effect->share_within;
    const bool small = share > 0 && share < 0.05;
    BECAUSE(
        finding, FACTOR, expected[index].name, words[part->matters], small ? NAN : rounded(share),
        small ? "under 0.1" : "", of_all ? "of" : "within paths of",
        part->anova->stepped ? "instructions:u, stepped" : effect->event,
        effect->factors == 1u << expected[index].factor ? "" : effect->name, rounded(part->range));
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
    struct text untested = {0};
    for (size_t i = 0; i < EXPECTED; i++) {
        struct part part = look_at(facts, stepped, expected[i].factor);
        bool one_sided = expected[i].factor == FACTOR_COUNTERS && part.effect &&
                         part.matters != FINDING_HOLDS &&
                         (stepped || !is_tested_in_both_modes(facts, FACTOR_COUNTERS));
        if (part.effect)
            tell(&part, i, finding);
        if (!part.effect || one_sided) {
            text_printf(&untested, "%s%s%s", untested.length ? ", " : "", expected[i].name,
                        one_sided ? " in user+kernel mode" : "");
            finding->machine_untested |= expected[i].factor == FACTOR_MACHINE;
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
    finding->partly |= untested.length > 0;
    if (untested.length)
        BECAUSE(finding, NOT_TESTED, memory_text(&untested));
}

void rule_factors(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    /* Path and pattern are what the claim is about: without either nothing was tested. */
    for (int stepped = 0; stepped < 2; stepped++)
        if (look_at(facts, stepped, FACTOR_PATH).effect ||
            look_at(facts, stepped, FACTOR_PATTERN).effect) {
            weigh(facts, stepped, finding);
            return;
        }
    BECAUSE(finding, ONE_LEVEL);
    because_all(why_no_instructions(facts->file, COUNT_USER), finding);
}

/* ----------------------------------------------------------------------------------------------
 * Z5: would one pattern do for every path and mode? Two paths in one mode, or one path in two
 * modes, are compared over the patterns that both have: what it costs to use the same pattern for
 * both. */

/* A worse pattern costs an instruction at least. */
#define WORSE 1.0

/* A path in a mode, with all its patterns. */
struct user_of_patterns {
    const struct level *levels[PATTERN_COUNT]; /* NULL: it has no such pattern */
};

struct regret {
    struct estimate estimate;
    const struct level *best[2]; /* of each of the two */
};

static struct user_of_patterns patterns_of(const struct claim_facts *facts,
                                           const struct level *level)
{
    struct user_of_patterns user;
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        user.levels[pattern] =
            level_find(facts, level->stepped, level->mode, level->path, (enum pattern)pattern);
    return user;
}

static bool compare(const struct user_of_patterns users[2], struct regret *regret)
{
    size_t common = 0;
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *regret = (struct regret){0};
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        if (!users[0].levels[pattern] || !users[1].levels[pattern])
            continue;
        common++;
        for (int i = 0; i < 2; i++)
            if (!regret->best[i] || users[i].levels[pattern]->median < regret->best[i]->median)
                regret->best[i] = users[i].levels[pattern];
    }
    if (common < 2)
        return false; /* there is nothing to choose */
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        /* What the pattern costs one of the two beyond its best; each end by the ends of both. */
        double worst[3] = {0, 0, 0};
        if (!users[0].levels[pattern] || !users[1].levels[pattern])
            continue;
        for (int i = 0; i < 2; i++) {
            const struct level *level = users[i].levels[pattern], *best = regret->best[i];
            if (level == best)
                continue;
            worst[0] = fmax(worst[0], level->low - best->high);
            worst[1] = fmax(worst[1], level->median - best->median);
            worst[2] = fmax(worst[2], level->high - best->low);
        }
        for (int end = 0; end < 3; end++)
            least[end] = fmin(least[end], worst[end]);
    }
    regret->estimate = estimate_at_least(least[1], least[0], least[2], WORSE);
    return true;
}

/* The first level of a path and mode: the list is sorted, so that each of them is asked once. */
static bool counts_here(const struct claim_facts *facts, size_t index, bool stepped)
{
    const struct level *level = &facts->levels[index], *before = level - 1;
    bool first = index == 0 || before->machine != level->machine ||
                 before->stepped != level->stepped || before->mode != level->mode ||
                 strcmp(before->path, level->path) != 0;
    return first && level->machine == facts->machine && level->stepped == stepped &&
           (level->mode == COUNT_USER || level->mode == COUNT_BOTH);
}

static size_t patterns_look_at(const struct claim_facts *facts, bool stepped,
                               struct regret *loudest)
{
    size_t pairs = 0;
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *left = &facts->levels[i];
        if (!counts_here(facts, i, stepped))
            continue;
        struct user_of_patterns users[2] = {patterns_of(facts, left)};
        for (size_t j = i + 1; j < facts->level_count; j++) {
            const struct level *right = &facts->levels[j];
            /* One of the two things that the claim names differs, not both. */
            if (!counts_here(facts, j, stepped) ||
                (strcmp(left->path, right->path) == 0) == (left->mode == right->mode))
                continue;
            users[1] = patterns_of(facts, right);
            struct regret regret;
            if (!compare(users, &regret))
                continue;
            /* One pair whose best patterns differ is enough: what holds weighs most here. */
            int louder = loudness(regret.estimate.verdict) - loudness(loudest->estimate.verdict);
            if (!pairs++ || louder > 0 ||
                (louder == 0 && regret.estimate.value > loudest->estimate.value))
                *loudest = regret;
        }
    }
    return pairs;
}

static struct reasons best_told(const struct level *best)
{
    struct reasons told = {0};
    SAY(&told, CLAUSE, FOUND_BEST, pattern_descriptions[best->pattern], best->path,
        best->mode == COUNT_BOTH ? "user+kernel" : "user", best->median);
    return told;
}

static void patterns_tell(const struct regret *regret, size_t pairs, struct finding *finding)
{
    const struct reasons one = best_told(regret->best[0]), other = best_told(regret->best[1]);
    if (regret->estimate.verdict == FINDING_FAILS)
        BECAUSE(finding, SAME_PATTERN, pairs, &one, &other);
    else if (regret->estimate.verdict == FINDING_HOLDS)
        BECAUSE(finding, PATTERNS, &one, &other, regret->estimate.value);
    else
        BECAUSE(finding, PATTERNS_OPEN, &one, &other);
}

void rule_patterns(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct regret loudest = {0};
    bool stepped = false;
    size_t pairs = patterns_look_at(facts, false, &loudest);
    if (!pairs) {
        stepped = true;
        pairs = patterns_look_at(facts, true, &loudest);
    }
    if (!pairs) {
        BECAUSE(finding, ONE_PATTERN);
        if (!facts->level_count)
            because_all(why_no_instructions(facts->file, COUNT_USER), finding);
        return;
    }
    estimate_report(&loudest.estimate, finding);
    patterns_tell(&loudest, pairs, finding);
    if (stepped) {
        BECAUSE(finding, STEPPED);
        tell_untested_mode(facts, COUNT_BOTH, finding);
    }
}

/* ----------------------------------------------------------------------------------------------
 * Z10: what the place of a loop's code does to its time, and whether pattern or optimisation level
 * alone would explain as much. */

/* The smallest factor between whole numbers of cycles that the paper saw: 3 to 2. */
#define FACTOR 1.5
/* A factor alone explains what it takes four fifths of. */
#define EXPLAINS 0.8
/* Half of the places within a line of 64 bytes: where a loop is slow in one place of ten, fewer
 * than so many may all be quick by chance. */
#define ENOUGH_PLACES 32u

/* Cycles are what the claim speaks of; ticks and ns of an otherwise idle CPU follow them. */
static int preference(const struct claim_facts *facts, const struct error_placement *placement)
{
    const char *class = event_class(facts->file, placement->event);
    return class && strcmp(class, "cycles") == 0 ? 2 : placement->places > 0 ? 1 : 0;
}

/* The one that speaks of the claim most: at places, or in the windows of patterns and levels. */
static const struct error_placement *choose(const struct claim_facts *facts, bool windows)
{
    const struct error_placement *best = NULL;
    for (size_t i = 0; i < facts->report->placement_count; i++) {
        const struct error_placement *placement = &facts->report->placements[i];
        if (placement->machine != facts->machine || !placement->is_time ||
            (windows ? !placement->has_windows : placement->places < 2))
            continue;
        int better = best ? preference(facts, placement) - preference(facts, best) : 1;
        if (better > 0 || (better == 0 && !windows && placement->factor > best->factor))
            best = placement;
    }
    return best;
}

/* What pattern and level alone explain; untestable where windows were not measured or do not
 * differ. */
static enum finding_verdict look_at_windows(const struct claim_facts *facts,
                                            struct finding *finding)
{
    const struct error_placement *placement = choose(facts, true);
    if (!placement) {
        finding->partly = true;
        BECAUSE(finding, NO_WINDOWS);
        return FINDING_UNTESTABLE;
    }
    const struct error_windows *by = &placement->windows;
    if (!(by->factor >= FACTOR)) {
        BECAUSE(finding, ALIKE_WINDOWS, by->factor, placement->event);
        return FINDING_UNTESTABLE;
    }
    BECAUSE(finding, WINDOWS, placement->event, by->factor, 100 * by->by_pattern, 100 * by->by_opt,
            100 * by->by_both);
    return by->by_pattern >= EXPLAINS || by->by_opt >= EXPLAINS ? FINDING_FAILS : FINDING_HOLDS;
}

void rule_placement(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    if (facts->machine < facts->file->machine_count &&
        facts->file->machines[facts->machine].emulated) {
        BECAUSE(finding, EMULATED);
        return;
    }
    const struct error_placement *placement = choose(facts, false);
    if (!placement) {
        BECAUSE(finding, NO_PLACES);
        return;
    }
    struct estimate factor =
        estimate_at_least(placement->factor, placement->factor_low, placement->factor_high, FACTOR);
    estimate_report(&factor, finding);
    BECAUSE(finding, PLACES, placement->event, placement->least, placement->most,
            placement->places);
    if (finding->verdict == FINDING_FAILS && placement->places < ENOUGH_PLACES) {
        finding->verdict = FINDING_INCONCLUSIVE;
        BECAUSE(finding, FEW_PLACES);
    }
    enum finding_verdict windows = look_at_windows(facts, finding);
    if (factor.verdict == FINDING_HOLDS && windows == FINDING_FAILS)
        finding->verdict = FINDING_FAILS;
}

/* ----------------------------------------------------------------------------------------------
 * Z7, Z8 and Z9: how the error of instructions grows with the iterations of a loop in user code,
 * in user+kernel mode, in user mode, and of the operating system's own instructions. */

/* A hundredth of the paper's slope in user+kernel mode, and 25 times that in user mode: less for
 * each iteration is no growth. */
#define NO_GROWTH 1e-5
/* Slopes of two paths that certainly differ more than this are not the same. */
#define SAME_PATHS 2.0
/* The same of kernel-only counts and those in user+kernel mode. */
#define SAME_MODES 1.25

static const struct error_slope *next_slope(const struct claim_facts *facts, enum count_mode mode,
                                            const struct error_slope *slope)
{
    const struct error_report *report = facts->report;
    size_t index = slope ? (size_t)(slope - report->slopes) + 1 : 0;
    for (; index < report->slope_count; index++) {
        slope = &report->slopes[index];
        const char *class = event_class(facts->file, slope->event);
        if (slope->machine == facts->machine && slope->mode == mode && slope->points > 1 && class &&
            strcmp(class, "instructions") == 0 && !event_is_source(facts->file, slope->event))
            return slope;
    }
    return NULL;
}

/* The slopes of all paths as one. */
struct common {
    size_t slopes;
    double value, low, high;
    const struct error_slope *least, *most; /* by their certain sides */
};

static struct common common_of(const struct claim_facts *facts, enum count_mode mode)
{
    struct common common = {0};
    double weights = 0, sum = 0;
    for (const struct error_slope *slope = NULL; (slope = next_slope(facts, mode, slope));) {
        /* Slopes without spread are sure to some digits only. */
        double half = fmax((slope->high - slope->low) / 2, 1e-12);
        double weight = isfinite(half) ? 1 / (half * half) : 0;
        common.slopes++;
        weights += weight;
        sum += weight > 0 ? weight * slope->slope : 0;
        if (!common.least || slope->high < common.least->high)
            common.least = slope;
        if (!common.most || slope->low > common.most->low)
            common.most = slope;
    }
    double half = weights > 0 ? 1 / sqrt(weights) : HUGE_VAL;
    common.value = weights > 0 ? sum / weights : 0;
    common.low = common.value - half;
    common.high = common.value + half;
    return common;
}

static struct estimate growth(const struct common *common)
{
    struct estimate estimate = estimate_within(common->value, common->low, common->high, NO_GROWTH);
    estimate.verdict = common->high < NO_GROWTH ? FINDING_FAILS
                       : common->low > 0        ? FINDING_HOLDS
                                                : FINDING_INCONCLUSIVE;
    return estimate;
}

static struct reasons slope_told(const struct error_slope *slope)
{
    struct reasons told = {0};
    SAY(&told, CLAUSE, FOUND_SLOPE, slope->event, slope->path, pattern_descriptions[slope->pattern],
        slope->slope, slope->low, slope->high);
    return told;
}

static void tell_open(const struct estimate *estimate, struct finding *finding)
{
    if (estimate->verdict == FINDING_INCONCLUSIVE)
        BECAUSE(finding, HIDDEN, estimate->detectable);
}

static void tell_why_not(const struct claim_facts *facts, enum count_mode mode,
                         struct finding *finding)
{
    bool measured = false;
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct error_cell *cell = &facts->file->cells[i];
        measured = measured || (cell->mode == mode && cell->part == PART_NULL && cell->runs > 0 &&
                                cell->class && strcmp(cell->class, "instructions") == 0);
    }
    if (measured)
        BECAUSE(finding, ONE_LENGTH, count_mode_names[mode]);
    else
        because_all(why_no_instructions(facts->file, mode), finding);
}

void rule_both_duration(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct common common = common_of(facts, COUNT_BOTH);
    if (!common.slopes) {
        tell_why_not(facts, COUNT_BOTH, finding);
        return;
    }
    struct estimate estimate = growth(&common);
    const struct reasons least = slope_told(common.least), most = slope_told(common.most);
    bool differ = SAME_PATHS * fmax(common.least->high, 0) < common.most->low;
    if (differ)
        estimate.verdict = FINDING_FAILS;
    estimate_report(&estimate, finding);
    if (common.slopes == 1)
        BECAUSE(finding, ONE_SLOPE, &least);
    else
        BECAUSE(finding, SLOPES, common.slopes,
                differ ? "the path makes a difference" : "none differs surely from another", &least,
                &most);
    tell_open(&estimate, finding);
    /* Which of several machines they belong to is not said. */
    const struct error_ticks *ticks = &facts->report->ticks;
    if (facts->file->machine_count == 1 && ticks->known)
        BECAUSE(finding, INTERRUPTS, ticks->predicted, ticks->each,
                ticks->agrees ? "agrees" : "does not agree");
}

void rule_user_duration(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    const struct error_slope *decides = NULL;
    struct estimate gravest = {.verdict = FINDING_UNTESTABLE};
    size_t slopes = 0;
    for (const struct error_slope *slope = NULL; (slope = next_slope(facts, COUNT_USER, slope));
         slopes++) {
        struct estimate each = estimate_within(slope->slope, slope->low, slope->high, NO_GROWTH);
        if (!decides || verdict_graver(each.verdict, gravest.verdict) ||
            (each.verdict == gravest.verdict &&
             fmax(fabs(each.low), fabs(each.high)) > fmax(fabs(gravest.low), fabs(gravest.high)))) {
            decides = slope;
            gravest = each;
        }
    }
    if (!decides) {
        tell_why_not(facts, COUNT_USER, finding);
        return;
    }
    estimate_report(&gravest, finding);
    const struct reasons told = slope_told(decides);
    BECAUSE(finding, FURTHEST, &told, slopes, decides->longest);
    tell_open(&gravest, finding);
}

void rule_kernel_duration(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct claim_facts *facts = context;
    (void)claim;
    struct common kernel = common_of(facts, COUNT_KERNEL), both = common_of(facts, COUNT_BOTH);
    if (!kernel.slopes) {
        tell_why_not(facts, COUNT_KERNEL, finding);
        return;
    }
    struct estimate estimate = growth(&kernel);
    bool differ = both.slopes > 0 && (SAME_MODES * fmax(kernel.high, 0) < both.low ||
                                      SAME_MODES * fmax(both.high, 0) < kernel.low);
    if (differ)
        estimate.verdict = FINDING_FAILS;
    estimate_report(&estimate, finding);
    const struct reasons steepest = slope_told(kernel.most);
    BECAUSE(finding, KERNEL, kernel.slopes, &steepest);
    if (both.slopes)
        BECAUSE(finding, BOTH, both.value, both.low, both.high,
                differ ? "is another slope" : "agrees");
    else
        BECAUSE(finding, BOTH_UNTESTED);
    finding->partly |= !both.slopes;
    tell_open(&estimate, finding);
}
