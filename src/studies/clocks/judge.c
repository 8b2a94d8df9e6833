/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of clocks: its parts, one after the other. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * The case of clocks. */

const char *const clock_role_names[CLOCK_ROLES] = {
    [ROLE_WALL] = "wall",   [ROLE_CPU_TIME] = "cpu-time", [ROLE_CYCLES] = "cycles",
    [ROLE_PLACE] = "place", [ROLE_STOLEN] = "stolen",
};

int clocks_index(const struct clocks_case *file, const char *name)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (strcmp(file->clocks[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool clock_is_candidate(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL || clock->role == ROLE_CPU_TIME || clock->role == ROLE_CYCLES;
}

bool clock_was_measured(const struct clocks_report *report, uint32_t clock)
{
    bool measured = report->costs[clock].known || report->granularities[clock].known ||
                    report->monotonic[clock].known || report->offsets[clock].known ||
                    report->rates[clock][0].known;
    for (size_t i = 0; i < report->row_count && !measured; i++)
        measured = report->rows[i].clock == clock;
    return measured;
}

int watch_column(const struct clock_watch *watch, uint32_t clock)
{
    for (uint32_t column = 0; column < watch->columns; column++)
        if (watch->clocks[column] == clock)
            return (int)column;
    return -1;
}

int watch_role_column(const struct clocks_case *file, const struct clock_watch *watch,
                      enum clock_role role)
{
    for (uint32_t column = 0; column < watch->columns; column++)
        if (file->clocks[watch->clocks[column]].role == role)
            return (int)column;
    return -1;
}

bool clock_is_counter(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL && !clock->external && clock->way &&
           strcmp(clock->way, "instruction") == 0;
}

int clocks_counter(const struct clocks_case *file)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (clock_is_counter(&file->clocks[i]))
            return (int)i;
    return -1;
}

/* ----------------------------------------------------------------------------------------------
 * Intervals of a watch, read clock by clock. Two looks in opposite orders turn at one moment,
 * which lies between the two readings of every clock. Either side of an interval has two such
 * pairs. All clocks must use the same one, or their moments would differ by the length of a look.
 */

size_t watch_intervals(const struct clock_watch *watch)
{
    return watch->processes ? watch->begins[watch->processes] / WATCH_INTERVAL_LOOKS : 0;
}

size_t watch_interval_look(const struct clock_watch *watch, size_t index)
{
    (void)watch;
    return index * WATCH_INTERVAL_LOOKS;
}

static uint64_t value_of(const struct clock_watch *watch, size_t look, uint32_t column)
{
    return watch->values[look * watch->columns + column];
}

/* How far the clock went from one look to another; negative: it went back. */
static double went(const struct clock_watch *watch, size_t from, size_t to, uint32_t column)
{
    return (double)(int64_t)(value_of(watch, to, column) - value_of(watch, from, column));
}

/* By how much its later pair of a side is wider than its earlier one, −1 … 1. A cold or interrupted
 * look widens the pairs of all clocks, whatever their rates, so shares can be added where ticks
 * cannot. */
static double leaning(const struct clock_watch *watch, size_t side, uint32_t column)
{
    double early = fabs(went(watch, side, side + 1, column));
    double late = fabs(went(watch, side + 1, side + 2, column));
    return early + late > 0 ? (late - early) / (early + late) : 0;
}

static struct interval_reading read_between(const struct clock_watch *watch, size_t index,
                                            uint32_t column, size_t begin, size_t end)
{
    size_t first = watch_interval_look(watch, index);
    double begin_width = went(watch, begin, begin + 1, column);
    double end_width = went(watch, end, end + 1, column);
    return (struct interval_reading){
        .elapsed = went(watch, begin, end, column) + (end_width - begin_width) / 2,
        .naive = went(watch, first, first + WATCH_SIDE_LOOKS, column),
        .bound = (fabs(begin_width) + fabs(end_width)) / 2,
    };
}

struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column)
{
    size_t looks[2];
    for (size_t end = 0; end < 2; end++) {
        size_t side = watch_interval_look(watch, index) + end * WATCH_SIDE_LOOKS;
        double sum = 0;
        for (uint32_t i = 0; i < watch->columns; i++)
            sum += leaning(watch, side, i);
        looks[end] = sum >= 0 ? side : side + 1;
    }
    return read_between(watch, index, column, looks[0], looks[1]);
}

/* What the looks of a side take by this clock: of the quicker side, which was not interrupted as
 * far as can be told. From its first to its last look every clock sees the same time, so widths in
 * this unit can be added whatever the rates; shares of their own sum cannot, because a clock whose
 * pairs differ by nature would outvote one that was interrupted. */
static double looking_time(const struct clock_watch *watch, size_t index, uint32_t column)
{
    size_t begin = watch_interval_look(watch, index), end = begin + WATCH_SIDE_LOOKS;
    return fmin(fabs(went(watch, begin, end - 1, column)),
                fabs(went(watch, end, end + WATCH_SIDE_LOOKS - 1, column)));
}

/* By how much its later pair of a side is wider than its earlier one. */
static double excess(const struct clock_watch *watch, size_t index, size_t side, uint32_t column)
{
    double unit = looking_time(watch, index, column);
    double early = fabs(went(watch, side, side + 1, column));
    double late = fabs(went(watch, side + 1, side + 2, column));
    return unit > 0 ? (late - early) / unit : leaning(watch, side, column);
}

size_t watch_interval_pair(const struct clock_watch *watch, size_t index, bool end, uint32_t one,
                           uint32_t other)
{
    size_t side = watch_interval_look(watch, index) + (end ? WATCH_SIDE_LOOKS : 0);
    return excess(watch, index, side, one) + excess(watch, index, side, other) >= 0 ? side
                                                                                    : side + 1;
}

void watch_interval_of_two(const struct clock_watch *watch, size_t index, uint32_t one,
                           uint32_t other, struct interval_reading readings[2])
{
    size_t begin = watch_interval_pair(watch, index, false, one, other);
    size_t end = watch_interval_pair(watch, index, true, one, other);
    readings[0] = read_between(watch, index, one, begin, end);
    readings[1] = read_between(watch, index, other, begin, end);
}

/* ----------------------------------------------------------------------------------------------
 * What clocks are compared with, and what that proves: agreement of two clocks that are made of
 * the same counter proves nothing about it. */

/* Words that name one counter. Prefixes: "hyperv_clocksource_tsc_page" and its like. */
static const struct {
    const char *prefix, *family;
} families[] = {
    {"tsc", "tsc"},         {"kvm-clock", "tsc"},
    {"xen", "tsc"},         {"hyperv", "tsc"},
    {"cntvct", "cntvct"},   {"arch_sys_counter", "cntvct"},
    {"rdtime", "rdtime"},   {"riscv_clocksource", "rdtime"},
    {"hpet", "hpet"},       {"acpi_pm", "acpi_pm"},
    {"rtc", "rtc"},         {"ptp", "ptp"},
    {"outside", "outside"},
};

/* NULL: nobody knows what it is made of. */
static const char *family_of(const struct clocks_case *file, uint32_t clock)
{
    const char *hardware = file->clocks[clock].hardware;
    if (!hardware || file->clocks[clock].external)
        return NULL;
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (strncmp(hardware, families[i].prefix, strlen(families[i].prefix)) == 0)
            return families[i].family;
    return NULL;
}

/* A program that emulates a machine makes all of its counters from one time; what it passes on from
 * its host is the time of day. */
static bool made_by_program(const char *family)
{
    return strcmp(family, "outside") != 0 && strcmp(family, "rtc") != 0;
}

bool clocks_independent(const struct clocks_case *file, uint32_t one, uint32_t other)
{
    const char *family = family_of(file, one), *others = family_of(file, other);
    if (!family || !others || strcmp(family, others) == 0)
        return false;
    return !(file->emulated && made_by_program(family) && made_by_program(others));
}

bool clocks_one_family(const struct clocks_case *file, uint32_t one, uint32_t other)
{
    const char *family = family_of(file, one), *others = family_of(file, other);
    return family && others && strcmp(family, others) == 0;
}

/* Is it read around intervals? */
static bool stands_around_intervals(const struct clocks_case *file, uint32_t clock)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == WATCH_INTERVAL && watch_column(&file->watches[i], clock) >= 0)
            return true;
    return false;
}

