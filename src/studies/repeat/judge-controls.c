/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brought which part: as-is against controlled, and each control switched by itself.
 * A control is named only where chance would hardly make its settings differ so. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/findings.h"
#include "stats/interval.h"
#include "studies/repeat/judge.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * The sentence about the controls of one program: which did it, what moved the level only, and
 * what is left. It says no more than the figures of the effect. */

/* varies: as-is varies more for certain; named: controls for which there is evidence. */
struct told {
    bool varies, varies_less;
    uint32_t named;
    struct followed followed;
};

/* Appends a clause after "; ", whole or not at all; the first one at any length. */
static void __attribute__((format(printf, 2, 3)))
say(struct repeat_effect *effect, const char *format, ...)
{
    char clause[sizeof(effect->who)];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(clause, sizeof(clause), format, arguments);
    va_end(arguments);
    const size_t used = strlen(effect->who), room = sizeof(effect->who) - used;
    if (length <= 0 || (used > 0 && (size_t)length + 2 >= room))
        return;
    snprintf(effect->who + used, room, "%s%s", used > 0 ? "; " : "", clause);
}

/* "aslr", "aslr and cpu", "aslr, cpu and stdin". */
static const char *listed(uint32_t controls, const char *last, char *text, size_t size)
{
    int left = __builtin_popcount(controls);
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        if (!(controls & CONTROL_BIT(control)))
            continue;
        left--;
        const char *joint = left > 1 ? ", " : left == 1 ? last : "";
        const int length =
            snprintf(text + used, size - used, "%s%s", control_names[control], joint);
        if (length < 0 || (size_t)length >= size - used)
            break;
        used += (size_t)length;
    }
    return text;
}

static uint32_t set_of(const struct repeat_effect *effect, bool brings)
{
    uint32_t set = 0;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (brings ? effect->parts[i].brings : effect->parts[i].is_needed)
            set |= CONTROL_BIT(i);
    return set;
}

/* "identical in 12 of 12 runs", or "0.012 %". */
static const char *variation(const struct kept *kept, char *text, size_t size)
{
    const double mean = kept_mean(kept);
    if (kept->count > 1 && !(kept_variance(kept) > 0))
        snprintf(text, size, "identical in %zu of %zu runs", kept->count, kept->count);
    else if (mean > 0)
        snprintf(text, size, "%s %%", ROUNDED(100 * sqrt(kept_variance(kept)) / mean, 2));
    else
        snprintf(text, size, "unknown");
    return text;
}

/* What the settings of the one control that did it showed. */
static void tell_figures(const struct settings *settings, const struct control_part *part,
                         struct repeat_effect *effect)
{
    char with[64], without[64];
    const bool has_only = part->brings && settings->only[part->control].count > 1;
    const bool has_without = settings->without[part->control].count > 1;
    if (has_only)
        say(effect, "with it alone %s",
            variation(&settings->only[part->control], with, sizeof(with)));
    if (has_without)
        say(effect, "with all but it %s",
            variation(&settings->without[part->control], without, sizeof(without)));
}

static void tell_named(const struct settings *settings, uint32_t named,
                       struct repeat_effect *effect)
{
    const uint32_t brings = set_of(effect, true), needed = set_of(effect, false);
    char words[160], others[160];
    if (__builtin_popcount(needed) > 1) {
        say(effect, "%s are needed together",
            listed(needed | brings, " and ", words, sizeof(words)));
        if (__builtin_popcount(brings) == 1)
            say(effect, "%s alone brings most", listed(brings, " and ", others, sizeof(others)));
        else if (!brings)
            say(effect, "none of them alone brings most of it");
        return;
    }
    if (!needed && __builtin_popcount(brings) > 1) {
        say(effect, "%s: each alone is enough", listed(brings, " or ", words, sizeof(words)));
        return;
    }
    const uint32_t did = needed ? needed : brings;
    listed(did, " and ", words, sizeof(words));
    if (brings & did)
        say(effect, "%s did it", words);
    else
        say(effect, "%s is needed, but alone does not bring most of it", words);
    tell_figures(settings, &effect->parts[__builtin_ctz(did)], effect);
    if (named & ~did)
        say(effect, "%s alone takes away most as well",
            listed(named & ~did, " or ", others, sizeof(others)));
}

/* Controls that move the level, whatever they do to the spread. Those that were named hold one draw
 * of what varied: their level is part of that. */
static void tell_levels(const struct settings *settings, uint32_t named,
                        struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    char by[FIGURE_SIZE];
    bool moved = false;
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        const struct control_part *part = &effect->parts[i];
        if (!(part->only_shifts || part->without_shifts) || (named & CONTROL_BIT(i)))
            continue;
        moved = true;
        say(effect, "%s only moves the level, by %s", control_names[i],
            signed_figure(part->only_shifts ? part->only_shift : -part->without_shift, by));
    }
    if (moved || settings->singles || kept_variance(as_is) > 0 || kept_variance(controlled) > 0)
        return;
    const double shift = kept_shift(as_is, controlled);
    if (fabs(shift) > 0)
        say(effect, "controlled it counts %s %s", figure_of(fabs(shift), by),
            shift < 0 ? "fewer" : "more");
}

