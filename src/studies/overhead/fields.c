/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` reports: a row a cell, and what the rows say together. */
#include <math.h>

#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What several tables share. */

static const char untold[] = "it cannot be stated from what was measured";

/* A field is called like the member, unless its name is given; then what it means, and the rest.
 * COSTS and RATIOS may be none. */
#define NAMED_FIELD(key, type, member, meaning, ...)                                               \
    {                                                                                              \
        key, AT(struct overhead_##type, member), meaning, __VA_ARGS__                              \
    }
#define FIELD(type, member, ...) NAMED_FIELD(#member, type, member, __VA_ARGS__)
#define COSTS                    .unit = UNIT_OF_EVENT, .absent = untold
#define RATIOS                   .unit = UNIT_RATIO, .absent = untold
/* The ends of a 95 % interval. */
#define ENDS(type, low, high, ...)                                                                 \
    NAMED_FIELD(#low, type, low, "lower end of its 95 % interval", __VA_ARGS__),                   \
        NAMED_FIELD(#high, type, high, "upper end of it", __VA_ARGS__)

static const struct overhead_case *case_of(const void *context)
{
    return &((const struct overhead_run *)context)->file;
}

/* Every item that is of a machine begins with its index. */
static const struct overhead_machine *machine_of(const void *item, const void *context)
{
    return &case_of(context)->machines[*(const uint32_t *)item];
}

static struct value get_machine(const void *item, const void *context)
{
    return case_of(context)->machine_count > 1 ? value_text(machine_of(item, context)->fingerprint)
                                               : value_left_out();
}

static struct value get_emulated(const void *item, const void *context)
{
    return value_flag(machine_of(item, context)->emulated);
}

PART(get_operation, struct overhead_called,
     item ? &case_of(context)->operations[item->operation] : NULL)

static struct value name_of(int32_t operation, const void *context)
{
    return value_text(operation < 0 ? NULL : case_of(context)->operations[operation].name);
}

GETTER(get_mode, struct overhead_meter, value_text(*item->mode ? item->mode : NULL))
static const char *const layouts[] = {"group", "separate"}, *const sweeps[] = {"events", "reads"};

static const struct field operation_fields[] = {
    FIELD(operation, path, "the interface that is called", .column = true),
    NAMED_FIELD("operation", operation, kind, "start, stop, read …", .column = true),
};
static const struct fields operation_table =
    FIELDS("overhead.operation", "what is called", operation_fields);

static const struct field unit_fields[] = {
    FIELD(meter, unit, "of costs", NAMED(meter_unit_names), .column = true),
    {"mode", GET(FIELD_TEXT, get_mode), "code that it counts: u, k, uk both", .nullable = true},
};
static const struct fields unit_table = FIELDS("overhead.unit", "what costs are in", unit_fields);

static const struct field meter_fields[] = {
    {.at = SPLICED(&unit_table)},
    NAMED_FIELD("meter", meter, event, "the event read around the call", .nullable = true),
};
static const struct fields meter_table = FIELDS("overhead.meter", "what is read", meter_fields);

static const struct field place_fields[] = {
    {"machine", GET(FIELD_TEXT, get_machine), "fingerprint; of several machines", .optional = true},
    {"emulated", GET(FIELD_FLAG, get_emulated), "on an emulated machine: times mean nothing"},
};
static const struct fields place_table = FIELDS("overhead.place", "where it ran", place_fields);

#define METER_OF(type, table)                                                                      \
    {                                                                                              \
        .at = {                                                                                    \
            .kind = FIELD_SPLICED,                                                                 \
            .offset = offsetof(struct overhead_##type, meter),                                     \
            .of = (table),                                                                         \
            .pointer = true                                                                        \
        }                                                                                          \
    }
#define VARIANT(type)                                                                              \
    FIELD(type, variant, "link mode, \"inline\", or the state of the page", .nullable = true,      \
          .column = true)
/* What begins with OVERHEAD_CALLED. */
#define CALLED(type)                                                                               \
    {.at = SPLICED_BY(get_operation, &operation_table)}, VARIANT(type),                            \
        FIELD(type, link, "how the program is linked", .nullable = true),                          \
        FIELD(type, counted, "what the counters count", .nullable = true),                         \
        METER_OF(type, &meter_table),                                                              \
    {                                                                                              \
        .at = SPLICED(&place_table)                                                                \
    }

/* ----------------------------------------------------------------------------------------------
 * The rows. */

static const void *level_of(const void *item, const void *context, size_t index)
{
    const struct overhead_row *row = item;
    (void)context;
    return index < row->level_count ? &row->levels[index] : NULL;
}

GETTER(get_predecessor, struct overhead_row, name_of(item->predecessor, context))
GETTER(get_predecessor_times, struct overhead_row,
       item->predecessor < 0 ? value_absent(NULL) : value_count(item->predecessor_times))
GETTER(get_position, struct overhead_row,
       item->position ? value_count(item->position) : value_absent(NULL))
GETTER(get_faults, struct overhead_row,
       item->temperature == TEMPERATURE_COLD ? value_count(item->faults) : value_absent(NULL))
static const struct field level_fields[] = {
    FIELD(level, median, "of the runs on it", COSTS),
    FIELD(level, q1, "lower quartile of them", COSTS),
    FIELD(level, q3, "upper quartile of them", COSTS),
    FIELD(level, share, "of the runs", RATIOS),
    FIELD(level, processes, "most of whose runs are on it"),
};
static const struct fields level_table =
    FIELDS("overhead.level", "a mode of the distribution of costs", level_fields);

#define UNDISTURBED .unit = UNIT_OF_EVENT, .absent = "no call of an undisturbed pass"
static const char *const deciders[] = {[LEVELS_ONE] = NULL,
                                       [LEVELS_BY_PROCESS] = "process",
                                       [LEVELS_BY_CALL] = "call",
                                       [LEVELS_BY_PREDECESSOR] = "predecessor"};
static const struct field row_fields[] = {
    CALLED(row),
    FIELD(row, events, "counters of the instrument"),
    NAMED_FIELD("layout", row, separate, "how they are opened", NAMED(layouts)),
    FIELD(row, reads, "calls in one span"),
    FIELD(row, temperature, "warm: all was called before; cold: in a fresh process",
          NAMED(temperature_names), .column = true),
    {"position", GET(FIELD_COUNT, get_position),
     "cold: which call of its kind in the process, from 1; null for warm ones", .nullable = true},
    {"predecessor", GET(FIELD_TEXT, get_predecessor),
     "the call before it; null where all of them are summed up, or none stood before",
     .nullable = true, .column = true},
    {"predecessor_times", GET(FIELD_COUNT, get_predecessor_times), "how often it was called",
     .nullable = true},
    FIELD(row, all_predecessors, "summed up over them, each weighing the same"),
    FIELD(row, processes, "that made the call undisturbed"),
    FIELD(row, runs, "undisturbed calls", .column = true),
    FIELD(row, disturbed, "calls left aside"),
    FIELD(row, disturbed_median, "of these", .unit = UNIT_OF_EVENT,
          .absent = "no pass was disturbed"),
    FIELD(row, min, "the cheapest call", UNDISTURBED),
    FIELD(row, q1, "lower quartile", UNDISTURBED),
    FIELD(row, median, "what metering costs is taken off all costs", UNDISTURBED, .column = true),
    FIELD(row, q3, "upper quartile", UNDISTURBED),
    FIELD(row, p99, "99th percentile", UNDISTURBED, .column = true),
    FIELD(row, max, "the most expensive call", UNDISTURBED),
    ENDS(row, low, high, UNDISTURBED),
    {"levels", LIST_BY(level_of, &level_table), "modes of the distribution, rising by median"},
    NAMED_FIELD("levels_by", row, levels_kind, "what decides on the mode; null where there is one",
                NAMED(deciders), .nullable = true),
    FIELD(row, outliers, "runs above q3 + 3 (q3 - q1) and 1.5 times the median"),
    FIELD(row, outliers_faulted, "of them, those that took a page fault"),
    FIELD(row, outliers_switched, "of them, those that lost the CPU"),
    {"faults", GET(FIELD_COUNT, get_faults), "page faults of all its runs",
     .absent = "the account of a warm tour is taken once a pass"},
};
static const struct fields row_table =
    FIELDS("overhead.row", "calls with the same factors", row_fields);
const struct field overhead_results = {
    "results", LIST(struct overhead_run, report.rows, report.row_count, &row_table),
    "a row for each cell: calls with the same factors"};

/* ----------------------------------------------------------------------------------------------
 * Metering. */

GETTER(get_resolution, struct overhead_timer,
       item->resolution > 0 ? value_real(item->resolution) : value_absent(NULL))
#define TIMED                                                                                      \
    .known = KNOWN(struct overhead_timer, known),                                                  \
    .absent = "no call of nothing was metered: nothing is subtracted"
static const struct field timer_fields[] = {
    METER_OF(timer, &meter_table),
    FIELD(timer, cost, "of metering, taken off every cost", TIMED),
    FIELD(timer, low, "lower end of the middle 95 % of processes", TIMED),
    FIELD(timer, high, "upper end of it", TIMED),
    {"resolution", GET(FIELD_REAL, get_resolution), "the step in which the meter counts",
     .absent = "no step was seen"},
    FIELD(timer, processes, "that metered nothing"),
    FIELD(timer, runs, "calls of nothing"),
    {.at = SPLICED(&place_table)},
};
static const struct fields timer_table =
    FIELDS("overhead.timer", "what metering itself costs", timer_fields);

#define GAUGED                                                                                     \
    .known = KNOWN(struct overhead_gauge, known),                                                  \
    .absent = "the gauge was not called: no pass can be told to be disturbed"
static const struct field gauge_fields[] = {
    METER_OF(gauge, &meter_table),
    FIELD(gauge, usual, "cost of the gauge in undisturbed passes", GAUGED),
    FIELD(gauge, limit, "passes in which it costs more were disturbed", GAUGED),
    FIELD(gauge, share, "of the passes that were", GAUGED),
    FIELD(gauge, passes, "in which it was called"),
    FIELD(gauge, why, "what disturbs, as far as it can be told"),
    {.at = SPLICED(&place_table)},
};
static const struct fields gauge_table =
    FIELDS("overhead.gauge", "whether somebody else used the core", gauge_fields);

/* ----------------------------------------------------------------------------------------------
 * First calls. */

GETTER(get_first_predecessor, struct overhead_cold, name_of(item->predecessor, context))
PART(get_in_a_row, struct overhead_cold, item->row_length ? item : NULL)

static struct value get_row_median(const void *item, const void *context, size_t index)
{
    const struct overhead_cold *cold = item;
    (void)context;
    return index < cold->row_length && index < OVERHEAD_MOST_POINTS ? value_real(cold->row[index])
                                                                    : value_absent(NULL);
}

#define AGAIN .unit = UNIT_RATIO, .absent = "there is nothing to compare"
static const struct field in_a_row_fields[] = {
    NAMED_FIELD("processes", cold, row_processes, "that made these calls"),
    NAMED_FIELD("length", cold, row_length, "calls in a row"),
    {"medians", VALUES(FIELD_REAL, get_row_median), "of the first 32 of them, over processes"},
    FIELD(cold, later, "median of the second to the last", .unit = UNIT_OF_EVENT,
          .absent = "there is nothing to compare"),
    NAMED_FIELD("ratio", cold, later_ratio, "of these to the first, within processes", AGAIN),
    NAMED_FIELD("low", cold, later_low, "lower end of its 95 % interval", AGAIN),
    NAMED_FIELD("high", cold, later_high, "upper end of it", AGAIN),
    FIELD(cold, settled_ratio, "of the second half to the second call", AGAIN),
    ENDS(cold, settled_low, settled_high, AGAIN),
    FIELD(cold, declines, "later calls are cheaper than the first, beyond chance"),
    FIELD(cold, goes_on, "and cheaper than the second"),
};
static const struct fields in_a_row_table = FIELDS(
    "overhead.in_a_row", "the same call again and again in a fresh process", in_a_row_fields);

static const struct field cold_fields[] = {
    CALLED(cold),
    FIELD(cold, events, "counters of the instrument"),
    {"predecessor", GET(FIELD_TEXT, get_first_predecessor), "the call before; null: none was",
     .nullable = true},
    FIELD(cold, opening, "nothing of its instrument was called before it"),
    FIELD(cold, processes, "fresh ones that made the call"),
    FIELD(cold, runs, "calls of it"),
    FIELD(cold, outlier_count, "calls that are outliers"),
    FIELD(cold, first, "median of the first call of a process", COSTS),
    FIELD(cold, second, "median of the second", .unit = UNIT_OF_EVENT,
          .absent = "it was called once a process"),
    FIELD(cold, warm, "median once all was called before", .unit = UNIT_OF_EVENT,
          .absent = "it was not measured warm"),
    FIELD(cold, extra, "what the first costs beyond warm, or the second", .unit = UNIT_OF_EVENT,
          .absent = "there is nothing to compare the first call with"),
    ENDS(cold, low, high, COSTS),
    FIELD(cold, ratio, "first over warm, or the second", RATIOS),
    ENDS(cold, ratio_low, ratio_high, RATIOS),
    FIELD(cold, faulted, "of the first calls, those that took a page fault", RATIOS),
    FIELD(cold, faults, "page faults of a first call, on average", .absent = untold),
    FIELD(cold, outliers, "of the runs", RATIOS),
    FIELD(cold, outliers_explained, "of these, those with more faults or switches than usual",
          .unit = UNIT_RATIO, .absent = "there are no outliers"),
    {"in_a_row", OBJECT_BY(get_in_a_row, &in_a_row_table), "the call repeated, nothing between",
     .absent = "it was not called again and again with nothing between"},
};
static const struct fields cold_table =
    FIELDS("overhead.cold", "the first calls of fresh processes", cold_fields);

/* ----------------------------------------------------------------------------------------------
 * Sweeps. */

GETTER(get_events, struct overhead_slope,
       item->by_reads ? value_count(item->fixed) : value_left_out())
GETTER(get_reads, struct overhead_slope,
       item->by_reads ? value_left_out() : value_count(item->fixed))
static const void *point_of(const void *item, const void *context, size_t index)
{
    const struct overhead_slope *slope = item;
    (void)context;
    return index < slope->points ? &slope->measured[index] : NULL;
}

static const struct field point_fields[] = {
    FIELD(point, count, "events, or reads in a row"),
    FIELD(point, median, "over processes", COSTS),
};
static const struct fields point_table =
    FIELDS("overhead.point", "what it costs at one count", point_fields);

#define BENT .absent = "too few points, or no growth, to tell how the line bends"
#define APART                                                                                      \
    .unit = UNIT_OF_EVENT,                                                                         \
    .absent = "the least count does not stand apart from a line through the others"
static const struct field slope_fields[] = {
    CALLED(slope),
    NAMED_FIELD("by", slope, by_reads, "what the count is of", NAMED(sweeps)),
    NAMED_FIELD("layout", slope, separate, "how the counters are opened", NAMED(layouts)),
    {"events", GET(FIELD_COUNT, get_events), "by reads: open counters", .optional = true},
    {"reads", GET(FIELD_COUNT, get_reads), "by events: calls in one span", .optional = true},
    {"points", LIST_BY(point_of, &point_table), "rising by count"},
    FIELD(slope, processes, "that were measured"),
    FIELD(slope, exact, "processes do not differ: the interval has no width"),
    FIELD(slope, paired, "every process has all counts"),
    FIELD(slope, base, "of the fitted line, at a count of 0", COSTS),
    FIELD(slope, slope, "what each further one adds", COSTS),
    ENDS(slope, low, high, COSTS),
    FIELD(slope, exponent, "power of the count by which the cost grows; 1 is straight", BENT),
    ENDS(slope, exponent_low, exponent_high, BENT),
    FIELD(slope, one, "median at the least count", COSTS),
    FIELD(slope, most, "median at the greatest count", COSTS),
    FIELD(slope, miss, "how far the line is off at most, as a part of that point", RATIOS),
    FIELD(slope, step, "what a line through the others says of the least, beyond its cost", APART),
    FIELD(slope, rest_slope, "slope of that line", APART),
    ENDS(slope, rest_low, rest_high, APART),
    FIELD(slope, most_count, "the greatest count"),
    FIELD(slope, straight, "nothing speaks against a straight line"),
    FIELD(slope, first_apart, "not straight, but a line fits all counts above the least"),
};
static const struct fields slope_table =
    FIELDS("overhead.sweep", "cost by number of events, or of reads in a row", slope_fields);

/* ----------------------------------------------------------------------------------------------
 * Machines, peers, advice. */

/* The sum of two meters has no event. */
GETTER(get_meter, struct overhead_machine_row, value_text(item->total ? NULL : item->meter->event))
GETTER(get_reference, struct overhead_machine_row,
       value_text(item->has_ratio ? case_of(context)->machines[item->reference].fingerprint : NULL))
GETTER(get_seen, struct overhead_machine_row,
       isfinite(item->seen)
           ? value_real(item->seen)
           : value_absent(item->meter->unit == METER_INSTRUCTIONS ? NULL : "it was not counted"))
#define COMPARED                                                                                   \
    .known = KNOWN(struct overhead_machine_row, has_ratio), .unit = UNIT_RATIO,                    \
    .absent = "no other machine has it"
static const struct field machine_row_fields[] = {
    {.at = SPLICED_BY(get_operation, &operation_table)},
    VARIANT(machine_row),
    METER_OF(machine_row, &unit_table),
    {"meter", GET(FIELD_TEXT, get_meter), "the event; null for the sum of two", .nullable = true},
    FIELD(machine_row, processes, "that made the call"),
    {"reference", GET(FIELD_TEXT, get_reference), "fingerprint of the machine the ratio is to",
     .nullable = true},
    FIELD(machine_row, median, "of warm calls, over processes", COSTS),
    ENDS(machine_row, low, high, COSTS),
    FIELD(machine_row, ratio, "to the reference", COMPARED),
    ENDS(machine_row, ratio_low, ratio_high, COMPARED),
    FIELD(machine_row, differs, "from the reference, beyond what processes differ by"),
    FIELD(machine_row, hidden,
          "counters missed part of the call, because the operating system halts them while it "
          "switches others; the clock of an emulated machine counted all of it, and the figures of "
          "kernel code are the clock's minus those of user code"),
    {"seen", GET(FIELD_REAL, get_seen), "the median of what the counters saw of it",
     .absent = "no other meter says that counters missed any"},
};
static const struct fields machine_row_table =
    FIELDS("overhead.machine_row", "what a call costs on one machine", machine_row_fields);

GETTER(get_tick, struct overhead_machine,
       item->tick > 0 ? value_real(item->tick)
                      : value_absent(item->tick_why.count ? reasons_text(&item->tick_why)
                                     : item->emulated     ? "its clock was not read"
                                                          : NULL))
static const void *machine_row_of(const void *item, const void *context, size_t index)
{
    const struct overhead_run *run = context;
    const uint32_t machine = (uint32_t)((const struct overhead_machine *)item - run->file.machines);
    for (size_t i = 0; i < run->report.machine_row_count; i++)
        if (run->report.machines[i].machine == machine && !index--)
            return &run->report.machines[i];
    return NULL;
}

static const struct field machine_fields[] = {
    FIELD(machine, fingerprint, "of the machine"),
    FIELD(machine, name, "of its CPU, with the architecture"),
    FIELD(machine, cpu, "model", .nullable = true),
    FIELD(machine, os, "release of its Linux", .nullable = true),
    FIELD(machine, emulated, "its times mean nothing, its counts do"),
    {"instructions_per_tick", GET(FIELD_REAL, get_tick),
     "what a tick of its emulated clock takes, by the gauge; spans in ticks were turned into "
     "instructions by it",
     .absent = "time is no count of instructions"},
    {"rows", LIST_BY(machine_row_of, &machine_row_table), "its calls"},
};
static const struct fields compared_table =
    FIELDS("overhead.machine", "one of the machines side by side", machine_fields);

static const struct field peer_fields[] = {
    FIELD(peer, path, "the interface"),
    VARIANT(peer),
    FIELD(peer, what, "the task"),
    FIELD(peer, bare_path, "who does the same by bare calls"),
    METER_OF(peer, &meter_table),
    FIELD(peer, processes, "of the peer"),
    FIELD(peer, paired, "ratios are of processes that did both"),
    FIELD(peer, cost, "of the task through the peer", COSTS),
    FIELD(peer, bare, "of the same by bare calls", COSTS),
    FIELD(peer, ratio, "of the two", RATIOS),
    ENDS(peer, low, high, RATIOS),
    {.at = SPLICED(&place_table)},
};
static const struct fields peer_table =
    FIELDS("overhead.peer", "what another interface costs in units of the bare calls", peer_fields);

static const struct field advice_fields[] = {
    FIELD(advice, text, "what to do, and the figures that say so", .zero = true),
    {.at = SPLICED(&place_table)},
};
static const struct fields advice_table =
    FIELDS("overhead.advice", "what certainly saves something here", advice_fields);

/* --- all of it --- */

#define OF(member, count, table) LIST(struct overhead_run, report.member, report.count, table)
static const struct field analysis_fields[] = {
    {"calls", AT(struct overhead_run, report.calls), "that were metered"},
    {"processes", AT(struct overhead_run, report.processes), "that made them"},
    {"seconds", AT(struct overhead_run, studying.seconds), "that it all took", .unit = UNIT_S},
    {"complete", AT(struct overhead_run, studying.complete), "every visit of the plan has ended"},
    {"store", AT(struct overhead_run, studying.stored), "the samples' file", .nullable = true},
    {"timer", OF(timers, timer_count, &timer_table), "of each machine and meter"},
    {"gauge", OF(gauges, gauge_count, &gauge_table), "of each machine and meter"},
    {"cold", OF(cold, cold_count, &cold_table), "first calls"},
    {"sweeps", OF(slopes, slope_count, &slope_table), "cost by a count"},
    {"machines", LIST(struct overhead_run, file.machines, file.machine_count, &compared_table),
     "side by side"},
    {"peers", OF(peers, peer_count, &peer_table), "other interfaces against bare calls"},
    {"advice", OF(advice, advice_count, &advice_table), "the most useful first"},
};
const struct fields overhead_analysis =
    FIELDS("overhead.analysis", "what the rows say together", analysis_fields);
