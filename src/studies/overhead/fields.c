/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` reports: a row a cell, and what the rows say together. */
#include <math.h>

#include "studies/overhead/parts.h"

#define ROW(kept) ((const struct overhead_row *)(kept))

/* ----------------------------------------------------------------------------------------------
 * What several tables share. */

static const struct overhead_case *case_of(const void *context)
{
    return &((const struct overhead_run *)context)->file;
}

/* Every item that is of a machine begins with its index; of those that are of an operation the
 * index of that follows. */
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

static const void *get_operation(const void *item, const void *context)
{
    return item ? &case_of(context)->operations[((const uint32_t *)item)[1]] : NULL;
}

static struct value name_of(int32_t operation, const void *context)
{
    return value_text(operation < 0 ? NULL : case_of(context)->operations[operation].name);
}

static const char *const layouts[] = {"group", "separate"}, *const sweeps[] = {"events", "reads"};

#define VARIANT(type)                                                                              \
    {                                                                                              \
        "variant", AT(type, variant),                                                              \
            "link mode where the call goes to a library, \"inline\" where it does not, the state " \
            "of the "                                                                              \
            "page for reads in user code",                                                         \
            .nullable = true, .column = true                                                       \
    }
#define LINKED(type)                                                                               \
    {                                                                                              \
        "link", AT(type, link), "how the program is linked", .nullable = true                      \
    }
#define COUNTED(type)                                                                              \
    {                                                                                              \
        "counted", AT(type, counted), "what the counters of the call count", .nullable = true      \
    }
#define METERED(type)                                                                              \
    {                                                                                              \
        .at = {                                                                                    \
            .kind = FIELD_SPLICED,                                                                 \
            .offset = offsetof(type, meter),                                                       \
            .of = &meter_table,                                                                    \
            .pointer = true                                                                        \
        }                                                                                          \
    }
/* A number that there may be none of. */
#define COSTS(place) place, .unit = UNIT_OF_EVENT, .absent = untold
#define SHARE(place) place, .unit = UNIT_RATIO, .absent = untold

static const char untold[] = "it cannot be stated from what was measured";

static const struct field operation_fields[] = {
    {"path", AT(struct overhead_operation, path), "the interface that is called", .column = true},
    {"operation", AT(struct overhead_operation, kind), "the kind of call: start, stop, read …",
     .column = true},
};
static const struct fields operation_table =
    FIELDS("overhead.operation", "what is called", operation_fields);

static struct value get_mode(const void *item, const void *context)
{
    const struct overhead_meter *meter = item;
    (void)context;
    return value_text(*meter->mode ? meter->mode : NULL);
}

static const struct field unit_fields[] = {
    {"unit", AT(struct overhead_meter, unit), "of the costs", NAMED(meter_unit_names),
     .column = true},
    {"mode", GET(FIELD_TEXT, get_mode),
     "which code it counts: u user, k kernel, uk both; null where it has no modes",
     .nullable = true},
};
static const struct fields unit_table = FIELDS("overhead.unit", "what costs are in", unit_fields);

static const struct field meter_fields[] = {
    {.at = SPLICED(&unit_table)},
    {"meter", AT(struct overhead_meter, event), "the event that was read before and after the call",
     .nullable = true},
};
static const struct fields meter_table =
    FIELDS("overhead.meter", "what was read around a call", meter_fields);

static const struct field place_fields[] = {
    {"machine", GET(FIELD_TEXT, get_machine),
     "fingerprint; only where several machines were judged together", .optional = true},
    {"emulated", GET(FIELD_FLAG, get_emulated), "on an emulated machine, whose times mean nothing"},
};
static const struct fields place_table = FIELDS("overhead.place", "where it ran", place_fields);

/* ----------------------------------------------------------------------------------------------
 * The rows. */

static const void *level_of(const void *item, const void *context, size_t index)
{
    (void)context;
    return index < ROW(item)->level_count ? &ROW(item)->levels[index] : NULL;
}

static struct value get_predecessor(const void *item, const void *context)
{
    return name_of(ROW(item)->predecessor, context);
}

static struct value get_predecessor_times(const void *item, const void *context)
{
    (void)context;
    return ROW(item)->predecessor < 0 ? value_absent(NULL)
                                      : value_count(ROW(item)->predecessor_times);
}

static struct value get_position(const void *item, const void *context)
{
    (void)context;
    return ROW(item)->position ? value_count(ROW(item)->position) : value_absent(NULL);
}

static struct value get_faults(const void *item, const void *context)
{
    (void)context;
    return ROW(item)->temperature == TEMPERATURE_COLD ? value_count(ROW(item)->faults)
                                                      : value_absent(NULL);
}

static const struct field level_fields[] = {
    {"median", COSTS(AT(struct overhead_level, median)), "of the runs on it"},
    {"q1", COSTS(AT(struct overhead_level, q1)), "lower quartile of them"},
    {"q3", COSTS(AT(struct overhead_level, q3)), "upper quartile of them"},
    {"share", SHARE(AT(struct overhead_level, share)), "of the runs"},
    {"processes", AT(struct overhead_level, processes), "most of whose runs are on it"},
};
static const struct fields level_table =
    FIELDS("overhead.level", "a mode of the distribution of costs", level_fields);

static const char no_runs[] = "no call of an undisturbed pass";
#define COST_AT(member) AT(struct overhead_row, member), .unit = UNIT_OF_EVENT, .absent = no_runs
static const char *const deciders[] = {[LEVELS_ONE] = NULL,
                                       [LEVELS_BY_PROCESS] = "process",
                                       [LEVELS_BY_CALL] = "call",
                                       [LEVELS_BY_PREDECESSOR] = "predecessor"};
static const struct field row_fields[] = {
    {.at = SPLICED_BY(get_operation, &operation_table)},
    VARIANT(struct overhead_row),
    LINKED(struct overhead_row),
    COUNTED(struct overhead_row),
    {"events", AT(struct overhead_row, events), "counters of the instrument"},
    {"layout", AT(struct overhead_row, separate), "how they are opened", NAMED(layouts)},
    {"reads", AT(struct overhead_row, reads), "calls in one span"},
    {"temperature", AT(struct overhead_row, temperature),
     "warm: all was called before; cold: calls of a fresh process", NAMED(temperature_names),
     .column = true},
    {"position", GET(FIELD_COUNT, get_position),
     "cold: number of the call among those of its kind in its process, from 1; null for warm ones",
     .nullable = true},
    {"predecessor", GET(FIELD_TEXT, get_predecessor),
     "the call before it; null where all of them are summed up, or none stood before",
     .nullable = true, .column = true},
    {"predecessor_times", GET(FIELD_COUNT, get_predecessor_times),
     "how often that was called in a row", .nullable = true},
    {"all_predecessors", AT(struct overhead_row, all_predecessors),
     "summed up over predecessors, each weighing the same"},
    METERED(struct overhead_row),
    {.at = SPLICED(&place_table)},
    {"processes", AT(struct overhead_row, processes), "that made the call undisturbed"},
    {"runs", AT(struct overhead_row, runs), "undisturbed calls", .column = true},
    {"disturbed", AT(struct overhead_row, disturbed), "calls left aside"},
    {"disturbed_median", AT(struct overhead_row, disturbed_median), "of these",
     .unit = UNIT_OF_EVENT, .absent = "no pass was disturbed"},
    {"min", COST_AT(min), "the cheapest call"},
    {"q1", COST_AT(q1), "lower quartile"},
    {"median", COST_AT(median), "what metering costs is taken off here and in all other costs",
     .column = true},
    {"q3", COST_AT(q3), "upper quartile"},
    {"p99", COST_AT(p99), "99th percentile", .column = true},
    {"max", COST_AT(max), "the most expensive call"},
    {"low", COST_AT(low), "lower end of the 95 % interval of the median, over processes"},
    {"high", COST_AT(high), "upper end of it"},
    {"levels", LIST_BY(level_of, &level_table),
     "modes of the distribution, rising by median; one where there is no more than one"},
    {"levels_by", AT(struct overhead_row, levels_kind),
     "what decides on the mode: a process stays on one, calls of a process change between them, or "
     "(of a summary) what was called before; null where there is one",
     NAMED(deciders), .nullable = true},
    {"outliers", AT(struct overhead_row, outliers),
     "runs above q3 + 3 (q3 - q1) and 1.5 times the median"},
    {"outliers_faulted", AT(struct overhead_row, outliers_faulted),
     "of them, those that took a page fault"},
    {"outliers_switched", AT(struct overhead_row, outliers_switched),
     "of them, those that lost the CPU"},
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

#define TIMED .known = KNOWN(struct overhead_timer, known), .absent = no_timer
static const char no_timer[] = "no call of nothing was metered: nothing is subtracted";
static struct value get_resolution(const void *item, const void *context)
{
    const struct overhead_timer *timer = item;
    (void)context;
    return timer->resolution > 0 ? value_real(timer->resolution) : value_absent(NULL);
}

static const struct field timer_fields[] = {
    METERED(struct overhead_timer),
    {"cost", AT(struct overhead_timer, cost), "of metering, taken off every cost", TIMED},
    {"low", AT(struct overhead_timer, low), "lower end of the middle 95 % of processes", TIMED},
    {"high", AT(struct overhead_timer, high), "upper end of it", TIMED},
    {"resolution", GET(FIELD_REAL, get_resolution), "the step in which the meter counts",
     .absent = "no step was seen"},
    {"processes", AT(struct overhead_timer, processes), "that metered nothing"},
    {"runs", AT(struct overhead_timer, runs), "calls of nothing"},
    {.at = SPLICED(&place_table)},
};
static const struct fields timer_table =
    FIELDS("overhead.timer", "what metering itself costs", timer_fields);

#define GAUGED .known = KNOWN(struct overhead_gauge, known), .absent = no_gauge
static const char no_gauge[] = "the gauge was not called: no pass can be told to be disturbed";
static const struct field gauge_fields[] = {
    METERED(struct overhead_gauge),
    {"usual", AT(struct overhead_gauge, usual), "cost of the gauge in undisturbed passes", GAUGED},
    {"limit", AT(struct overhead_gauge, limit), "passes in which it costs more were disturbed",
     GAUGED},
    {"share", AT(struct overhead_gauge, share), "of the passes that were", GAUGED},
    {"passes", AT(struct overhead_gauge, passes), "in which it was called"},
    {"why", AT(struct overhead_gauge, why), "what disturbs, as far as it can be told"},
    {.at = SPLICED(&place_table)},
};
static const struct fields gauge_table =
    FIELDS("overhead.gauge", "whether somebody else used the core, by a fixed block of code",
           gauge_fields);

/* ----------------------------------------------------------------------------------------------
 * First calls. */

#define COLD(member) AT(struct overhead_cold, member)
#define ALONE(member)                                                                              \
    AT(struct overhead_cold, member), .unit = UNIT_RATIO, .absent = "there is nothing to compare"

static struct value get_first_predecessor(const void *item, const void *context)
{
    return name_of(((const struct overhead_cold *)item)->predecessor, context);
}

static const void *get_in_a_row(const void *item, const void *context)
{
    (void)context;
    return ((const struct overhead_cold *)item)->row_length ? item : NULL;
}

static struct value get_row_median(const void *item, const void *context, size_t index)
{
    const struct overhead_cold *cold = item;
    (void)context;
    return index < cold->row_length && index < OVERHEAD_MOST_POINTS ? value_real(cold->row[index])
                                                                    : value_absent(NULL);
}

static const struct field in_a_row_fields[] = {
    {"processes", COLD(row_processes), "that made these calls"},
    {"length", COLD(row_length), "calls in a row"},
    {"medians", VALUES(FIELD_REAL, get_row_median), "of the first 32 of them, over processes"},
    {"later", COLD(later), "median of the second to the last", .unit = UNIT_OF_EVENT,
     .absent = "there is nothing to compare"},
    {"ratio", ALONE(later_ratio), "of these to the first, within processes"},
    {"low", ALONE(later_low), "lower end of its 95 % interval"},
    {"high", ALONE(later_high), "upper end of it"},
    {"settled_ratio", ALONE(settled_ratio), "of the second half to the second call"},
    {"settled_low", ALONE(settled_low), "lower end of its 95 % interval"},
    {"settled_high", ALONE(settled_high), "upper end of it"},
    {"declines", COLD(declines), "later calls are cheaper than the first, beyond chance"},
    {"goes_on", COLD(goes_on), "and cheaper than the second"},
};
static const struct fields in_a_row_table = FIELDS(
    "overhead.in_a_row", "the same call again and again in a fresh process", in_a_row_fields);

static const struct field cold_fields[] = {
    {.at = SPLICED_BY(get_operation, &operation_table)},
    VARIANT(struct overhead_cold),
    LINKED(struct overhead_cold),
    METERED(struct overhead_cold),
    COUNTED(struct overhead_cold),
    {"events", COLD(events), "counters of the instrument"},
    {"predecessor", GET(FIELD_TEXT, get_first_predecessor),
     "the call before the first; null where none stood before", .nullable = true},
    {"opening", COLD(opening), "nothing of its instrument was called before it"},
    {"processes", COLD(processes), "fresh ones that made the call"},
    {"runs", COLD(runs), "calls of it"},
    {"outlier_count", COLD(outlier_count), "calls that are outliers"},
    {"first", COSTS(COLD(first)), "median of the first call of a process", .column = true},
    {"second", COLD(second), "median of the second", .unit = UNIT_OF_EVENT,
     .absent = "it was called once a process", .column = true},
    {"warm", COLD(warm), "median once all was called before", .unit = UNIT_OF_EVENT,
     .absent = "it was not measured warm", .column = true},
    {"extra", COLD(extra), "what the first costs beyond warm, or the second", .unit = UNIT_OF_EVENT,
     .absent = "there is nothing to compare the first call with"},
    {"low", COSTS(COLD(low)), "lower end of its 95 % interval"},
    {"high", COSTS(COLD(high)), "upper end of it"},
    {"ratio", SHARE(COLD(ratio)), "first over warm, or the second"},
    {"ratio_low", SHARE(COLD(ratio_low)), "lower end of its 95 % interval"},
    {"ratio_high", SHARE(COLD(ratio_high)), "upper end of it"},
    {"faulted", SHARE(COLD(faulted)), "of the first calls, those that took a page fault"},
    {"faults", COLD(faults), "page faults of a first call, on average", .absent = untold,
     .column = true},
    {"outliers", SHARE(COLD(outliers)), "of the runs"},
    {"outliers_explained", COLD(outliers_explained),
     "of these, those with more faults or switches than usual", .unit = UNIT_RATIO,
     .absent = "there are no outliers"},
    {"in_a_row", OBJECT_BY(get_in_a_row, &in_a_row_table), "the call repeated, nothing between",
     .absent = "it was not called again and again with nothing between"},
    {.at = SPLICED(&place_table)},
};
static const struct fields cold_table =
    FIELDS("overhead.cold", "the first calls of fresh processes", cold_fields);

/* ----------------------------------------------------------------------------------------------
 * Sweeps. */

#define SLOPE(member) AT(struct overhead_slope, member)
#define BENT(member)                                                                               \
    AT(struct overhead_slope, member),                                                             \
        .absent = "too few points, or no growth, to tell how the line bends"
#define APART(member)                                                                              \
    AT(struct overhead_slope, member),                                                             \
        .unit = UNIT_OF_EVENT,                                                                     \
        .absent = "the least count does not stand apart from a line through the others"

static struct value get_events(const void *item, const void *context)
{
    const struct overhead_slope *slope = item;
    (void)context;
    return slope->by_reads ? value_count(slope->fixed) : value_left_out();
}

static struct value get_reads(const void *item, const void *context)
{
    const struct overhead_slope *slope = item;
    (void)context;
    return slope->by_reads ? value_left_out() : value_count(slope->fixed);
}

static const void *point_of(const void *item, const void *context, size_t index)
{
    const struct overhead_slope *slope = item;
    (void)context;
    return index < slope->points ? &slope->measured[index] : NULL;
}

static const struct field point_fields[] = {
    {"count", AT(struct overhead_point, count), "events, or reads in a row"},
    {"median", COSTS(AT(struct overhead_point, median)), "over processes"},
};
static const struct fields point_table =
    FIELDS("overhead.point", "what it costs at one count", point_fields);

static const struct field slope_fields[] = {
    {.at = SPLICED_BY(get_operation, &operation_table)},
    VARIANT(struct overhead_slope),
    LINKED(struct overhead_slope),
    METERED(struct overhead_slope),
    {"by", SLOPE(by_reads), "what the count is of", NAMED(sweeps)},
    {"layout", SLOPE(separate), "how the counters are opened", NAMED(layouts)},
    COUNTED(struct overhead_slope),
    {"events", GET(FIELD_COUNT, get_events), "by reads: counters of the instrument",
     .optional = true},
    {"reads", GET(FIELD_COUNT, get_reads), "by events: calls in one span", .optional = true},
    {"points", LIST_BY(point_of, &point_table), "rising by count"},
    {"processes", SLOPE(processes), "that were measured"},
    {"exact", SLOPE(exact), "processes do not differ: the interval has no width"},
    {"paired", SLOPE(paired), "every process has all counts"},
    {"base", COSTS(SLOPE(base)), "of the fitted line, at a count of 0"},
    {"slope", COSTS(SLOPE(slope)), "what each further one adds"},
    {"low", COSTS(SLOPE(low)), "lower end of its 95 % interval"},
    {"high", COSTS(SLOPE(high)), "upper end of it"},
    {"exponent", BENT(exponent), "power of the count by which the cost grows; 1 is straight"},
    {"exponent_low", BENT(exponent_low), "lower end of its 95 % interval"},
    {"exponent_high", BENT(exponent_high), "upper end of it"},
    {"one", COSTS(SLOPE(one)), "median at the least count"},
    {"most", COSTS(SLOPE(most)), "median at the greatest count"},
    {"miss", SHARE(SLOPE(miss)), "how far the line is off at most, as a part of that point"},
    {"step", APART(step), "what a line through the others says of the least, beyond its cost"},
    {"rest_slope", APART(rest_slope), "slope of that line"},
    {"rest_low", APART(rest_low), "lower end of its 95 % interval"},
    {"rest_high", APART(rest_high), "upper end of it"},
    {"most_count", SLOPE(most_count), "the greatest count"},
    {"straight", SLOPE(straight), "nothing speaks against a straight line"},
    {"first_apart", SLOPE(first_apart), "not straight, but a line fits all counts above the least"},
    {.at = SPLICED(&place_table)},
};
static const struct fields slope_table =
    FIELDS("overhead.sweep", "cost by number of events, or of reads in a row", slope_fields);

/* ----------------------------------------------------------------------------------------------
 * Machines, peers, advice. */

#define MACHINE_ROW(member) AT(struct overhead_machine_row, member)
#define COMPARED(member)                                                                           \
    AT(struct overhead_machine_row, member),                                                       \
        .known = KNOWN(struct overhead_machine_row, has_ratio), .unit = UNIT_RATIO,                \
        .absent = "no other machine has it"

/* The sum of two meters has no event. */
static struct value get_meter(const void *item, const void *context)
{
    const struct overhead_machine_row *row = item;
    (void)context;
    return value_text(row->total ? NULL : row->meter->event);
}

static struct value get_reference(const void *item, const void *context)
{
    const struct overhead_machine_row *row = item;
    return value_text(row->has_ratio ? case_of(context)->machines[row->reference].fingerprint
                                     : NULL);
}

static struct value get_seen(const void *item, const void *context)
{
    const struct overhead_machine_row *row = item;
    (void)context;
    if (isfinite(row->seen))
        return value_real(row->seen);
    return value_absent(row->meter->unit == METER_INSTRUCTIONS ? NULL : "it was not counted");
}

static const struct field machine_row_fields[] = {
    {"path", MACHINE_ROW(path), "the interface that is called"},
    VARIANT(struct overhead_machine_row),
    {"operation", MACHINE_ROW(kind), "the kind of call"},
    {.at = {.kind = FIELD_SPLICED,
            .offset = offsetof(struct overhead_machine_row, meter),
            .of = &unit_table,
            .pointer = true}},
    {"meter", GET(FIELD_TEXT, get_meter),
     "the event that was read around the call; null for the sum of two", .nullable = true},
    {"processes", MACHINE_ROW(processes), "that made the call"},
    {"reference", GET(FIELD_TEXT, get_reference), "fingerprint of the machine the ratio is to",
     .nullable = true},
    {"median", COSTS(MACHINE_ROW(median)), "of warm calls, over processes"},
    {"low", COSTS(MACHINE_ROW(low)), "lower end of its 95 % interval"},
    {"high", COSTS(MACHINE_ROW(high)), "upper end of it"},
    {"ratio", COMPARED(ratio), "to the reference"},
    {"ratio_low", COMPARED(ratio_low), "lower end of its 95 % interval"},
    {"ratio_high", COMPARED(ratio_high), "upper end of it"},
    {"differs", MACHINE_ROW(differs), "from the reference, beyond what processes differ by"},
    {"hidden", MACHINE_ROW(hidden),
     "counters missed part of the call, because the operating system halts them while it switches "
     "others; the clock of an emulated machine counted all of it, and the figures of kernel code "
     "are the clock's minus those of user code"},
    {"seen", GET(FIELD_REAL, get_seen), "the median of what the counters saw of it",
     .absent = "no other meter says that counters missed any"},
};
static const struct fields machine_row_table =
    FIELDS("overhead.machine_row", "what a call costs on one machine", machine_row_fields);

static struct value get_tick(const void *item, const void *context)
{
    const struct overhead_machine *machine = item;
    (void)context;
    if (machine->tick > 0)
        return value_real(machine->tick);
    return value_absent(machine->tick_why.count ? reasons_text(&machine->tick_why)
                        : machine->emulated     ? "its clock was not read"
                                                : NULL);
}

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
    {"fingerprint", AT(struct overhead_machine, fingerprint), "of the machine"},
    {"name", AT(struct overhead_machine, name), "of its CPU, with the architecture"},
    {"cpu", AT(struct overhead_machine, cpu), "model", .nullable = true},
    {"os", AT(struct overhead_machine, os), "release of its Linux", .nullable = true},
    {"emulated", AT(struct overhead_machine, emulated), "its times mean nothing, its counts do"},
    {"instructions_per_tick", GET(FIELD_REAL, get_tick),
     "what a tick of its emulated clock takes, by the gauge; spans in ticks were turned into "
     "instructions by it",
     .absent = "time is no count of instructions"},
    {"rows", LIST_BY(machine_row_of, &machine_row_table), "its calls"},
};
static const struct fields compared_table =
    FIELDS("overhead.machine", "one of the machines side by side", machine_fields);

#define PEER(member) AT(struct overhead_peer, member)
static const struct field peer_fields[] = {
    {"path", PEER(path), "the interface"},
    VARIANT(struct overhead_peer),
    {"what", PEER(what), "the task"},
    {"bare_path", PEER(bare_path), "who does the same by bare calls"},
    METERED(struct overhead_peer),
    {"processes", PEER(processes), "of the peer"},
    {"paired", PEER(paired), "ratios are of processes that did both"},
    {"cost", COSTS(PEER(cost)), "of the task through the peer"},
    {"bare", COSTS(PEER(bare)), "of the same by bare calls"},
    {"ratio", SHARE(PEER(ratio)), "of the two"},
    {"low", SHARE(PEER(low)), "lower end of its 95 % interval"},
    {"high", SHARE(PEER(high)), "upper end of it"},
    {.at = SPLICED(&place_table)},
};
static const struct fields peer_table =
    FIELDS("overhead.peer", "what another interface costs in units of the bare calls", peer_fields);

static const struct field advice_fields[] = {
    {"text", AT(struct overhead_advice, text), "what to do, and the figures that say so",
     .zero = true},
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
    {"store", AT(struct overhead_run, studying.stored), "the file of the samples",
     .nullable = true},
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
