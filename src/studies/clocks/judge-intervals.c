/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every clock over the same intervals as the reference: a row for each kind of interval, and the
 * points of the paper's Figure 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * Do idle states matter? Sleeps with CPUs held awake against plain ones: what clocks show of them,
 * how late they end, and the sentence on it. */

/* Less than this between two ratios is no change, whatever the bounds of readings are. */
#define RATIO_CHANGE 1e-4
/* A clock that leaves this open says nothing of how well the others agree. */
#define COARSE_DOUBT 1e-3

/* By how many ns sleeps were longer than asked for. */
struct idle_sleeps {
    struct replicate_list plain, awake;
};

static bool is_sleep(const struct clock_row *row, bool awake)
{
    return strcmp(row->workload, "sleep") == 0 && row->threads == 1 && !row->moves &&
           !row->handover && row->awake == awake;
}

/* What the two ratios can differ by although nothing changed. */
static double doubt(const struct clocks_report *report, const struct clock_row *row)
{
    double ns = row->bound_ns + clock_step_ns(report, row->clock);
    return row->median_ns > 0 ? ns / row->median_ns : INFINITY;
}

struct change {
    const struct clock_row *plain, *awake; /* NULL: nothing was compared */
    double size;                           /* of the ratio, beyond doubt; 0: none */
    double largest;                        /* any, of a clock that did not change beyond doubt */
};

/* The plain sleep of the same clock that is nearest in length; NULL: none. */
static const struct clock_row *plain_like(const struct clocks_report *report,
                                          const struct clock_row *awake)
{
    const struct clock_row *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *row = &report->rows[i];
        double apart = fabs((double)row->requested_us - (double)awake->requested_us);
        if (row->clock == awake->clock && is_sleep(row, false) && apart < least) {
            nearest = row;
            least = apart;
        }
    }
    return nearest;
}

/* The clock whose ratio over sleep changes most, of those that claim to go on. */
static struct change largest_change(const struct clocks_case *file,
                                    const struct clocks_report *report)
{
    struct change found = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *awake = &report->rows[i];
        const struct clock_row *plain = is_sleep(awake, true) ? plain_like(report, awake) : NULL;
        if (!plain || file->clocks[awake->clock].role != ROLE_WALL)
            continue;
        double size = fabs(plain->ratio_median - awake->ratio_median);
        double beyond = size - doubt(report, plain) - doubt(report, awake) - RATIO_CHANGE;
        if (beyond <= 0 && doubt(report, plain) < COARSE_DOUBT)
            found.largest = fmax(found.largest, size);
        if (!found.plain || (beyond > 0 && size > found.size)) {
            found.plain = plain;
            found.awake = awake;
            found.size = beyond > 0 ? size : 0;
        }
    }
    return found;
}

/* Why no CPU was held awake, or NULL. */
static const char *why_not_held(const struct clocks_case *file)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].awake && file->watches[i].failed && file->watches[i].reason)
            return file->watches[i].reason;
    for (size_t i = 0; i < file->absence_count; i++)
        if (file->absences[i].what && strstr(file->absences[i].what, "awake"))
            return file->absences[i].reason;
    return NULL;
}

static void tell_clocks(const struct clocks_case *file, const struct change *change,
                        struct clocks_disturbances *seen)
{
    if (!change->plain)
        return;
    const double plain = change->plain->ratio_median, awake = change->awake->ratio_median;
    if (change->size > 0)
        BECAUSE(&seen->idle, SENTENCE, CLOCKS_IDLE_MATTERS, file->clocks[change->plain->clock].name,
                plain, awake);
    else
        BECAUSE(&seen->idle, SENTENCE, CLOCKS_IDLE_CHANGES_NONE, fmax(.1, 1e6 * change->largest));
}

/* How late they end stands beside it. */
static void tell_sleeps(struct overhead_median plain, struct overhead_median awake,
                        struct clocks_disturbances *seen)
{
    BECAUSE(&seen->idle, SENTENCE,
            plain.low > awake.high   ? CLOCKS_IDLE_LATER
            : plain.high < awake.low ? CLOCKS_AWAKE_LATER
                                     : CLOCKS_AWAKE_ALIKE);
}

