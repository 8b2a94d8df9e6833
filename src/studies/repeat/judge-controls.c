/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brought which part: as-is against controlled, and each control switched by itself.
 * A control is named only where chance would hardly make its settings differ so. Then sweeps: do
 * their points differ, and do they repeat? */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * All settings of one program, source and event: what the part about controls reckons with. */

struct settings {
    uint32_t controls;                       /* that "controlled" has on */
    const struct repeat_row *controlled_row; /* NULL: not measured */
    struct kept as_is, controlled;
    struct kept only[CONTROL_COUNT], without[CONTROL_COUNT]; /* without runs: not measured */
    const struct repeat_cell *as_is_cell, *controlled_cell;
    size_t singles; /* how many of only and without were measured */
};
/* What is left when all is controlled follows something that was counted with the runs. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_INTERRUPTS, FOLLOWS_FAULTS, FOLLOWS_SWITCHES };
struct followed {
    enum follows what;
    double each;  /* counts for one of them */
    double share; /* of the variance that it explains */
};

/* Has it runs enough for statements about a control? */
static bool settings_enough(const struct kept *kept)
{
    return kept->count >= CONTROLS_RUNS;
}

/* The settings of the program, source and event of this row. Controlled is the one that has most
 * controls on; of several alike the first. */
static struct settings settings_gather(const struct repeat_report *report,
                                       const struct repeat_row *as_is)
{
    struct settings settings = {.as_is_cell = as_is->cell};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct repeat_row *row = &report->rows[i];
        if (row->cell->sweep == SWEEP_NONE && is_same_count(row, as_is) &&
            __builtin_popcount(row->cell->controls) > __builtin_popcount(settings.controls)) {
            settings.controls = row->cell->controls;
            settings.controlled_row = row;
            settings.controlled_cell = row->cell;
        }
    }
    if (!settings.controlled_row)
        return settings;
    settings.as_is = kept_counts(as_is->cell, as_is->event);
    settings.controlled = kept_counts(settings.controlled_cell, settings.controlled_row->event);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct repeat_row *row = &report->rows[i];
        const struct repeat_cell *cell = row->cell;
        if (cell->sweep != SWEEP_NONE || !is_same_count(row, as_is))
            continue;
        for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
            const uint32_t bit = CONTROL_BIT(control);
            if (!(settings.controls & bit))
                continue;
            if (cell->controls == bit && !settings.only[control].values)
                settings.only[control] = kept_counts(cell, row->event);
            if (cell->controls == (settings.controls & ~bit) && !settings.without[control].values)
                settings.without[control] = kept_counts(cell, row->event);
        }
    }
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        settings.singles +=
            settings_enough(&settings.only[i]) + (size_t)settings_enough(&settings.without[i]);
    return settings;
}

/* --- what the rest follows --- */

/* Is it what the program did? A tool that executes it in its own process has the account of that
 * process, and one that stops it at every instruction or system call makes a switch of each, and
 * takes so long that interrupts come. Who writes more than the pipe holds waits for who drains it.
 * Nor is a count explained by itself. */
#define OUTPUT_UNWAITED (1u << 20)
static bool is_of_program(const struct repeat_cell *cell, const char *event, enum follows what)
{
    static const char *const same[] = {[FOLLOWS_INTERRUPTS] = "interrupts",
                                       [FOLLOWS_FAULTS] = "-faults",
                                       [FOLLOWS_SWITCHES] = "context-switches"};
    if (strstr(event, same[what]))
        return false;
    for (size_t i = 0; i < cell->runs && what == FOLLOWS_SWITCHES; i++)
        if (cell->list[i].output_bytes > OUTPUT_UNWAITED)
            return false;
    return (strcmp(cell->source, "perf_event") == 0 && cell->detail == DETAIL_NONE) ||
           (what == FOLLOWS_FAULTS && strcmp(cell->source, "step") == 0);
}

static double account_of(const struct repeat_run *run, enum follows what)
{
    switch (what) {
    case FOLLOWS_INTERRUPTS:
        return run->has_interrupts ? (double)run->interrupts : (double)NAN;
    case FOLLOWS_FAULTS:
        return (double)run->account.minor_faults + (double)run->account.major_faults;
    case FOLLOWS_SWITCHES:
        return (double)run->account.voluntary + (double)run->account.involuntary;
    default:
        return (double)NAN;
    }
}