static void tell_followed(const struct followed *followed, struct repeat_effect *effect)
{
    static const char *const names[] = {[FOLLOWS_NOTHING] = "",
                                        [FOLLOWS_INTERRUPTS] = "interrupts",
                                        [FOLLOWS_FAULTS] = "page faults",
                                        [FOLLOWS_SWITCHES] = "context switches"};
    if (followed->what != FOLLOWS_NOTHING)
        say(effect, "%.0f %% of that follows %s (%.3g for each)", 100 * followed->share,
            names[followed->what], followed->each);
}

static bool writes_otherwise(const struct repeat_cell *cell)
{
    for (size_t i = 1; i < cell->runs; i++)
        if (cell->list[i].output_sum != cell->list[0].output_sum ||
            cell->list[i].output_bytes != cell->list[0].output_bytes)
            return true;
    return false;
}

static bool has_tasks(const struct repeat_cell *cell)
{
    for (size_t i = 0; i < cell->runs; i++)
        if (cell->list[i].tasks > 1)
            return true;
    return false;
}

/* What varies although all is controlled. */
static void tell_rest(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    char words[64];
    if (!(kept_variance(&settings->controlled) > 0))
        return;
    say(effect, "%s varies whatever is controlled",
        variation(&settings->controlled, words, sizeof(words)));
    tell_followed(&told->followed, effect);
    if (told->followed.what != FOLLOWS_NOTHING)
        return;
    if (has_tasks(settings->controlled_cell))
        say(effect, "it has several threads or processes");
    if (writes_otherwise(settings->controlled_cell))
        say(effect, "what it writes differs as well");
}

static void tell_same(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    char before[64], after[64];
    variation(&settings->as_is, before, sizeof(before));
    variation(&settings->controlled, after, sizeof(after));
    if (!(kept_variance(&settings->as_is) > 0) && !(kept_variance(&settings->controlled) > 0)) {
        say(effect, "identical from the beginning: %zu of %zu runs as-is, %zu of %zu controlled",
            settings->as_is.count, settings->as_is.count, settings->controlled.count,
            settings->controlled.count);
        return;
    }
    if (told->varies_less)
        say(effect, "varies more when controlled: as-is %s, controlled %s", before, after);
    else
        say(effect, "no control brings anything that %zu runs could show: as-is %s, controlled %s",
            settings->as_is.count, before, after);
    tell_rest(settings, told, effect);
}

static bool is_over(const struct repeat_cell *cell)
{
    return kept_status(cell) >= STATUS_TIMEOUT;
}

/* The sentence. */
static void settings_tell(const struct settings *settings, const struct told *told,
                          struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    char before[64], after[64];
    if (is_over(settings->as_is_cell) || is_over(settings->controlled_cell)) {
        say(effect,
            "most runs did not end in their time: what was counted until then says nothing");
        return;
    }
    if (as_is->count < 2 || controlled->count < 2) {
        say(effect, "too few runs that ended alike: %zu as-is, %zu controlled", as_is->count,
            controlled->count);
        return;
    }
    if (!told->varies) {
        tell_same(settings, told, effect);
    } else if (told->named) {
        tell_named(settings, told->named, effect);
        tell_rest(settings, told, effect);
    } else {
        say(effect, "from %s as-is to %s controlled", variation(as_is, before, sizeof(before)),
            variation(controlled, after, sizeof(after)));
        say(effect, settings->singles ? "which control does it cannot be told from these runs"
                                      : "controls were not switched one at a time");
        tell_rest(settings, told, effect);
    }
    tell_levels(settings, told->named, effect);
}

/* ----------------------------------------------------------------------------------------------
 * Which control brought which part: as-is against controlled, and each control switched by itself.
 * A control is named only where chance would hardly make its settings differ so. */

/* --- levels --- */

/* Has the mean moved beyond chance? Where one of the two varies less, what was held there is one
 * draw of what varies in the other: its level may lie anywhere within that. */
static bool has_shifted(const struct kept *from, const struct kept *to, double shift, size_t tests)
{
    if (!settings_enough(from) || !settings_enough(to))
        return false;
    const double before = kept_variance(from), after = kept_variance(to);
    const double error =
        sqrt(before / (double)from->count + after / (double)to->count + fabs(before - after));
    const double df = (double)(from->count < to->count ? from->count : to->count) - 1;
    const double tail = SHIFT_LEVEL / 2 / (double)(tests ? tests : 1);
    return fabs(shift) > 0 && fabs(shift) > error * t_quantile(1 - tail, df);
}