/* Fills what concerns sleeps, and the sentence. Sorts the lists. */
static void idle_compare(const struct clocks_case *file, const struct clocks_report *report,
                         struct idle_sleeps *sleeps, struct clocks_disturbances *seen)
{
    struct overhead_median plain = replicate_median(&sleeps->plain);
    struct overhead_median awake = replicate_median(&sleeps->awake);
    seen->overslept_median_ns = plain.median;
    seen->awake_median_ns = awake.median;
    seen->overslept_max_ns =
        sleeps->plain.count ? sleeps->plain.values[sleeps->plain.count - 1] : NAN;
    seen->awake_max_ns = sleeps->awake.count ? sleeps->awake.values[sleeps->awake.count - 1] : NAN;
    if (!sleeps->plain.count)
        return;
    if (!sleeps->awake.count) {
        BECAUSE(&seen->idle, SENTENCE, CLOCKS_IDLE_UNTOLD, why_not_held(file));
        return;
    }
    struct change change = largest_change(file, report);
    tell_clocks(file, &change, seen);
    tell_sleeps(plain, awake, seen);
}

/* ----------------------------------------------------------------------------------------------
 * What host, scheduler and idle states did while clocks were watched, for which no clock is to
 * blame: stolen time, suspension, preemption, and sleeps that end late. */

/* What is gathered beside the report. */
struct gathered {
    const struct clocks_case *file;
    const struct clocks_report *report;
    struct clocks_disturbances *seen;
    bool steal_known, boot_known;
    /* boottime - monotonic at the earliest and at the latest moment, by monotonic */
    uint64_t earliest, latest;
    double first_gap, last_gap;
    struct idle_sleeps sleeps;
};

static int named_column(const struct clocks_case *file, const struct clock_watch *watch,
                        const char *name)
{
    int clock = clocks_index(file, name);
    return clock < 0 ? -1 : watch_column(watch, (uint32_t)clock);
}

static double ns_of(const struct gathered *all, const struct clock_watch *watch, int column,
                    double ticks)
{
    const struct clock_scale *scale = &all->report->scales[watch->clocks[column]];
    return ticks * (scale->known ? scale->ns_per_tick : 1);
}

/* The reference's length of an interval; NaN: it was not read. */
static double reference_ns(const struct gathered *all, const struct clock_watch *watch,
                           size_t index)
{
    int32_t reference = all->report->reference.clock;
    int column = reference < 0 ? -1 : watch_column(watch, (uint32_t)reference);
    return column < 0
               ? NAN
               : ns_of(all, watch, column, watch_interval(watch, index, (uint32_t)column).elapsed);
}

/* --- the host --- */

static void see_steal(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    int column = watch_role_column(all->file, watch, ROLE_STOLEN);
    if (column < 0)
        return;
    const uint64_t *first =
        watch->values + watch_interval_look(watch, index) * watch->columns + column;
    const uint64_t *last = first + (size_t)(WATCH_INTERVAL_LOOKS - 1) * watch->columns;
    int64_t ticks = (int64_t)(*last - *first);
    all->steal_known = true;
    if (ticks <= 0)
        return;
    all->seen->stolen_ns += ns_of(all, watch, column, (double)ticks);
    all->seen->stolen_intervals++;
}

/* --- suspension --- */

static double middle(double one, double other, double third)
{
    return fmax(fmin(one, other), fmin(fmax(one, other), third));
}

/* boottime - monotonic at a side of an interval, in ns: the middle of its three looks. */
static double gap_at(const struct gathered *all, const struct clock_watch *watch, size_t look,
                     int boot, int monotonic)
{
    double gaps[WATCH_SIDE_LOOKS];
    for (size_t i = 0; i < WATCH_SIDE_LOOKS; i++) {
        const uint64_t *row = watch->values + (look + i) * watch->columns;
        gaps[i] = ns_of(all, watch, boot, (double)(int64_t)(row[boot] - row[monotonic]));
    }
    return middle(gaps[0], gaps[1], gaps[2]);
}