/* Counts and what went with them, each less the mean of its own setting. */
static size_t add_pairs(const struct repeat_cell *cell, const struct kept *kept, enum follows what,
                        double *x, double *y)
{
    const double mean = moments_of(kept->values, kept->count).mean;
    double sum = 0;
    for (size_t i = 0; i < kept->count; i++) {
        y[i] = kept->values[i] - mean;
        x[i] = account_of(&cell->list[kept->runs[i]], what);
        sum += x[i];
    }
    for (size_t i = 0; i < kept->count; i++)
        x[i] -= sum / (double)kept->count;
    return kept->count;
}

static void follow_one(const struct settings *settings, bool also, enum follows what,
                       struct followed *followed)
{
    const size_t most = settings->controlled.count + settings->as_is.count;
    double *x = memory_new(most + 1, sizeof(*x)), *y = memory_new(most + 1, sizeof(*y));
    struct least_squares fit;
    struct coefficient intercept, slope;
    size_t count = add_pairs(settings->controlled_cell, &settings->controlled, what, x, y);
    if (also)
        count += add_pairs(settings->as_is_cell, &settings->as_is, what, x + count, y + count);
    /* Where they are not finite, or too few of them, nothing follows. */
    if (straight_line(x, y, count, &fit, &intercept, &slope) == 0 && !slope.aliased &&
        fit.df >= 3 && slope.error >= 0 && fit.r_squared >= FOLLOWS_SHARE &&
        fit.r_squared > followed->share &&
        (!(slope.error > 0) ||
         t_two_sided_p(slope.value / slope.error, (double)fit.df) <= FOLLOWS_LEVEL))
        *followed = (struct followed){what, slope.value, fit.r_squared};
}

/* also: the as-is runs are asked too. */
static struct followed settings_follow(const struct settings *settings, bool also)
{
    struct followed followed = {FOLLOWS_NOTHING, (double)NAN, 0};
    const char *event = settings->controlled_cell->event[settings->controlled_row->event];
    for (enum follows what = FOLLOWS_INTERRUPTS; what <= FOLLOWS_SWITCHES; what++)
        if (is_of_program(settings->controlled_cell, event, what))
            follow_one(settings, also, what, &followed);
    return followed;
}

/* ----------------------------------------------------------------------------------------------
 * The sentence about the controls of one program: which did it, what moved the level only, and
 * what is left. It says no more than the figures of the effect. */

/* varies: as-is varies more for certain; named: controls for which there is evidence. */
struct told {
    bool varies, varies_less;
    uint32_t named;
    struct followed followed;
};

/* "aslr", "aslr and cpu", "aslr, cpu and stdin". */
static const char *listed(uint32_t controls, const char *last)
{
    struct text text = {0};
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        if (!(controls & CONTROL_BIT(control)))
            continue;
        controls &= ~CONTROL_BIT(control);
        const int left = __builtin_popcount(controls);
        text_printf(&text, "%s%s", control_names[control], left > 1 ? ", " : left == 1 ? last : "");
    }
    return memory_text(&text);
}

static uint32_t set_of(const struct repeat_effect *effect, bool brings)
{
    uint32_t set = 0;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (brings ? effect->parts[i].brings : effect->parts[i].is_needed)
            set |= CONTROL_BIT(i);
    return set;
}

/* "identical in 12 of 12 runs", or "0.012 %": of the as-is mean, so that all settings of a sentence
 * are told by one measure, which is that of the ratio; said where it makes a difference. */
static const struct reasons *variation(const struct settings *settings, const struct kept *kept)
{
    struct reasons *says = memory_new(1, sizeof(*says));
    const double mean = kept_mean(&settings->as_is);
    if (kept->count > 1 && !(kept_variance(kept) > 0))
        SAY(says, SAYS_IDENTICAL, kept->count);
    else if (mean > 0)
        SAY(says, SAYS_VARIES_BY, 100 * sqrt(kept_variance(kept)) / mean,
            mean_differs(kept_mean(kept), mean) ? "as-is" : NULL);
    else
        SAY(says, SAYS_UNKNOWN);
    return says;
}