/* The clock that all others are suspected to be: the CPU's own counter, or, where nobody may read
 * that, the operating system's. -1: none. */
static int suspect(const struct clocks_case *file)
{
    int counter = clocks_counter(file), raw = clocks_index(file, "monotonic-raw");
    return counter >= 0 ? counter : raw >= 0 ? raw : clocks_index(file, "monotonic-raw-syscall");
}

static const char *const own_counters[] = {"hpet", "ptp"};
static const char *const of_the_system[] = {
    "monotonic-raw", "monotonic-raw-syscall", "monotonic", "monotonic-syscall", "boottime",
    "realtime",
};
#define LENGTH(list) (sizeof(list) / sizeof(*(list)))

/* The first of these that stands around intervals and is independent of `of`; -1 as `of`: any. */
static int first_of(const struct clocks_case *file, const char *const *names, size_t count, int of)
{
    for (size_t i = 0; i < count; i++) {
        int clock = clocks_index(file, names[i]);
        if (clock >= 0 && stands_around_intervals(file, (uint32_t)clock) &&
            (of < 0 || clocks_independent(file, (uint32_t)clock, (uint32_t)of)))
            return clock;
    }
    return -1;
}

static int choose(const struct clocks_case *file, bool *independent)
{
    int of = suspect(file);
    *independent = true;
    int clock = of < 0 ? -1 : first_of(file, of_the_system, LENGTH(of_the_system), of);
    if (clock < 0 && of >= 0)
        clock = first_of(file, own_counters, LENGTH(own_counters), of);
    if (clock >= 0)
        return clock;
    *independent = false;
    clock = first_of(file, of_the_system, LENGTH(of_the_system), -1);
    for (size_t i = 0; i < file->clock_count && clock < 0; i++)
        if (file->clocks[i].role == ROLE_WALL && !file->clocks[i].external && file->clocks[i].hz &&
            stands_around_intervals(file, (uint32_t)i))
            clock = (int)i;
    return clock;
}