static void see_suspension(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    int boot = named_column(all->file, watch, "boottime");
    int monotonic = named_column(all->file, watch, "monotonic");
    if (boot < 0 || monotonic < 0)
        return;
    size_t look = watch_interval_look(watch, index);
    double before = gap_at(all, watch, look, boot, monotonic);
    double after = gap_at(all, watch, look + WATCH_SIDE_LOOKS, boot, monotonic);
    uint64_t begin = watch->values[look * watch->columns + (size_t)monotonic];
    uint64_t end = watch->values[(look + WATCH_SIDE_LOOKS) * watch->columns + (size_t)monotonic];
    all->seen->suspended_intervals += after - before > CLOCKS_SUSPENDED_NS;
    if (!all->boot_known || begin < all->earliest) {
        all->earliest = begin;
        all->first_gap = before;
    }
    if (!all->boot_known || end > all->latest) {
        all->latest = end;
        all->last_gap = after;
    }
    all->boot_known = true;
}

/* --- scheduler and sleeps --- */

static void see_preemption(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    size_t last = watch_interval_look(watch, index) + WATCH_SIDE_LOOKS;
    all->seen->intervals++;
    all->seen->preempted += watch->accounts && watch->accounts[last].involuntary > 0;
}

static void see_interval(struct gathered *all, const struct clock_watch *watch, size_t index)
{
    double ns = reference_ns(all, watch, index);
    see_preemption(all, watch, index);
    /* Threads of an interval share the rest. */
    if (index % watch->threads != 0)
        return;
    if (ns > 0)
        all->seen->watched_ns += ns;
    see_steal(all, watch, index);
    see_suspension(all, watch, index);
    /* Every sleep is a value of its own: what is compared are sleeps, not processes. */
    struct replicate_list *sleeps = watch->awake ? &all->sleeps.awake : &all->sleeps.plain;
    if (strcmp(watch->workload, "sleep") == 0 && watch->threads == 1 && !watch->moves &&
        !watch->handover)
        replicate_add(sleeps, sleeps->count, ns - (double)watch->length * 1e3);
}

static void sum_up(struct gathered *all)
{
    struct clocks_disturbances *seen = all->seen;
    double growth = all->last_gap - all->first_gap;
    if (!all->steal_known)
        seen->stolen_ns = NAN;
    seen->suspended_ns = !all->boot_known ? NAN : growth > CLOCKS_SUSPENDED_NS ? growth : 0;
    idle_compare(all->file, all->report, &all->sleeps, seen);
}

void clocks_judge_disturbances(const struct clocks_case *file, struct clocks_report *report)
{
    struct gathered all = {.file = file, .report = report, .seen = &report->disturbances};
    report->disturbances = (struct clocks_disturbances){0};
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        for (size_t j = 0; watch->kind == WATCH_INTERVAL && j < watch_intervals(watch); j++)
            see_interval(&all, watch, j);
    }
    sum_up(&all);
}