static void tell_named(const struct settings *settings, uint32_t named,
                       struct repeat_effect *effect)
{
    const uint32_t brings = set_of(effect, true), needed = set_of(effect, false);
    if (__builtin_popcount(needed) > 1) {
        SAY(&effect->who, SAYS_NEEDED, listed(needed | brings, " and "));
        if (__builtin_popcount(brings) == 1)
            SAY(&effect->who, SAYS_ALONE_MOST, listed(brings, ""));
        else if (!brings)
            SAY(&effect->who, SAYS_NONE_ALONE);
        return;
    }
    if (!needed && __builtin_popcount(brings) > 1) {
        SAY(&effect->who, SAYS_EACH_ENOUGH, listed(brings, " or "));
        return;
    }
    const uint32_t did = needed ? needed : brings;
    SAY(&effect->who, brings & did ? SAYS_DID_IT : SAYS_NEEDED_ONLY, listed(did, " and "));
    /* What the settings of the one control that did it showed. */
    const struct control_part *part = &effect->parts[__builtin_ctz(did)];
    const struct kept *only = &settings->only[part->control];
    const struct kept *without = &settings->without[part->control];
    if (part->brings && only->count > 1)
        SAY(&effect->who, SAYS_WITH_IT, variation(settings, only));
    if (without->count > 1)
        SAY(&effect->who, SAYS_WITHOUT_IT, variation(settings, without));
    if (named & ~did)
        SAY(&effect->who, SAYS_AS_WELL, listed(named & ~did, " or "));
}

/* Controls that move the level, whatever they do to the spread. Those that were named hold one draw
 * of what varied: their level is part of that. */
static void tell_levels(const struct settings *settings, uint32_t named,
                        struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    bool moved = false;
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        const struct control_part *part = &effect->parts[i];
        if (!(part->only.shifts || part->without.shifts) || (named & CONTROL_BIT(i)))
            continue;
        moved = true;
        SAY(&effect->who, SAYS_MOVES, control_names[i],
            part->only.shifts ? part->only.shift : -part->without.shift);
    }
    if (moved || settings->singles || kept_variance(as_is) > 0 || kept_variance(controlled) > 0)
        return;
    const double shift = kept_shift(as_is, controlled);
    if (fabs(shift) > 0)
        SAY(&effect->who, shift < 0 ? SAYS_FEWER : SAYS_MORE, fabs(shift));
}

/* What varies although all is controlled. */
static void tell_rest(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    static const char *const names[] = {[FOLLOWS_INTERRUPTS] = "interrupts",
                                        [FOLLOWS_FAULTS] = "page faults",
                                        [FOLLOWS_SWITCHES] = "context switches"};
    const struct repeat_cell *cell = settings->controlled_cell;
    if (!(kept_variance(&settings->controlled) > 0))
        return;
    SAY(&effect->who, SAYS_REST, variation(settings, &settings->controlled));
    if (told->followed.what != FOLLOWS_NOTHING) {
        SAY(&effect->who, SAYS_FOLLOWS, 100 * told->followed.share, names[told->followed.what],
            told->followed.each);
        return;
    }
    if (cell_has_tasks(cell))
        SAY(&effect->who, SAYS_HAS_TASKS);
    bool differs = false;
    for (size_t i = 1; i < cell->runs; i++)
        differs |= !wrote_alike(&cell->list[i], &cell->list[0]);
    if (differs)
        SAY(&effect->who, SAYS_OUTPUT_TOO);
}