/* --- shares --- */

static double cv_percent(const struct kept *kept)
{
    const double mean = kept_mean(kept);
    return mean > 0 ? 100 * sqrt(kept_variance(kept)) / mean : (double)NAN;
}

static int measure_only(const struct settings *settings, uint64_t seed, struct control_part *part)
{
    const struct kept *only = &settings->only[part->control];
    const double as_is = kept_variance(&settings->as_is);
    struct interval ratio;
    if (only->count < 2)
        return 0;
    part->only_cv = cv_percent(only);
    part->only_shift = kept_shift(&settings->as_is, only);
    part->only_shifts = has_shifted(&settings->as_is, only, part->only_shift, settings->singles);
    if (!(as_is > 0))
        return 0;
    if (spread_ratio(only, &settings->as_is, seed, &ratio) < 0)
        return -ENOMEM;
    part->only_part = 1 - kept_variance(only) / as_is;
    part->only_low = 1 - ratio.high;
    part->only_high = 1 - ratio.low;
    return 0;
}

static int measure_without(const struct settings *settings, uint64_t seed,
                           struct control_part *part)
{
    const struct kept *without = &settings->without[part->control];
    const double as_is = kept_variance(&settings->as_is);
    struct interval ratio;
    if (without->count < 2)
        return 0;
    part->without_cv = cv_percent(without);
    part->without_shift = kept_shift(&settings->controlled, without);
    part->without_shifts =
        has_shifted(&settings->controlled, without, part->without_shift, settings->singles);
    if (!(as_is > 0))
        return 0;
    if (spread_ratio(without, &settings->as_is, seed, &ratio) < 0)
        return -ENOMEM;
    const double rest = kept_variance(&settings->controlled) / as_is;
    part->without_part = kept_variance(without) / as_is - rest;
    part->without_low = ratio.low - rest;
    part->without_high = ratio.high - rest;
    return 0;
}

/* --- evidence --- */

/* The settings beside the one in question: one alike in all but this control, and those in which
 * another control was switched. If this control does nothing they spread like it, or for reasons of
 * their own: then the test finds less, never more. */
struct pool {
    const struct kept *cells[CONTROL_COUNT + 1];
    size_t count;
};

static void pool_add(struct pool *pool, const struct kept *kept)
{
    if (settings_enough(kept))
        pool->cells[pool->count++] = kept;
}

static struct pool pool_of(const struct kept *first, const struct kept others[CONTROL_COUNT],
                           enum control except)
{
    struct pool pool = {.count = 0};
    pool_add(&pool, first);
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (i != except)
            pool_add(&pool, &others[i]);
    return pool;
}

/* What the two settings of a control say about it. */
struct evidence_of {
    double quieter; /* chance that switching it alone makes the spread so small */
    double louder;  /* … that leaving it out makes it so large */
    double both;    /* of the two together (Fisher), which no run has in common */
    double level;   /* below which chance is ruled out, for both; half of it for one by itself */
};

static int weigh(const struct settings *settings, enum control control, uint64_t seed,
                 struct evidence_of *evidence)
{
    const struct kept *only = &settings->only[control];
    const struct kept *without = &settings->without[control];
    const struct pool off = pool_of(&settings->as_is, settings->only, control);
    const struct pool on = pool_of(&settings->controlled, settings->without, control);
    *evidence = (struct evidence_of){1, 1, 1, 0};
    if (settings_enough(only) &&
        spread_p(off.cells, off.count, &only, 1, seed, &evidence->quieter) < 0)
        return -ENOMEM;
    if (settings_enough(without) &&
        spread_p(&without, 1, on.cells, on.count, seed + 1, &evidence->louder) < 0)
        return -ENOMEM;
    evidence->both = chi_squared_p(-2 * log(evidence->quieter * evidence->louder), 4);
    evidence->level = CONTROLS_LEVEL / (double)(settings->singles ? settings->singles : 1);
    return 0;
}

/* Is there evidence for it at all; and that leaving it out matters? */
static bool does_matter(const struct evidence_of *evidence)
{
    return evidence->both < evidence->level ||
           fmin(evidence->quieter, evidence->louder) < evidence->level / 2;
}

static bool is_missed(const struct evidence_of *evidence)
{
    return does_matter(evidence) && evidence->louder < VARIES_LEVEL;
}

/* What a control takes away and brings back, as shares of what all of them together take away. */
struct shares {
    double only, without;
};

static struct shares share_of(double as_is, double controlled, double only, double without)
{
    const double had = as_is - controlled;
    /* Comparisons with NaN are false: nothing is named. */
    if (!(had > 0))
        return (struct shares){(double)NAN, (double)NAN};
    return (struct shares){(as_is - only) / had, (without - controlled) / had};
}