static int clock_of_kind(const struct clocks_case *file, enum watch_kind kind)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == kind && file->watches[i].columns && file->watches[i].processes)
            return (int)file->watches[i].clocks[0];
    return -1;
}

/* The controller's clock tells nothing new where it is this machine's own. */
static int outside_clock(const struct clocks_case *file)
{
    int clock = clock_of_kind(file, WATCH_OUTSIDE);
    const char *family = clock < 0 ? NULL : family_of(file, (uint32_t)clock);
    return family && strcmp(family, "outside") == 0 ? clock : -1;
}

/* refuted: the clock that would have been it; -1: none. */
static void explain(const struct clocks_case *file, bool independent, int32_t refuted,
                    struct clocks_reference *reference)
{
    struct reasons *why = &reference->why;
    if (reference->clock < 0) {
        BECAUSE(why, CLAUSE, CLOCKS_NO_REFERENCE);
        return;
    }
    const struct clock_known *clock = &file->clocks[reference->clock];
    const char *outside = reference->outside >= 0 ? "the controller's clock (outside)" : NULL;
    const char *rtc = reference->rtc >= 0 ? file->clocks[reference->rtc].name : NULL;
    if (refuted >= 0)
        BECAUSE(why, CLAUSE, CLOCKS_FIRST_REFUTED, clock->name, file->clocks[refuted].name);
    else if (independent)
        BECAUSE(why, CLAUSE, CLOCKS_OTHER_COUNTER, clock->name, clock->hardware);
    else
        BECAUSE(why, CLAUSE, CLOCKS_SAME_SOURCE, clock->name,
                file->clocksource && *file->clocksource ? file->clocksource : "unknown");
    if (outside || rtc)
        BECAUSE(why, CLAUSE, CLOCKS_RATES_BESIDE, outside ? outside : rtc, outside ? rtc : NULL);
    else if (!independent)
        BECAUSE(why, CLAUSE, CLOCKS_COULD_TELL);
}