/* The sentence. */
static void settings_tell(const struct settings *settings, const struct told *told,
                          struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    const bool same = !(kept_variance(as_is) > 0) && !(kept_variance(controlled) > 0);
    if (kept_status(settings->as_is_cell) >= STATUS_TIMEOUT ||
        kept_status(settings->controlled_cell) >= STATUS_TIMEOUT) {
        SAY(&effect->who, SAYS_TIMED_OUT);
        return;
    }
    if (as_is->count < 2 || controlled->count < 2) {
        SAY(&effect->who, SAYS_FEW_RUNS, as_is->count, controlled->count);
        return;
    }
    if (told->varies && told->named) {
        tell_named(settings, told->named, effect);
    } else if (told->varies) {
        SAY(&effect->who, SAYS_FROM_TO, variation(settings, as_is),
            variation(settings, controlled));
        SAY(&effect->who, settings->singles ? SAYS_UNDECIDED : SAYS_NOT_SINGLY);
    } else if (same) {
        SAY(&effect->who, SAYS_ALWAYS_SAME, as_is->count, controlled->count);
    } else if (told->varies_less) {
        SAY(&effect->who, SAYS_WORSE, variation(settings, as_is), variation(settings, controlled));
    } else {
        SAY(&effect->who, SAYS_NO_CONTROL, as_is->count, variation(settings, as_is),
            variation(settings, controlled));
    }
    tell_rest(settings, told, effect);
    tell_levels(settings, told->named, effect);
}

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

/* What the setting (one control switched, the others as in `beside`) shows: its variation, and
 * whether it moves the level. True where shares of the as-is variance can be taken: *ratio. */
static bool measure(const struct settings *settings, const struct kept *setting,
                    const struct kept *beside, uint64_t seed, struct control_setting *shows,
                    struct interval *ratio)
{
    if (setting->count < 2)
        return false;
    const double mean = kept_mean(setting);
    shows->cv = mean > 0 ? 100 * sqrt(kept_variance(setting)) / mean : (double)NAN;
    shows->shift = kept_shift(beside, setting);
    shows->shifts = has_shifted(beside, setting, shows->shift, settings->singles);
    if (!(kept_variance(&settings->as_is) > 0))
        return false;
    *ratio = spread_ratio(setting, &settings->as_is, seed);
    return true;
}

/* --- evidence --- */

/* The settings beside the one in question: one alike in all but this control, and those in which
 * another control was switched. If this control does nothing they spread like it, or for reasons of
 * their own: then the test finds less, never more. */
struct pool {
    const struct kept *cells[CONTROL_COUNT + 1];
    size_t count;
};

static struct pool pool_of(const struct kept *first, const struct kept others[CONTROL_COUNT],
                           enum control except)
{
    struct pool pool = {.count = 0};
    if (settings_enough(first))
        pool.cells[pool.count++] = first;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (i != except && settings_enough(&others[i]))
            pool.cells[pool.count++] = &others[i];
    return pool;
}

/* What the two settings of a control say about it. */
struct evidence_of {
    double quieter; /* chance that switching it alone makes the spread so small */
    double louder;  /* … that leaving it out makes it so large */
    double both;    /* of the two together (Fisher), which no run has in common */
    double level;   /* below which chance is ruled out, for both; half of it for one by itself */
};