/* All runs, and all but those that lie farthest off: what either shows counts, since evidence is
 * asked for besides. */
static int find_shares(const struct settings *settings, enum control control,
                       struct shares shares[2])
{
    const struct kept *kept[] = {&settings->as_is, &settings->controlled, &settings->only[control],
                                 &settings->without[control]};
    double whole[4], trimmed[4];
    for (size_t i = 0; i < 4; i++) {
        whole[i] = kept_variance(kept[i]);
        if (kept_trimmed(kept[i], &trimmed[i]) < 0)
            return -ENOMEM;
    }
    shares[0] = share_of(whole[0], whole[1], whole[2], whole[3]);
    shares[1] = share_of(trimmed[0], trimmed[1], trimmed[2], trimmed[3]);
    return 0;
}

static int judge_part(const struct settings *settings, uint64_t seed, struct control_part *part,
                      uint32_t *named)
{
    struct evidence_of evidence;
    struct shares shares[2];
    if (!(settings->controls & CONTROL_BIT(part->control)))
        return 0;
    if (measure_only(settings, seed, part) < 0 || measure_without(settings, seed, part) < 0 ||
        weigh(settings, part->control, seed, &evidence) < 0 ||
        find_shares(settings, part->control, shares) < 0)
        return -ENOMEM;
    part->brings = does_matter(&evidence) &&
                   (shares[0].only >= BRINGS_SHARE || shares[1].only >= BRINGS_SHARE);
    part->is_needed = is_missed(&evidence) &&
                      (shares[0].without >= NEEDED_SHARE || shares[1].without >= NEEDED_SHARE);
    if (part->brings || part->is_needed)
        *named |= CONTROL_BIT(part->control);
    return 0;
}

static void blank_part(struct control_part *part, enum control control)
{
    const double unknown = (double)NAN;
    *part = (struct control_part){.control = control,
                                  .only_cv = unknown,
                                  .only_part = unknown,
                                  .only_low = unknown,
                                  .only_high = unknown,
                                  .only_shift = unknown,
                                  .without_cv = unknown,
                                  .without_part = unknown,
                                  .without_low = unknown,
                                  .without_high = unknown,
                                  .without_shift = unknown};
}

/* --- as-is against controlled --- */

static int compare(const struct settings *settings, uint64_t seed, struct repeat_effect *effect,
                   struct told *told)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    const double above = kept_variance(as_is), below = kept_variance(controlled);
    struct interval ratio;
    double more, less;
    if (spread_ratio(as_is, controlled, seed, &ratio) < 0 ||
        spread_p(&as_is, 1, &controlled, 1, seed, &more) < 0 ||
        spread_p(&controlled, 1, &as_is, 1, seed + 1, &less) < 0)
        return -ENOMEM;
    told->varies = more < VARIES_LEVEL;
    told->varies_less = less < VARIES_LEVEL;
    effect->ratio = below > 0 ? sqrt(above / below) : above > 0 ? INFINITY : (double)NAN;
    effect->ratio_low = isnan(effect->ratio) ? (double)NAN : sqrt(ratio.low);
    effect->ratio_high = isnan(effect->ratio) ? (double)NAN : sqrt(ratio.high);
    return 0;
}

static int judge_effect(const struct repeat_case *file, size_t row, uint64_t seed,
                        struct repeat_report *report)
{
    AUTO_SETTINGS struct settings settings;
    struct told told = {0};
    if (settings_gather(file, report, row, &settings) < 0)
        return -ENOMEM;
    if (settings.controlled_row == SIZE_MAX)
        return 0;
    struct repeat_effect *effect = &report->effects[report->effect_count];
    *effect = (struct repeat_effect){.as_is = row, .controlled = settings.controlled_row};
    for (enum control control = 0; control < CONTROL_COUNT; control++)
        blank_part(&effect->parts[control], control);
    if (compare(&settings, seed, effect, &told) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (judge_part(&settings, seed, &effect->parts[i], &told.named) < 0)
            return -ENOMEM;
    told.varies |= told.named != 0;
    if (settings_follow(&settings, !told.varies, &told.followed) < 0)
        return -ENOMEM;
    settings_tell(&settings, &told, effect);
    report->effect_count++;
    return 0;
}

int repeat_judge_controls(const struct repeat_case *file, uint64_t seed,
                          struct repeat_report *report)
{
    report->effects = calloc(report->row_count + 1, sizeof(*report->effects));
    if (!report->effects)
        return -ENOMEM;
    for (size_t row = 0; row < report->row_count; row++) {
        const struct repeat_cell *cell = &file->cells[report->rows[row].cell];
        if (cell->controls == 0 && cell->sweep == SWEEP_NONE &&
            judge_effect(file, row, seed, report) < 0)
            return -ENOMEM;
    }
    return 0;
}
