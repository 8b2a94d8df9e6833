/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` says, key by key: a row for a clock over one kind of interval, and around the
 * rows what all of them say together, with what is known of each clock. */
#include <math.h>

#include "base/memory.h"
#include "studies/clocks/parts.h"

/* --- names of clocks --- */

/* -1: there is none. */
static struct value name_of(const struct clocks_run *run, int32_t clock)
{
    return value_text(clock >= 0 ? clocks_name(&run->file, (uint32_t)clock) : NULL);
}

struct value clocks_first(const void *item, const void *context)
{
    const struct clocks_run *run = context;
    return value_text(clocks_name(&run->file, *(const uint32_t *)item));
}

/* --- rows --- */

static struct value row_reference(const void *item, const void *context)
{
    const struct clocks_run *run = context;
    return value_text(clocks_name(&run->file, ((const struct clock_row *)item)->reference));
}

struct value clocks_requested(const void *item, const void *context)
{
    (void)context;
    return value_real((double)((const struct clock_row *)item)->requested_us / 1000);
}

static struct value row_trust(const void *item, const void *context)
{
    const struct clocks_run *run = context;
    return value_text(
        clock_trust_names[run->report.verdicts[((const struct clock_row *)item)->clock].trust]);
}

#define OF_ROW(member) AT(struct clock_row, member)
#define ONE_OF_TRUST   .names = clock_trust_names, .name_count = CLOCK_TRUSTS
#define RATIO          .unit = UNIT_RATIO, .absent = "no interval of it was whole"
#define LENGTH         .unit = UNIT_NS, .absent = "no interval of it was whole"
#define COLUMN         .column = true
#define OR_NULL        .nullable = true
static const struct field row_fields[] = {
    {"clock", GET(FIELD_TEXT, clocks_first), "the clock", COLUMN},
    {"reference", GET(FIELD_TEXT, row_reference),
     "the clock that was read around the same intervals"},
    {"reference_independent", OF_ROW(independent),
     "it is made of another counter than the clock, as far as can be known; agreement proves "
     "something only then"},
    {"workload", OF_ROW(workload),
     "what happened in the interval: sleep, compute, spin, yield, faults, pipe", COLUMN},
    {"threads", OF_ROW(threads), "so many did the same at the same time", COLUMN},
    {"requested_ms", GET(FIELD_REAL, clocks_requested), "how long it was to take", .unit = UNIT_MS,
     .title = "requested", COLUMN},
    {"runs", OF_ROW(runs), "intervals, of all threads and processes", COLUMN},
    {"ratio_median", OF_ROW(ratio_median), "clock over reference, by readings around one moment",
     RATIO, COLUMN},
    {"ratio_min", OF_ROW(ratio_min), "the least of them", RATIO, COLUMN},
    {"ratio_max", OF_ROW(ratio_max), "the largest", RATIO, COLUMN},
    {"max_error_ns", OF_ROW(max_error_ns), "the largest difference of the two", LENGTH,
     .title = "most off", COLUMN},
    {"trust", GET(FIELD_TEXT, row_trust), "how far it can be trusted", ONE_OF_TRUST, COLUMN},
    {"moves", OF_ROW(moves), "forced changes of CPU between its ends"},
    {"handover", OF_ROW(handover), "another thread ended it"},
    {"awake", OF_ROW(awake), "CPUs were kept from idle states"},
    {"naive_median", OF_ROW(naive_median), "the ratio in the paper's order of reading", RATIO},
    {"naive_min", OF_ROW(naive_min), "the least of them", RATIO},
    {"naive_max", OF_ROW(naive_max), "the largest", RATIO},
    {"bound_ns", OF_ROW(bound_ns), "how far the readings around it can be apart", LENGTH},
    {"beyond_ns", OF_ROW(beyond_ns),
     "the largest difference less its bound; not positive: none is certain", LENGTH},
    {"scatter", OF_ROW(scatter), "(q3 - q1) / median of the ratios", RATIO},
    {"median_ns", OF_ROW(median_ns), "the interval by the reference", LENGTH},
    {"preempted", OF_ROW(preempted), "runs with involuntary switches"},
};
static const struct fields row_table =
    FIELDS("clocks.row", "a clock over one kind of interval", row_fields);
const struct field clocks_results = {
    "results", LIST(struct clocks_run, report.rows, report.row_count, &row_table)};

/* --- one clock: what it claims --- */

static struct value claimed_hz(const void *item, const void *context)
{
    (void)context;
    const uint64_t hz = ((const struct clock_known *)item)->hz;
    return hz ? value_count(hz) : value_absent(NULL);
}

static struct value claimed_resolution(const void *item, const void *context)
{
    (void)context;
    const double ns = ((const struct clock_known *)item)->resolution_ns;
    return value_real(ns > 0 ? ns : (double)NAN);
}

static const struct field claim_fields[] = {
    {"hz", GET(FIELD_COUNT, claimed_hz), "ticks a second", .unit = UNIT_HZ,
     .absent = "nobody claims any rate"},
    {"by", AT(struct clock_known, claim), "who says how fast it runs", OR_NULL},
    {"resolution_ns", GET(FIELD_REAL, claimed_resolution), "how finely it tells time",
     .unit = UNIT_NS, .absent = "the operating system does not say"},
    {"steered", AT(struct clock_known, steered), "the operating system adjusts its rate"},
};
static const struct fields claim_table =
    FIELDS("clocks.claims", "what is said of a clock", claim_fields);

GETTER(note_of, struct clock_known, value_text(item->note && * item->note ? item->note : NULL))

static const struct field known_fields[] = {
    {"clock", AT(struct clock_known, name), "its name"},
    {"role", AT(struct clock_known, role), "what it claims to tell", .names = clock_role_names,
     .name_count = ROLE_CYCLES + 1},
    {"way", AT(struct clock_known, way), "how it is read: instruction, vdso, syscall …", OR_NULL},
    {"hardware", AT(struct clock_known, hardware), "the counter that it is made of", OR_NULL},
    {"note", GET(FIELD_TEXT, note_of), "what else is to be known of it", OR_NULL},
    {"external", AT(struct clock_known, external), "it is a person's own"},
};
static const struct fields known_table = FIELDS("clocks.known", "a clock", known_fields);

/* --- the verdict on it --- */

static struct value fault_of(const void *item, const void *context)
{
    (void)context;
    const enum clock_fault fault = ((const struct clock_verdict *)item)->fault;
    return value_text(fault ? clock_fault_names[fault] : NULL);
}

static struct value fault_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const uint32_t faults = ((const struct clock_verdict *)item)->faults;
    for (size_t i = FAULT_NONE + 1; i < CLOCK_FAULTS; i++)
        if (faults & 1u << i && !index--)
            return value_text(clock_fault_names[i]);
    return value_absent(NULL);
}

static struct value worst_workload(const void *item, const void *context)
{
    const struct clock_row *worst = clocks_worst_row(context, item);
    return value_text(worst ? worst->workload : NULL);
}

static const struct field verdict_fields[] = {
    {"trust", AT(struct clock_verdict, trust), "how far it can be trusted", ONE_OF_TRUST,
     .absent = "it was not judged"},
    {"fault", GET(FIELD_TEXT, fault_of), "the one that explains most",
     .names = clock_fault_names + FAULT_NONE + 1, .name_count = CLOCK_FAULTS - 1, OR_NULL},
    {"faults", VALUES(FIELD_TEXT, fault_at), "all that were found"},
    {"why", AT(struct clock_verdict, why), "what decided", OR_NULL},
    {"worst_ratio", AT(struct clock_verdict, worst_ratio), "the ratio that is farthest from 1",
     .unit = UNIT_RATIO, .absent = "it was compared over no interval"},
    {"shortest_us", AT(struct clock_verdict, shortest_us),
     "the shortest interval that it tells to 1 %", .unit = UNIT_US,
     .absent = "it tells no interval to 1 %"},
    {"worst_workload", GET(FIELD_TEXT, worst_workload), "what happened in that interval", OR_NULL},
};
static const struct fields verdict_table =
    FIELDS("clocks.verdict", "how far a clock can be trusted", verdict_fields);

/* --- what was measured of it --- */

#define OPEN .unit = UNIT_PPM, .absent = "its readings leave it open"
static const struct field rate_fields[] = {
    {"against", GET(FIELD_TEXT, clocks_first), "the other clock"},
    {"independent", AT(struct clock_rate, independent), "that is made of another counter"},
    {"ppm", AT(struct clock_rate, ppm), "beyond the rate that it claims", OPEN},
    {"low", AT(struct clock_rate, low), "at 95 %, with the bounds of the readings", OPEN},
    {"high", AT(struct clock_rate, high), "upper end of that", OPEN},
    {"against_claim", AT(struct clock_rate, against_claim),
     "false: it claims none, and is held to how it ran in computation"},
    {"tells", AT(struct clock_rate, tells), "it differs for sure, or is known to 10 ppm"},
    {"span_s", AT(struct clock_rate, span_s), "the time over which they were compared",
     .unit = UNIT_S},
};
static const struct fields rate_table =
    FIELDS("clocks.rate", "how fast a clock runs against another", rate_fields);

#define NO_RATE .unit = UNIT_PPM, .absent = "nothing was there to compare its rate with"
static const struct field best_rate_fields[] = {
    {"rate_ppm", AT(struct clock_rate, ppm),
     "beyond its claim, by something independent where there is any", NO_RATE},
    {"rate_low_ppm", AT(struct clock_rate, low), "lower end of its 95 % interval", NO_RATE},
    {"rate_high_ppm", AT(struct clock_rate, high), "upper end of it", NO_RATE},
};
static const struct fields best_rate_table =
    FIELDS("clocks.best-rate", "the rate that says most", best_rate_fields);

static const void *rate_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct clock_rate *rates = ((const struct clock_seen *)item)->rates;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (rates[i].known && !index--)
            return &rates[i];
    return NULL;
}

static struct value is_monotonic(const void *item, const void *context)
{
    (void)context;
    const struct clock_monotonic *order = &((const struct clock_seen *)item)->monotonic;
    return value_flag(!order->backward);
}

static struct value is_monotonic_across(const void *item, const void *context)
{
    (void)context;
    const struct clock_monotonic *order = &((const struct clock_seen *)item)->monotonic;
    return value_flag(!order->cross_backward);
}

static struct value wrap_of(const void *item, const void *context)
{
    (void)context;
    const struct clock_monotonic *order = &((const struct clock_seen *)item)->monotonic;
    return value_real(order->wrapped ? order->wrap_ticks : (double)NAN);
}

static struct value same_as(const void *item, const void *context)
{
    const struct clock_same *same = &((const struct clock_seen *)item)->same;
    return name_of(context, same->known && same->same ? (int32_t)same->with : -1);
}

static const char no_row[] = "it was not read in a row";
static const char no_step[] = "no step of it was seen";
static const char no_pair[] = "no two CPUs compared their readings of it";
static const char no_other[] = "it was compared with no clock of the same rate";

#define TICKS .unit = UNIT_TICKS
/* NOLINTBEGIN(bugprone-macro-parentheses): members of members */
#define IN(part, member) AT(struct clock_seen, part.member)
#define KNOWN_BY(part)   .known = KNOWN(struct clock_seen, part.known)
/* NOLINTEND(bugprone-macro-parentheses) */
#define NO_ROW        KNOWN_BY(cost), .unknown = no_row, .absent = "no tick can be read here"
#define NO_STEP       KNOWN_BY(granularity), .absent = no_step
#define NO_PAIR       KNOWN_BY(offsets), .absent = no_pair
#define NO_OTHER      KNOWN_BY(same), .absent = no_other
#define OR_ZERO(part) KNOWN_BY(part), .zero = true
#define ACROSS        .known = KNOWN(struct clock_seen, monotonic.cross_known)
static const struct field seen_fields[] = {
    {NULL, SPLICED_BEHIND(struct clock_seen, clock, &known_table)},
    {"claims", OBJECT_BEHIND(struct clock_seen, clock, &claim_table), "what is said of it"},
    {NULL, SPLICED_BEHIND(struct clock_seen, verdict, &verdict_table)},
    /* cost and granularity */
    {"cost_ticks", IN(cost, ticks), "one reading, in ticks of the CPU's counter", TICKS, NO_ROW},
    {"cost_low_ticks", IN(cost, low), "lower end of its 95 % interval", TICKS, NO_ROW},
    {"cost_high_ticks", IN(cost, high), "upper end of it", TICKS, NO_ROW},
    {"cost_ns", IN(cost, ns), "one reading", .unit = UNIT_NS, KNOWN_BY(cost), .absent = no_row},
    {"blocks", IN(cost, blocks), "rows of readings by which the cost is known", OR_ZERO(cost)},
    {"resolution_ns", IN(granularity, resolution_ns),
     "how finely it tells time: its usual step where several readings see the same, else what it "
     "counts in",
     .unit = UNIT_NS, NO_STEP},
    {"step_ticks", IN(granularity, step_ticks), "the smallest step that was seen", TICKS, NO_STEP},
    {"usual_step_ticks", IN(granularity, usual_ticks), "the median step", TICKS, NO_STEP},
    {"quantum_ticks", IN(granularity, quantum_ticks),
     "what it counts in: what all distances are multiples of", TICKS, NO_STEP},
    {"steps", IN(granularity, steps), "steps that were seen", OR_ZERO(granularity)},
    {"coarse", IN(granularity, coarse), "it stands still over several readings",
     OR_ZERO(granularity)},
    {"ns_per_tick", IN(scale, ns_per_tick), "how long a tick of it is", .unit = UNIT_NS,
     KNOWN_BY(scale), .absent = "its rate is neither claimed nor could it be measured"},
    {"rate_claimed", IN(scale, claimed), "so it claims; else it was calibrated", OR_ZERO(scale)},
    /* order */
    {"monotonic", GET(FIELD_FLAG, is_monotonic), "it never went back in one thread",
     KNOWN_BY(monotonic), .absent = no_row},
    {"readings", IN(monotonic, readings), "readings in one thread", OR_ZERO(monotonic)},
    {"backward", IN(monotonic, backward), "readings below the one before", OR_ZERO(monotonic)},
    {"backward_worst_ticks", IN(monotonic, worst_ticks), "by so much at most", TICKS,
     KNOWN_BY(monotonic), .absent = no_row},
    {"wrap_ticks", GET(FIELD_REAL, wrap_of), "the power of two at which it begins anew", TICKS,
     KNOWN_BY(monotonic), .unknown = no_row, .absent = "it was not seen to wrap"},
    {"monotonic_across_cpus", GET(FIELD_FLAG, is_monotonic_across),
     "nor did it from one CPU to another", ACROSS, .absent = no_pair},
    {"trips", IN(monotonic, trips), "times that two CPUs read it in turns", ACROSS, .zero = true},
    {"trips_backward", IN(monotonic, cross_backward), "later readings below an earlier one", ACROSS,
     .zero = true},
    {"trips_worst_ticks", IN(monotonic, cross_worst_ticks), "by so much at most", TICKS, ACROSS,
     .absent = no_pair},
    {"cross_cpu_offset_ticks", IN(offsets, offset),
     "by which two CPUs' readings are apart, at the pair with the largest: the middle of what no "
     "trip contradicts, in ticks of the clock",
     TICKS, NO_PAIR},
    {"cross_cpu_bound_ticks", IN(offsets, bound), "it is right to so much", TICKS, NO_PAIR},
    {"cross_cpu_proven_ticks", IN(offsets, worst), "what of it is proven; 0: the CPUs may agree",
     TICKS, NO_PAIR},
    /* rates, and copies */
    {NULL, SPLICED_BEHIND(struct clock_seen, rate, &best_rate_table)},
    {"rates", LIST_BY(rate_at, &rate_table), "against every clock it was compared with"},
    {"same_as", GET(FIELD_TEXT, same_as), "the clock of which this is a copy", OR_NULL},
    {"parted_ns", IN(same, parted_ns), "the two never left a straight line by more",
     .unit = UNIT_NS, NO_OTHER},
    {"parted_bound_ns", IN(same, bound_ns), "less than this could not be seen", .unit = UNIT_NS,
     NO_OTHER},
    {"parted_span_s", IN(same, span_s), "the time over which they were compared", .unit = UNIT_S,
     NO_OTHER},
    {"parted_ppb", IN(same, ppb), "two oscillators would have had to agree to this",
     .unit = UNIT_PPB, NO_OTHER},
};
static const struct fields seen_table =
    FIELDS("clocks.clock", "what is known of one clock", seen_fields);

/* --- what all rows say together --- */

GETTER(reference_clock, struct clocks_reference, name_of(context, item->clock))

GETTER(reference_outside, struct clocks_reference, name_of(context, item->outside))

GETTER(reference_rtc, struct clocks_reference, name_of(context, item->rtc))

static const struct field reference_fields[] = {
    {"clock", GET(FIELD_TEXT, reference_clock), "around every interval",
     .absent = "no clock was read that others could be compared with"},
    {"outside", GET(FIELD_TEXT, reference_outside),
     "the controller's, where that is another machine", OR_NULL},
    {"rtc", GET(FIELD_TEXT, reference_rtc), "a clock of which only steps are seen", OR_NULL},
    {"why", AT(struct clocks_reference, why), "why this one", OR_NULL},
};
static const struct fields reference_table =
    FIELDS("clocks.reference", "what clocks were compared with", reference_fields);

static const struct field machine_fields[] = {
    {"clocksource", AT(struct clocks_case, clocksource), "the operating system's", OR_NULL},
    {"available", AT(struct clocks_case, available), "others that it could use", OR_NULL},
    {"flags", AT(struct clocks_case, flags), "of the CPU, that concern its counter", OR_NULL},
    {"steered_ppm", AT(struct clocks_case, steered_ppm), "that it is steered by", .unit = UNIT_PPM,
     .absent = "the operating system does not say by how much it steers"},
};
static const struct fields machine_claims_table =
    FIELDS("clocks.machine", "what the machine says of its clocks", machine_fields);

#define MEANWHILE(member) AT(struct clocks_disturbances, member)
#define UNSLEPT           .unit = UNIT_NS, .absent = "no sleep was watched"
#define UNHELD            .unit = UNIT_NS, .absent = "CPUs could not be held awake"
static const struct field disturbance_fields[] = {
    {"watched_ns", MEANWHILE(watched_ns), "all intervals by the reference", .unit = UNIT_NS},
    {"stolen_ns", MEANWHILE(stolen_ns), "that the host took", .unit = UNIT_NS,
     .absent = "the operating system does not count it"},
    {"stolen_intervals", MEANWHILE(stolen_intervals), "in so many intervals"},
    {"suspended_ns", MEANWHILE(suspended_ns), "that the machine was suspended", .unit = UNIT_NS,
     .absent = "no clock here counts it"},
    {"suspended_intervals", MEANWHILE(suspended_intervals), "in so many intervals"},
    {"preempted", MEANWHILE(preempted), "intervals with involuntary switches"},
    {"intervals", MEANWHILE(intervals), "intervals of all threads"},
    {"overslept_median_ns", MEANWHILE(overslept_median_ns),
     "by which sleeps took longer than asked for", UNSLEPT},
    {"overslept_max_ns", MEANWHILE(overslept_max_ns), "the most of it", UNSLEPT},
    {"awake_median_ns", MEANWHILE(awake_median_ns), "the same with CPUs held awake", UNHELD},
    {"awake_max_ns", MEANWHILE(awake_max_ns), "the most of it", UNHELD},
    {"idle", MEANWHILE(idle), "whether idle states matter", OR_NULL},
};
static const struct fields disturbance_table =
    FIELDS("clocks.disturbances", "what the machine did meanwhile", disturbance_fields);

#define OF_PAIR(member) AT(struct clock_pair, member)
#define MOVING                                                                                     \
    .known = KNOWN(struct clock_pair, constant), TICKS,                                            \
    .absent = "no constant offset agrees with every trip"
static const struct field pair_fields[] = {
    {"clock", GET(FIELD_TEXT, clocks_first), "the clock", COLUMN},
    {"cpu", OF_PAIR(cpu), "one CPU", COLUMN},
    {"partner", OF_PAIR(partner), "the other", COLUMN},
    {"trips", OF_PAIR(trips), "times that they read it in turns", COLUMN},
    {"backward", OF_PAIR(backward), "later readings below an earlier one", COLUMN},
    {"constant", OF_PAIR(constant), "one offset agrees with every trip"},
    {"offset_ticks", OF_PAIR(offset), "the partner less the CPU: the middle", MOVING,
     .title = "offset", COLUMN},
    {"bound_ticks", OF_PAIR(bound), "half of what lies between them", MOVING},
    {"low_ticks", OF_PAIR(low), "at least", TICKS, .absent = "no trip bounds it", .title = "low",
     COLUMN},
    {"high_ticks", OF_PAIR(high), "at most; below low_ticks: no offset agrees", TICKS,
     .absent = "no trip bounds it", .title = "high", COLUMN},
};
static const struct fields pair_table = FIELDS("clocks.pair", "two CPUs by one clock", pair_fields);
const struct field clocks_pair_list = {
    "pairs", LIST(struct clocks_run, report.pairs, report.pair_count, &pair_table)};

static const struct field advice_fields[] = {
    {"text", AT(struct clocks_advice, text), "a few sentences"},
};
static const struct fields advice_table =
    FIELDS("clocks.advice", "what to do on this machine", advice_fields);

static const struct field point_fields[] = {
    {"clock", GET(FIELD_TEXT, clocks_first), "the clock"},
    {"requested_ms", AT(struct clock_point, requested_ms), "how long was asked for",
     .unit = UNIT_MS},
    {"measured_ms", AT(struct clock_point, measured_ms), "by the clock", .unit = UNIT_MS,
     .absent = "its rate is not known"},
    {"reference_ms", AT(struct clock_point, reference_ms), "by the reference", .unit = UNIT_MS,
     .absent = "there is no reference"},
};
static const struct fields point_table =
    FIELDS("clocks.point", "one sleep by one clock", point_fields);
static const struct field all_fields[] = {
    {"points", LIST(struct clocks_run, report.points, report.point_count, &point_table),
     "with --all: every sleep, by every clock", .optional = true},
};
static const struct fields all_table = FIELDS("clocks.all", "with --all", all_fields);

static const void *if_all(const void *item, const void *context)
{
    const struct clocks_run *run = context;
    return run->studying.options->all ? item : NULL;
}

static const void *clock_at(const void *item, const void *context, size_t index)
{
    const struct clocks_run *run = context;
    (void)item;
    for (size_t i = 0; i < run->file.clock_count; i++)
        if (clocks_is_judged(run, i) && !index--) {
            struct clock_seen *seen = memory_new(1, sizeof(*seen));
            *seen = clocks_seen(run, i);
            return seen;
        }
    return NULL;
}

#define OF_RUN(member) AT(struct clocks_run, member)
static const struct field analysis_fields[] = {
    {"clocks", LIST_BY(clock_at, &seen_table), "every clock of the machine"},
    {"looks", OF_RUN(report.looks), "readings of all clocks one after the other"},
    {"intervals", OF_RUN(report.intervals), "intervals of all threads and processes"},
    {"seconds", OF_RUN(studying.seconds), "that it took", .unit = UNIT_S},
    {"complete", OF_RUN(studying.complete), "everything planned was measured"},
    {"store", OF_RUN(studying.stored), "the file with the samples", OR_NULL},
    {"emulated", OF_RUN(file.emulated), "the machine's time is made by a program"},
    {"cpus", OF_RUN(file.cpus), "CPUs that may be used"},
    {"reference", OBJECT(struct clocks_run, report.reference, &reference_table),
     "what clocks were compared with"},
    {"claims", OBJECT(struct clocks_run, file, &machine_claims_table),
     "what the machine says of its clocks"},
    {"disturbances", OBJECT(struct clocks_run, report.disturbances, &disturbance_table),
     "what the machine did meanwhile"},
    {"pairs", LIST(struct clocks_run, report.pairs, report.pair_count, &pair_table),
     "CPUs against each other"},
    {"advice", LIST(struct clocks_run, report.advice, report.advice_count, &advice_table),
     "which clock for what"},
    {NULL, SPLICED_BY(if_all, &all_table)},
};
const struct fields clocks_analysis =
    FIELDS("clocks.analysis", "what all rows say together", analysis_fields);