/* instead: a clock to take where the usual one was refuted; -1: it was not. */
static void clocks_find_reference(const struct clocks_case *file, int32_t instead,
                                  struct clocks_report *report)
{
    bool independent = false;
    const int32_t usual = choose(file, &independent);
    report->reference.clock = instead < 0 ? usual : instead;
    report->reference.outside = outside_clock(file);
    report->reference.rtc = clock_of_kind(file, WATCH_EDGES);
    explain(file, independent, instead < 0 ? -1 : usual, &report->reference);
}

/* --- whether it was the reference --- */

/* A single counter is behind all of them: who of its clothes is alone against the others is at
 * fault. Two others at least, or it would be word against word. */
static bool reference_was_off(const struct clocks_case *file, const struct clocks_report *report,
                              const struct clock_watch *watch, size_t index)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    int other = watch_column(watch, reference);
    size_t clocks = 0, behind = 0, ahead = 0;
    double low = INFINITY, high = -INFINITY, slack = 0;
    for (uint32_t column = 0; column < watch->columns && other >= 0; column++) {
        uint32_t clock = watch->clocks[column];
        const struct clock_known *known = &file->clocks[clock];
        if (clock == reference || known->role != ROLE_WALL || known->external || !known->hz ||
            clocks_independent(file, clock, reference) ||
            clock_step_ns(report, clock) > CLOCKS_COARSE_NS)
            continue;
        double own_scale = report->scales[clock].ns_per_tick;
        double other_scale = report->scales[reference].ns_per_tick;
        struct interval_reading both[2];
        watch_interval_of_two(watch, index, column, (uint32_t)other, both);
        double off = both[0].elapsed * own_scale - both[1].elapsed * other_scale;
        double own_slack = both[0].bound * own_scale + both[1].bound * other_scale +
                           CLOCKS_INTERVAL_PPM * 1e-6 * fabs(both[0].elapsed * own_scale) + 1000;
        clocks++;
        ahead += off > own_slack;
        behind += off < -own_slack;
        low = fmin(low, off);
        high = fmax(high, off);
        slack = fmax(slack, own_slack);
    }
    return clocks >= 2 && (ahead == clocks || behind == clocks) && high - low <= 2 * slack;
}

bool *reference_faults_find(const struct clocks_case *file, const struct clocks_report *report,
                            size_t *faults)
{
    bool *left_out = memory_new(report->intervals + 1, sizeof(*left_out));
    size_t number = 0;
    *faults = 0;
    if (report->reference.clock < 0 || !report->scales[report->reference.clock].known)
        return left_out;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL)
            continue;
        for (size_t j = 0; j < watch_intervals(watch); j++, number++) {
            bool suspended = interval_suspended(file, watch, j);
            bool off = !suspended && reference_was_off(file, report, watch, j);
            left_out[number] = suspended || off;
            *faults += off;
        }
    }
    return left_out;
}

/* ----------------------------------------------------------------------------------------------
 * Ticks of every clock as time: by what is claimed of it, or by how it ran while something was
 * computed. The median keeps out intervals that were interrupted, and wraps. */

struct ratios {
    double *values; /* reference ns for each tick */
    size_t count, refused;
};