/* Intervals of the same kind have this in common; a row is one of these for one clock. */
static int compare_kinds(const struct clock_row *left, const struct clock_row *right)
{
    int workloads = strcmp(left->workload, right->workload);
    if (workloads)
        return workloads;
    const uint64_t keys[][2] = {
        {left->threads, right->threads},           {left->moves, right->moves},
        {left->handover, right->handover},         {left->awake, right->awake},
        {left->requested_us, right->requested_us},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct clock_row *one = left, *two = right;
    if (one->clock != two->clock)
        return one->clock < two->clock ? -1 : 1;
    return compare_kinds(one, two);
}

static struct clock_row kind_of(const struct clock_watch *watch)
{
    return (struct clock_row){
        .workload = watch->workload,
        .threads = watch->threads,
        .moves = watch->moves,
        .handover = watch->handover,
        .awake = watch->awake,
        .requested_us = watch->length,
    };
}

/* What the intervals of one row add up to. */
struct row_sums {
    double *ratios, *naive, *lengths; /* [run] */
    size_t count;
};

static void add_run(struct clock_row *row, const struct interval_reading both[2], double own_scale,
                    double other_scale, struct row_sums *sums)
{
    const struct interval_reading *own = &both[0], *other = &both[1];
    double reference = other->elapsed * other_scale;
    double error = fabs(own->elapsed * own_scale - reference);
    double bound = own->bound * own_scale + other->bound * other_scale + own_scale + other_scale;
    sums->ratios[sums->count] = own->elapsed * own_scale / reference;
    sums->naive[sums->count] = own->naive * own_scale / (other->naive * other_scale);
    sums->lengths[sums->count++] = reference;
    if (error > row->max_error_ns || sums->count == 1) {
        row->max_error_ns = error;
        row->bound_ns = bound;
    }
    if (error - bound > row->beyond_ns || sums->count == 1)
        row->beyond_ns = error - bound;
}

static void add_watch(const struct clocks_case *file, const struct clocks_report *report,
                      const struct clock_watch *watch, struct clock_row *row, struct row_sums *sums)
{
    struct clock_row kind = kind_of(watch);
    int own = watch_column(watch, row->clock), other = watch_column(watch, row->reference);
    if (watch->kind != WATCH_INTERVAL || own < 0 || other < 0 || compare_kinds(&kind, row) != 0)
        return;
    for (size_t i = 0; i < watch_intervals(watch); i++) {
        struct interval_reading both[2];
        watch_interval_of_two(watch, i, (uint32_t)own, (uint32_t)other, both);
        if (interval_suspended(file, watch, i) || both[1].elapsed == 0 || both[1].naive == 0)
            continue;
        size_t last = watch_interval_look(watch, i) + WATCH_SIDE_LOOKS;
        row->preempted += watch->accounts && watch->accounts[last].involuntary > 0;
        add_run(row, both, report->scales[row->clock].ns_per_tick,
                report->scales[row->reference].ns_per_tick, sums);
    }
}

static void summarize(struct clock_row *row, const struct row_sums *sums)
{
    row->runs = sums->count;
    sort_values(sums->ratios, sums->count);
    sort_values(sums->naive, sums->count);
    sort_values(sums->lengths, sums->count);
    row->ratio_median = quantile(sums->ratios, sums->count, 0.5);
    row->ratio_min = sums->ratios[0];
    row->ratio_max = sums->ratios[sums->count - 1];
    row->naive_median = quantile(sums->naive, sums->count, 0.5);
    row->naive_min = sums->naive[0];
    row->naive_max = sums->naive[sums->count - 1];
    row->median_ns = quantile(sums->lengths, sums->count, 0.5);
    row->scatter =
        (quantile(sums->ratios, sums->count, 0.75) - quantile(sums->ratios, sums->count, 0.25)) /
        row->ratio_median;
}

static size_t all_intervals(const struct clocks_case *file)
{
    size_t sum = 0;
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == WATCH_INTERVAL)
            sum += watch_intervals(&file->watches[i]);
    return sum;
}

/* A row for every clock and kind of interval, still empty. */
static void name_rows(const struct clocks_case *file, struct clocks_report *report)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    report->rows = memory_new(file->watch_count * file->clock_count + 1, sizeof(*report->rows));
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL || watch_column(watch, reference) < 0)
            continue;
        for (uint32_t column = 0; column < watch->columns; column++) {
            uint32_t clock = watch->clocks[column];
            if (clock == reference || !clock_is_candidate(&file->clocks[clock]) ||
                !report->scales[clock].known)
                continue;
            struct clock_row *row = &report->rows[report->row_count++];
            *row = kind_of(watch);
            row->clock = clock;
            row->reference = reference;
            row->independent = clocks_independent(file, clock, reference);
        }
    }
    qsort(report->rows, report->row_count, sizeof(*report->rows), compare_rows);
    size_t kept = 0;
    for (size_t i = 0; i < report->row_count; i++)
        if (!kept || compare_rows(&report->rows[kept - 1], &report->rows[i]) != 0)
            report->rows[kept++] = report->rows[i];
    report->row_count = kept;
}