static struct evidence_of weigh(const struct settings *settings, enum control control,
                                uint64_t seed)
{
    const struct kept *only = &settings->only[control];
    const struct kept *without = &settings->without[control];
    const struct pool off = pool_of(&settings->as_is, settings->only, control);
    const struct pool on = pool_of(&settings->controlled, settings->without, control);
    struct evidence_of evidence = {1, 1, 1, 0};
    if (settings_enough(only))
        evidence.quieter = spread_p(off.cells, off.count, &only, 1, seed);
    if (settings_enough(without))
        evidence.louder = spread_p(&without, 1, on.cells, on.count, seed + 1);
    evidence.both = chi_squared_p(-2 * log(evidence.quieter * evidence.louder), 4);
    evidence.level = CONTROLS_LEVEL / (double)(settings->singles ? settings->singles : 1);
    return evidence;
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

static void judge_part(const struct settings *settings, uint64_t seed, struct control_part *part)
{
    const enum control control = part->control;
    const struct kept *only = &settings->only[control], *without = &settings->without[control];
    const double as_is = kept_variance(&settings->as_is);
    struct interval ratio;
    if (!(settings->controls & CONTROL_BIT(control)))
        return;
    if (measure(settings, only, &settings->as_is, seed, &part->only, &ratio)) {
        part->only.part = 1 - kept_variance(only) / as_is;
        part->only.low = 1 - ratio.high;
        part->only.high = 1 - ratio.low;
    }
    if (measure(settings, without, &settings->controlled, seed, &part->without, &ratio)) {
        const double rest = kept_variance(&settings->controlled) / as_is;
        part->without.part = kept_variance(without) / as_is - rest;
        part->without.low = ratio.low - rest;
        part->without.high = ratio.high - rest;
    }
    /* All runs, and all but those that lie farthest off: what either shows counts, since evidence
     * is asked for besides. */
    const struct shares all = share_of(as_is, kept_variance(&settings->controlled),
                                       kept_variance(only), kept_variance(without));
    const struct shares trimmed =
        share_of(kept_trimmed(&settings->as_is), kept_trimmed(&settings->controlled),
                 kept_trimmed(only), kept_trimmed(without));
    /* Is there evidence for it at all; and that leaving it out matters? */
    const struct evidence_of evidence = weigh(settings, control, seed);
    const bool matters = evidence.both < evidence.level ||
                         fmin(evidence.quieter, evidence.louder) < evidence.level / 2;
    const bool missed = matters && evidence.louder < VARIES_LEVEL;
    part->brings = matters && (all.only >= BRINGS_SHARE || trimmed.only >= BRINGS_SHARE);
    part->is_needed = missed && (all.without >= NEEDED_SHARE || trimmed.without >= NEEDED_SHARE);
}

/* --- as-is against controlled --- */

static void judge_effect(const struct repeat_row *row, uint64_t seed, struct repeat_report *report)
{
    const struct settings settings = settings_gather(report, row);
    const struct kept *as_is = &settings.as_is, *controlled = &settings.controlled;
    const double unknown = (double)NAN;
    const struct control_setting none = {unknown, unknown, unknown, unknown, unknown, false};
    if (!settings.controlled_row)
        return;
    struct repeat_effect *effect = &report->effects[report->effect_count++];
    *effect = (struct repeat_effect){.as_is = row, .controlled = settings.controlled_row};
    /* As-is against controlled. */
    const double above = kept_variance(as_is), below = kept_variance(controlled);
    const struct interval ratio = spread_ratio(as_is, controlled, seed);
    effect->ratio = below > 0 ? sqrt(above / below) : above > 0 ? INFINITY : unknown;
    effect->ratio_low = isnan(effect->ratio) ? unknown : sqrt(ratio.low);
    effect->ratio_high = isnan(effect->ratio) ? unknown : sqrt(ratio.high);
    /* Ranks say how sure it is, standard deviations how much: where they disagree, neither is said.
     */
    struct told told = {
        .varies = above > below && spread_p(&as_is, 1, &controlled, 1, seed) < VARIES_LEVEL,
        .varies_less =
            below > above && spread_p(&controlled, 1, &as_is, 1, seed + 1) < VARIES_LEVEL};
    for (enum control control = 0; control < CONTROL_COUNT; control++) {
        struct control_part *part = &effect->parts[control];
        *part = (struct control_part){.control = control, .only = none, .without = none};
        judge_part(&settings, seed, part);
        if (part->brings || part->is_needed)
            told.named |= CONTROL_BIT(control);
    }
    told.varies |= told.named != 0;
    told.followed = settings_follow(&settings, !told.varies);
    settings_tell(&settings, &told, effect);
}

void repeat_judge_controls(uint64_t seed, struct repeat_report *report)
{
    report->effects = memory_new(report->row_count + 1, sizeof(*report->effects));
    for (size_t row = 0; row < report->row_count; row++)
        if (report->rows[row].cell->controls == 0 && report->rows[row].cell->sweep == SWEEP_NONE)
            judge_effect(&report->rows[row], seed, report);
}

/* ----------------------------------------------------------------------------------------------
 * The points of one sweep, and questions about them. */

struct swept_point {
    uint64_t at;
    struct kept kept;
    double offset; /* base less the smallest base of all points */
    double median;
};
struct swept {
    struct swept_point *points; /* [count], by rising value */
    size_t count;
    size_t runs;       /* of all points */
    struct kept plain; /* the same setting, not swept; may have no runs */
};

/* Analysis of variance of ranks (Kruskal and Wallis), whose sums of squares no stray run rules:
 * the chance of points that differ so much. A run's group is its point, or the setting not swept.
 */
static double chance_of(const struct swept *swept)
{
    const size_t groups = swept->count + 1;
    struct ranked *list = memory_new(swept->runs + swept->plain.count + 1, sizeof(*list));
    double *sums = memory_new(groups, sizeof(*sums)), *times = memory_new(groups, sizeof(*times));
    const uint64_t base = swept->points[0].kept.base, plain = swept->plain.base;
    const double bases = plain >= base ? (double)(plain - base) : -(double)(base - plain);
    double within = 0, between = 0, used = 0;
    size_t count = 0;
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++)
            list[count++] = (struct ranked){
                .value = swept->points[i].offset + swept->points[i].kept.values[run], .group = i};
    for (size_t run = 0; run < swept->plain.count; run++)
        list[count++] =
            (struct ranked){.value = swept->points[0].offset + bases + swept->plain.values[run],
                            .group = swept->count};
    give_ranks(list, count);
    for (size_t i = 0; i < count; i++) {
        sums[list[i].group] += list[i].rank;
        times[list[i].group]++;
    }
    for (size_t i = 0; i < count; i++) {
        const double off = list[i].rank - sums[list[i].group] / times[list[i].group];
        within += off * off;
    }
    for (size_t i = 0; i < groups; i++) {
        const double off = times[i] > 0 ? sums[i] / times[i] - (double)(count + 1) / 2 : 0;
        between += off * off * times[i];
        used += times[i] > 0;
    }
    const double df = (double)count - used;
    if (!(df > 0 && used > 1 && between > 0))
        return 1;
    return within > 0 ? f_p(between / (used - 1) / (within / df), used - 1, df) : 0;
}