static bool is_plain_compute(const struct clock_watch *watch)
{
    return strcmp(watch->workload, "compute") == 0 && watch->threads == 1 && !watch->moves &&
           !watch->handover;
}

static void add_ratio(struct ratios *ratios, double ns, double ticks)
{
    if (ns > 0 && ticks > 0)
        ratios->values[ratios->count++] = ns / ticks;
    else
        ratios->refused++;
}

static void add_intervals(const struct clock_watch *watch, uint32_t clock, uint32_t reference,
                          double ns_per_tick, struct ratios *ratios)
{
    int own = watch_column(watch, clock), other = watch_column(watch, reference);
    if (own < 0 || other < 0)
        return;
    for (size_t i = 0; i < watch_intervals(watch); i++)
        add_ratio(ratios, watch_interval(watch, i, (uint32_t)other).elapsed * ns_per_tick,
                  watch_interval(watch, i, (uint32_t)own).elapsed);
}

/* Blocks of readings are short: a clock that wraps often still goes forward over most of them. */
static void add_blocks(const struct clock_watch *watch, uint32_t clock,
                       const struct clock_known *meter, struct ratios *ratios)
{
    if (watch->columns != ROW_COLUMNS || watch->clocks[ROW_FIRST] != clock || !meter->hz)
        return;
    for (size_t look = 0; look < watch->begins[watch->processes]; look++) {
        const uint64_t *row = watch->values + look * watch->columns;
        add_ratio(ratios,
                  (double)(int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]) * 1e9 / (double)meter->hz,
                  (double)(int64_t)(row[ROW_LAST] - row[ROW_FIRST]));
    }
}

enum { BY_COMPUTE, BY_ANY, BY_BLOCKS, WAYS };

static void gather(const struct clocks_case *file, uint32_t clock, uint32_t reference, int way,
                   struct ratios *ratios)
{
    double ns_per_tick = 1e9 / (double)file->clocks[reference].hz;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!watch->processes)
            continue;
        if (way == BY_BLOCKS && watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS)
            add_blocks(watch, clock, &file->clocks[watch->clocks[ROW_BEFORE]], ratios);
        else if (way != BY_BLOCKS && watch->kind == WATCH_INTERVAL &&
                 (way == BY_ANY || is_plain_compute(watch)))
            add_intervals(watch, clock, reference, ns_per_tick, ratios);
    }
}

static void calibrate(const struct clocks_case *file, uint32_t clock, uint32_t reference,
                      struct clock_scale *scale)
{
    size_t room = 1;
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].processes)
            room += file->watches[i].begins[file->watches[i].processes];
    AUTO_MEMORY double *values = memory_new(room, sizeof(*values));
    struct ratios ratios = {.values = values};
    for (int way = 0; way < WAYS && !scale->known; way++) {
        ratios.count = ratios.refused = 0;
        gather(file, clock, reference, way, &ratios);
        /* where so many go back, those that do not are no better */
        bool sound = ratios.refused * 20 <= ratios.count;
        if (!ratios.count || (!sound && way != BY_BLOCKS))
            continue;
        sort_values(ratios.values, ratios.count);
        scale->ns_per_tick = quantile(ratios.values, ratios.count, 0.5);
        scale->known = true;
    }
}

static void find(const struct clocks_case *file, const struct clocks_report *report, uint32_t clock,
                 struct clock_scale *scale)
{
    const struct clock_known *known = &file->clocks[clock];
    scale->step_ticks = clock_step_find(file, clock);
    if (known->role == ROLE_PLACE)
        return;
    uint64_t hz = strcmp(known->way, "controller") == 0 ? 1000000000 : known->hz;
    if (hz) {
        *scale = (struct clock_scale){.known = true,
                                      .ns_per_tick = 1e9 / (double)hz,
                                      .claimed = true,
                                      .step_ticks = scale->step_ticks};
        return;
    }
    int32_t reference = report->reference.clock;
    if (reference >= 0 && reference != (int32_t)clock && file->clocks[reference].hz)
        calibrate(file, clock, (uint32_t)reference, scale);
}

