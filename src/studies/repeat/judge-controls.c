/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brought which part: as-is against controlled, and each control switched by itself.
 * A control is named only where chance would hardly make its settings differ so. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/repeat/limits.h"
#include "judge/repeat/settings.h"
#include "judge/repeat/spread.h"
#include "stats/interval.h"

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