/* Do points differ beyond what runs at one point do? */
static bool swept_matters(const struct swept *swept, enum command_sweep sweep, double within,
                          const double *medians, uint64_t seed)
{
    if (swept->count < 2 || isnan(within))
        return false;
    if (sweep == SWEEP_ASLR) {
        /* Random addresses: do draws, all runs of all points as if they were of one cell, spread
         * more than the setting in which nothing is drawn? */
        struct kept joined = {.values = memory_new(swept->runs + 1, sizeof(*joined.values))};
        const struct kept *draws = &joined, *plain = &swept->plain;
        for (size_t i = 0; i < swept->count; i++)
            for (size_t run = 0; run < swept->points[i].kept.count; run++)
                joined.values[joined.count++] =
                    swept->points[i].offset + swept->points[i].kept.values[run];
        return spread_p(&draws, 1, &plain, 1, seed) < SWEEP_LEVEL;
    }
    if (!(chance_of(swept) < SWEEP_LEVEL))
        return false;
    /* A single stray run among runs that are else identical is one point that differs: where no
     * point was run often, at least two must. */
    size_t away = 0;
    const double middle = quantile(medians, swept->count, .5);
    for (size_t i = 0; i < swept->count; i++)
        away += fabs(medians[i] - middle) > within;
    return away >= 2 || swept->runs >= 3 * swept->count;
}

/* --- periods --- */

/* Share of the medians' variance that lies between remainders of the period, with its chance. */
static double period_share(const struct swept *swept, uint64_t period, size_t *classes)
{
    double mean = 0, total = 0, left = 0;
    *classes = 0;
    for (size_t i = 0; i < swept->count; i++)
        mean += swept->points[i].median / (double)swept->count;
    for (size_t i = 0; i < swept->count; i++) {
        double sum = 0;
        size_t times = 0, before = 0;
        for (size_t j = 0; j < swept->count; j++)
            if (swept->points[i].at % period == swept->points[j].at % period) {
                sum += swept->points[j].median;
                times++;
                before += j < i;
            }
        const double off = swept->points[i].median - mean;
        const double rest = swept->points[i].median - sum / (double)times;
        total += off * off;
        left += rest * rest;
        *classes += before == 0;
    }
    return total > 0 ? 1 - left / total : 0;
}