static void clocks_find_scales(const struct clocks_case *file, struct clocks_report *report)
{
    for (uint32_t clock = 0; clock < file->clock_count; clock++)
        find(file, report, clock, &report->scales[clock]);
}

/* ----------------------------------------------------------------------------------------------
 * Medians over processes. */

void replicate_add(struct replicate_list *list, size_t process, double value)
{
    if (isnan(value))
        return;
    size_t count = list->count;
    *memory_add(list->processes, count) = process;
    *memory_add(list->values, list->count) = value;
}

struct overhead_median replicate_median(struct replicate_list *list)
{
    size_t medians = 0;
    for (size_t begin = 0, end; begin < list->count; begin = end) {
        for (end = begin; end < list->count && list->processes[end] == list->processes[begin];)
            end++;
        sort_values(list->values + begin, end - begin);
        /* Never beyond what was read already: a process has a value at least. */
        double median = quantile(list->values + begin, end - begin, .5);
        list->values[medians++] = median;
    }
    list->count = medians;
    return overhead_median_of(list->values, medians);
}

const char *const clock_trust_names[CLOCK_TRUSTS] = {
    [TRUST_DEPENDABLE] = "dependable",
    [TRUST_CPU_TIME_ONLY] = "cpu-time only",
    [TRUST_NOT_DEPENDABLE] = "not dependable",
    [TRUST_NOT_FALSIFIABLE] = "not falsifiable here",
};
const char *const clock_fault_names[CLOCK_FAULTS] = {
    [FAULT_NONE] = "none",
    [FAULT_WRONG_RATE] = "wrong-rate",
    [FAULT_STOPS_DURING_SLEEP] = "stops-during-sleep",
    [FAULT_JUMPS_BETWEEN_CPUS] = "jumps-between-cpus",
    [FAULT_STEPS_BACKWARDS] = "steps-backwards",
    [FAULT_WRAPS] = "wraps",
    [FAULT_COARSE_STEPS] = "coarse-steps",
    [FAULT_COUNTS_OTHER_THREADS] = "counts-other-threads",
    [FAULT_VARIES_WITH_FREQUENCY] = "varies-with-frequency",
    [FAULT_SCATTERS] = "scatters",
};

static void judge_rates(const struct clocks_case *file, int32_t instead,
                        struct clocks_report *report)
{
    static clocks_judge_part *const parts[] = {
        clocks_find_scales,       clocks_judge_intervals,    clocks_judge_costs,
        clocks_judge_granularity, clocks_judge_monotonicity, clocks_judge_pairs,
        clocks_judge_rates,
    };
    const size_t count = file->clock_count + 1;
    *report =
        (struct clocks_report){.scales = memory_new(count, sizeof(*report->scales)),
                               .costs = memory_new(count, sizeof(*report->costs)),
                               .granularities = memory_new(count, sizeof(*report->granularities)),
                               .monotonic = memory_new(count, sizeof(*report->monotonic)),
                               .offsets = memory_new(count, sizeof(*report->offsets)),
                               .rates = memory_new(count, sizeof(*report->rates)),
                               .same = memory_new(count, sizeof(*report->same)),
                               .verdicts = memory_new(count, sizeof(*report->verdicts))};
    clocks_find_reference(file, instead, report);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](file, report);
}

void clocks_judge(const struct clocks_case *file, uint64_t seed, struct clocks_report *report)
{
    judge_rates(file, -1, report);
    const int32_t better = clocks_better_reference(file, report);
    if (better >= 0)
        judge_rates(file, better, report);
    clocks_find_same(file, report);
    clocks_judge_disturbances(file, report);
    clocks_judge_trust(file, report);
    clocks_advise(file, report);
    clocks_judge_findings(file, seed, report);
}
