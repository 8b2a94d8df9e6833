/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brought which part: as-is against controlled, and each control switched by itself.
 * A control is named only where chance would hardly make its settings differ so. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/judge.h"

/* ----------------------------------------------------------------------------------------------
 * All settings of one program, source and event: what the part about controls reckons with. */

struct settings {
    uint32_t controls;     /* that "controlled" has on */
    size_t controlled_row; /* SIZE_MAX: not measured */
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
static struct settings settings_gather(const struct repeat_case *file,
                                       const struct repeat_report *report, size_t as_is_row)
{
    const struct repeat_cell *own = &file->cells[report->rows[as_is_row].cell];
    const char *event = own->event[report->rows[as_is_row].event];
    struct settings settings = {.controlled_row = SIZE_MAX, .as_is_cell = own};
    size_t *siblings = memory_new(report->row_count, sizeof(*siblings)), count = 0;
    for (size_t row = 0; row < report->row_count; row++) {
        const struct repeat_cell *cell = &file->cells[report->rows[row].cell];
        if (cell->machine != own->machine || cell->program != own->program ||
            cell->sweep != SWEEP_NONE || strcmp(cell->source, own->source) != 0 ||
            strcmp(cell->event[report->rows[row].event], event) != 0)
            continue;
        siblings[count++] = row;
        if (__builtin_popcount(cell->controls) > __builtin_popcount(settings.controls)) {
            settings.controls = cell->controls;
            settings.controlled_row = row;
            settings.controlled_cell = cell;
        }
    }
    if (settings.controlled_row == SIZE_MAX)
        return settings;
    settings.as_is = kept_counts(own, report->rows[as_is_row].event);
    settings.controlled =
        kept_counts(settings.controlled_cell, report->rows[settings.controlled_row].event);
    for (size_t i = 0; i < count; i++) {
        const struct repeat_row *row = &report->rows[siblings[i]];
        const struct repeat_cell *cell = &file->cells[row->cell];
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
    for (enum follows what = FOLLOWS_INTERRUPTS; what <= FOLLOWS_SWITCHES; what++)
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
    /* What the settings of the one control that did it showed. */
    const struct control_part *part = &effect->parts[__builtin_ctz(did)];
    const struct kept *only = &settings->only[part->control];
    const struct kept *without = &settings->without[part->control];
    if (part->brings && only->count > 1)
        say(effect, "with it alone %s", variation(only, others, sizeof(others)));
    if (without->count > 1)
        say(effect, "with all but it %s", variation(without, others, sizeof(others)));
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

/* What varies although all is controlled. */
static void tell_rest(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    static const char *const names[] = {[FOLLOWS_INTERRUPTS] = "interrupts",
                                        [FOLLOWS_FAULTS] = "page faults",
                                        [FOLLOWS_SWITCHES] = "context switches"};
    const struct repeat_cell *cell = settings->controlled_cell;
    char words[64];
    if (!(kept_variance(&settings->controlled) > 0))
        return;
    say(effect, "%s varies whatever is controlled",
        variation(&settings->controlled, words, sizeof(words)));
    if (told->followed.what != FOLLOWS_NOTHING) {
        say(effect, "%.0f %% of that follows %s (%.3g for each)", 100 * told->followed.share,
            names[told->followed.what], told->followed.each);
        return;
    }
    if (cell_has_tasks(cell))
        say(effect, "it has several threads or processes");
    for (size_t i = 1; i < cell->runs; i++)
        if (!wrote_alike(&cell->list[i], &cell->list[0])) {
            say(effect, "what it writes differs as well");
            break;
        }
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

/* The sentence. */
static void settings_tell(const struct settings *settings, const struct told *told,
                          struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    char before[64], after[64];
    if (kept_status(settings->as_is_cell) >= STATUS_TIMEOUT ||
        kept_status(settings->controlled_cell) >= STATUS_TIMEOUT) {
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
                    const struct kept *beside, uint64_t seed, double *cv, double *shift,
                    bool *shifts, struct interval *ratio)
{
    if (setting->count < 2)
        return false;
    const double mean = kept_mean(setting);
    *cv = mean > 0 ? 100 * sqrt(kept_variance(setting)) / mean : (double)NAN;
    *shift = kept_shift(beside, setting);
    *shifts = has_shifted(beside, setting, *shift, settings->singles);
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
    if (measure(settings, only, &settings->as_is, seed, &part->only_cv, &part->only_shift,
                &part->only_shifts, &ratio)) {
        part->only_part = 1 - kept_variance(only) / as_is;
        part->only_low = 1 - ratio.high;
        part->only_high = 1 - ratio.low;
    }
    if (measure(settings, without, &settings->controlled, seed, &part->without_cv,
                &part->without_shift, &part->without_shifts, &ratio)) {
        const double rest = kept_variance(&settings->controlled) / as_is;
        part->without_part = kept_variance(without) / as_is - rest;
        part->without_low = ratio.low - rest;
        part->without_high = ratio.high - rest;
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

static void judge_effect(const struct repeat_case *file, size_t row, uint64_t seed,
                         struct repeat_report *report)
{
    const struct settings settings = settings_gather(file, report, row);
    const struct kept *as_is = &settings.as_is, *controlled = &settings.controlled;
    const double unknown = (double)NAN;
    if (settings.controlled_row == SIZE_MAX)
        return;
    struct repeat_effect *effect = &report->effects[report->effect_count++];
    *effect = (struct repeat_effect){.as_is = row, .controlled = settings.controlled_row};
    /* As-is against controlled. */
    const double above = kept_variance(as_is), below = kept_variance(controlled);
    const struct interval ratio = spread_ratio(as_is, controlled, seed);
    effect->ratio = below > 0 ? sqrt(above / below) : above > 0 ? INFINITY : unknown;
    effect->ratio_low = isnan(effect->ratio) ? unknown : sqrt(ratio.low);
    effect->ratio_high = isnan(effect->ratio) ? unknown : sqrt(ratio.high);
    struct told told = {.varies = spread_p(&as_is, 1, &controlled, 1, seed) < VARIES_LEVEL,
                        .varies_less =
                            spread_p(&controlled, 1, &as_is, 1, seed + 1) < VARIES_LEVEL};
    for (enum control control = 0; control < CONTROL_COUNT; control++) {
        struct control_part *part = &effect->parts[control];
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
        judge_part(&settings, seed, part);
        if (part->brings || part->is_needed)
            told.named |= CONTROL_BIT(control);
    }
    told.varies |= told.named != 0;
    told.followed = settings_follow(&settings, !told.varies);
    settings_tell(&settings, &told, effect);
}

void repeat_judge_controls(const struct repeat_case *file, uint64_t seed,
                           struct repeat_report *report)
{
    report->effects = memory_new(report->row_count + 1, sizeof(*report->effects));
    for (size_t row = 0; row < report->row_count; row++) {
        const struct repeat_cell *cell = &file->cells[report->rows[row].cell];
        if (cell->controls == 0 && cell->sweep == SWEEP_NONE)
            judge_effect(file, row, seed, report);
    }
}