static void fill_rows(const struct clocks_case *file, struct clocks_report *report)
{
    size_t room = all_intervals(file) + 1;
    AUTO_MEMORY double *memory = memory_new(3 * room, sizeof(*memory));
    size_t kept = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        struct clock_row row = report->rows[i];
        struct row_sums sums = {memory, memory + room, memory + 2 * room, 0};
        for (size_t watch = 0; watch < file->watch_count; watch++)
            add_watch(file, report, &file->watches[watch], &row, &sums);
        if (!sums.count)
            continue;
        summarize(&row, &sums);
        report->rows[kept++] = row;
    }
    report->row_count = kept;
}

/* A point with what it is sorted by. */
struct timed_point {
    struct clock_point point;
    uint64_t when; /* the reference's reading, ticks */
};

static int compare_points(const void *left, const void *right)
{
    const struct timed_point *one = left, *two = right;
    if (one->point.clock != two->point.clock)
        return one->point.clock < two->point.clock ? -1 : 1;
    return (one->when > two->when) - (one->when < two->when);
}

static bool is_plain_sleep(const struct clock_watch *watch)
{
    return watch->kind == WATCH_INTERVAL && strcmp(watch->workload, "sleep") == 0 &&
           watch->threads == 1 && !watch->moves && !watch->handover && !watch->awake;
}

static size_t add_points(const struct clocks_case *file, const struct clocks_report *report,
                         const struct clock_watch *watch, struct timed_point *points)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    int other = watch_column(watch, reference);
    size_t count = 0;
    if (other < 0)
        return 0;
    for (uint32_t column = 0; column < watch->columns; column++) {
        uint32_t clock = watch->clocks[column];
        if (!clock_is_candidate(&file->clocks[clock]) || !report->scales[clock].known)
            continue;
        for (size_t i = 0; i < watch_intervals(watch); i++) {
            struct interval_reading both[2];
            watch_interval_of_two(watch, i, column, (uint32_t)other, both);
            points[count++] = (struct timed_point){
                .point = {.clock = clock,
                          .requested_ms = (double)watch->length * 1e-3,
                          .measured_ms = both[0].elapsed * report->scales[clock].ns_per_tick * 1e-6,
                          .reference_ms =
                              both[1].elapsed * report->scales[reference].ns_per_tick * 1e-6},
                .when =
                    watch->values[watch_interval_look(watch, i) * watch->columns + (uint32_t)other],
            };
        }
    }
    return count;
}

static void find_points(const struct clocks_case *file, struct clocks_report *report)
{
    size_t room = 1, count = 0;
    for (size_t i = 0; i < file->watch_count; i++)
        if (is_plain_sleep(&file->watches[i]))
            room += watch_intervals(&file->watches[i]) * file->watches[i].columns;
    AUTO_MEMORY struct timed_point *points = memory_new(room, sizeof(*points));
    report->points = memory_new(room, sizeof(*report->points));
    for (size_t i = 0; i < file->watch_count; i++)
        if (is_plain_sleep(&file->watches[i]))
            count += add_points(file, report, &file->watches[i], points + count);
    qsort(points, count, sizeof(*points), compare_points);
    for (size_t i = 0; i < count; i++)
        report->points[i] = points[i].point;
    report->point_count = count;
}

void clocks_judge_intervals(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].processes)
            report->looks += file->watches[i].begins[file->watches[i].processes];
    report->intervals = all_intervals(file);
    int32_t reference = report->reference.clock;
    if (reference < 0 || !report->scales[reference].known)
        return;
    name_rows(file, report);
    fill_rows(file, report);
    find_points(file, report);
}