static bool repeats(const struct swept *swept, uint64_t period)
{
    const uint64_t span = swept->points[swept->count - 1].at - swept->points[0].at;
    size_t classes;
    if (!period || span / period < PERIOD_TIMES)
        return false;
    const double share = period_share(swept, period, &classes);
    if (share < PERIOD_SHARE || classes * PERIOD_TIMES > swept->count || classes < 2)
        return false;
    const double left = (double)(swept->count - classes);
    const double f = share / (double)(classes - 1) / ((1 - share) / left);
    return share >= 1 || f_p(f, (double)(classes - 1), left) < SWEEP_LEVEL;
}

/* --- words --- */

/* straight: the share of the variance that a straight line explains; period: 0: there is none. */
static void swept_tell(const struct swept *swept, double straight, uint64_t period,
                       struct repeat_sweep *sweep)
{
    const double range = sweep->highest - sweep->lowest;
    const double percent = sweep->lowest > 0 ? 100 * range / sweep->lowest : (double)NAN;
    const char *points = sweep->sweep == SWEEP_ASLR ? "draws" : "sizes";
    struct reasons *what = &sweep->what;
    if (!sweep->matters) {
        if (swept->count < 2)
            SAY(what, SAYS_ONE_POINT, points);
        else if (isnan(sweep->within))
            SAY(what, SAYS_UNREPEATED, swept->count, points);
        else if (!(sweep->highest > sweep->lowest))
            SAY(what, SAYS_SAME_COUNT, swept->count, points);
        else
            SAY(what, SAYS_NO_MORE, swept->count, points, sweep->within);
    } else if (sweep->sweep == SWEEP_ASLR) {
        SAY(what, SAYS_DRAWS, swept->count, range, percent, sweep->levels, sweep->within);
    } else if (period) {
        SAY(what, SAYS_PERIOD, range, percent, period, sweep->levels);
    } else if (straight >= PERIOD_SHARE) {
        SAY(what, SAYS_LINE, sweep->slope, sweep->slope_low, sweep->slope_high, range, percent);
    } else {
        SAY(what, SAYS_LEVELS, range, percent, sweep->levels, sweep->last - sweep->first);
    }
}

/* ----------------------------------------------------------------------------------------------
 * How counts follow the size of the environment, the place of the stack, random addresses: points
 * of a sweep against what runs at one and the same point differ. */

/* Share of the variance that a straight line explains; its slope goes to sweep. */
static double find_slope(const struct swept *swept, struct repeat_sweep *sweep)
{
    struct least_squares fit;
    struct coefficient intercept, slope;
    size_t count = 0;
    sweep->slope = sweep->slope_low = sweep->slope_high = (double)NAN;
    if (sweep->sweep == SWEEP_ASLR || swept->count < 3)
        return 0;
    double *x = memory_new(swept->runs + 1, sizeof(*x));
    double *y = memory_new(swept->runs + 1, sizeof(*y));
    for (size_t i = 0; i < swept->count; i++)
        for (size_t run = 0; run < swept->points[i].kept.count; run++) {
            x[count] = (double)(swept->points[i].at - sweep->first);
            y[count++] = swept->points[i].offset + swept->points[i].kept.values[run];
        }
    if (straight_line(x, y, count, &fit, &intercept, &slope) < 0 || slope.aliased)
        return 0;
    sweep->slope = slope.value;
    sweep->slope_low = slope.low;
    sweep->slope_high = slope.high;
    return fit.r_squared;
}

static void judge_sweep(struct swept *swept, uint64_t seed, struct repeat_sweep *sweep)
{
    const size_t count = swept->count;
    double *medians = memory_new(count, sizeof(*medians)), sum = 0, df = 0;
    uint64_t least = UINT64_MAX, period = 0;
    sweep->first = UINT64_MAX;
    sweep->lowest = INFINITY;
    sweep->highest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct swept_point *point = &swept->points[i];
        least = point->kept.base < least ? point->kept.base : least;
        medians[i] = point->median;
        sweep->first = point->at < sweep->first ? point->at : sweep->first;
        sweep->last = point->at > sweep->last ? point->at : sweep->last;
        sweep->lowest = fmin(sweep->lowest, point->median);
        sweep->highest = fmax(sweep->highest, point->median);
    }
    sort_values(medians, count);
    for (size_t i = 0; i < count; i++)
        swept->points[i].offset = (double)(swept->points[i].kept.base - least);
    /* Standard deviation of runs at one point, pooled; of random addresses that of the setting
     * without the sweep, since its points are draws themselves. NaN: nobody repeated anything. */
    for (size_t i = 0; i <= (sweep->sweep == SWEEP_ASLR ? 0 : count); i++) {
        const struct kept *kept = i ? &swept->points[i - 1].kept : &swept->plain;
        if (kept->count < 2)
            continue;
        sum += kept_variance(kept) * (double)(kept->count - 1);
        df += (double)(kept->count - 1);
    }
    sweep->within = sqrt(df > 0 ? sum / df : (double)NAN);
    sweep->matters = swept_matters(swept, sweep->sweep, sweep->within, medians, seed);
    /* Levels: medians that lie apart by more than runs at one point do. */
    const double apart = sweep->within > 0 ? SWEEP_SAME_LEVEL * sweep->within : 0;
    sweep->levels = 1;
    for (size_t i = 1; i < count; i++)
        sweep->levels += medians[i] - medians[i - 1] > apart;
    const double straight = find_slope(swept, sweep);
    /* The smallest distance at which counts repeat. Powers of two come first: alignment, lines and
     * pages repeat by those, whatever the steps are. */
    const bool asks = sweep->matters && sweep->sweep != SWEEP_ASLR;
    for (uint64_t by = PERIOD_LEAST; asks && !period && by <= PERIOD_MOST; by *= 2)
        period = repeats(swept, by) ? by : 0;
    for (size_t i = 2; asks && !period && i < count; i++) {
        const uint64_t by = swept->points[i].at - swept->points[0].at;
        period = repeats(swept, by) ? by : 0;
    }
    swept_tell(swept, straight, period, sweep);
}

/* The rows from this one on up to the end are of one sweep. */
static void judge_from(const struct repeat_case *file, struct repeat_report *report, size_t row,
                       size_t end)
{
    const struct repeat_row *first = &report->rows[row];
    const struct repeat_cell *cell = first->cell;
    struct swept swept = {.points = memory_new(end - row, sizeof(*swept.points))};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *plain = &file->cells[i];
        const int column = repeat_event(plain, repeat_event_of(first));
        if (!is_same_place(&plain->at, &cell->at) || plain->controls != cell->controls ||
            plain->sweep != SWEEP_NONE || plain->detail != DETAIL_NONE ||
            strcmp(plain->source, cell->source) != 0 || column < 0)
            continue;
        swept.plain = kept_counts(plain, (uint32_t)column);
        break;
    }
    for (const struct repeat_row *at = first; at < &report->rows[end]; at++) {
        const struct kept kept = kept_counts(at->cell, at->event);
        if (!kept.count)
            continue;
        swept.points[swept.count++] =
            (struct swept_point){.at = at->cell->swept, .kept = kept, .median = at->usual};
        swept.runs += kept.count;
    }
    if (!swept.count)
        return;
    struct repeat_sweep *sweep = &report->sweeps[report->sweep_count++];
    *sweep = (struct repeat_sweep){.at = cell->at,
                                   .source = cell->source,
                                   .event = repeat_event_of(first),
                                   .sweep = cell->sweep,
                                   .points = swept.count};
    judge_sweep(&swept, row, sweep);
}

void repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report)
{
    report->sweeps = memory_new(report->row_count + 1, sizeof(*report->sweeps));
    for (size_t row = 0, end; row < report->row_count; row = end) {
        const struct repeat_row *first = &report->rows[row];
        for (end = row + 1; end < report->row_count; end++)
            if (!is_same_count(&report->rows[end], first) ||
                report->rows[end].cell->sweep != first->cell->sweep ||
                report->rows[end].cell->controls != first->cell->controls)
                break;
        if (first->cell->sweep != SWEEP_NONE)
            judge_from(file, report, row, end);
    }
}
