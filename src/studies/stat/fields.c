/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the results of `assay stat` are: a row an event. */
#include <math.h>

#include "base/memory.h"
#include "engine/command-line.h"
#include "store/store.h"
#include "studies/stat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Whether a count can be trusted. */

bool stat_is_good(const struct stat_event *event)
{
    const int verdict = event->is_validated ? verdict_from_name(event->trust.verdict) : -1;
    return verdict >= 0 && verdict_is_trusted((enum verdict)verdict);
}

bool stat_is_withheld(const struct stat_run *run, const struct stat_event *event)
{
    return stat_is_good(event) && stat_means(run).relayed > 0;
}

bool stat_is_empty(const struct stat_event *event)
{
    return event->is_validated && event->trust.reads_zero && stat_has_figure(event) &&
           event->figure.max <= 0;
}

const char *stat_trust_cause(const struct stat_event *event)
{
    const bool bad = event->is_validated && !stat_is_good(event);
    if (stat_is_empty(event))
        return STAT_EMPTY_CAUSE;
    return bad && event->trust.cause[0] ? event->trust.cause : NULL;
}

/* ----------------------------------------------------------------------------------------------
 * A row. */

#define EXACT_TO 9007199254740992.0 /* 2^53 */

/* A whole number where it is one. */
static struct value number(double value)
{
    return value == rint(value) && fabs(value) <= EXACT_TO ? value_integer((int64_t)value)
                                                           : value_real(value);
}

static struct value uncounted(const struct stat_event *event)
{
    return value_absent(event->reason ? event->reason : "it never got a counter");
}

#define FIGURE_OF(member)                                                                          \
    static struct value get_##member(const void *item, const void *context)                        \
    {                                                                                              \
        (void)context;                                                                             \
        const struct stat_event *event = item;                                                     \
        return stat_has_figure(event) ? number(event->figure.member) : uncounted(event);           \
    }
FIGURE_OF(count)
FIGURE_OF(corrected)
FIGURE_OF(min)
FIGURE_OF(max)

static bool has_bar(const struct stat_event *event)
{
    return stat_has_figure(event) && event->figure.has_uncertainty;
}

static struct value get_uncertainty(const void *item, const void *context)
{
    const struct stat_event *event = item;
    if (has_bar(event))
        return number(event->figure.uncertainty);
    if (!stat_has_figure(event))
        return uncounted(event);
    return value_absent(event->figure.state == STAT_PARTIAL ? "a part was counted"
                        : stat_means(context).relayed > 0
                            ? "nothing is known of what relaying its output added"
                            : "nothing is known of what starting adds, and one execution tells no "
                              "spread");
}

static struct value get_low(const void *item, const void *context)
{
    (void)context;
    const struct stat_event *event = item;
    const struct stat_figure *figure = &event->figure;
    return has_bar(event) ? number(fmax(0, figure->corrected - figure->uncertainty))
                          : value_absent(NULL);
}

GETTER(get_high, struct stat_event,
       has_bar(item) ? number(item->figure.corrected + item->figure.uncertainty)
                     : value_absent(NULL))

static struct value get_overhead(const void *item, const void *context)
{
    (void)context;
    const struct stat_event *event = item;
    if (!stat_has_figure(event))
        return uncounted(event);
    return event->figure.has_overhead ? number(event->figure.overhead)
                                      : value_absent(event->overhead_reason);
}

static struct value get_unit(const void *item, const void *context)
{
    (void)context;
    return value_text(stat_is_time(item) ? "ns" : "counts");
}

GETTER(get_relayed, struct stat_event, value_real(stat_has_figure(item) ? item->figure.relayed : 0))

GETTER(get_share, struct stat_event, value_real(stat_has_figure(item) ? item->figure.share : 0))

/* --- trust --- */

static struct value untrusted(const struct stat_event *event)
{
    return value_absent(event->is_counted ? "not validated" : "it was not counted");
}

static struct value get_trust(const void *item, const void *context)
{
    const struct stat_event *event = item;
    if (stat_is_withheld(context, event))
        return value_absent("what the command wrote was relayed, which adds to counts");
    return event->is_validated ? value_text(event->trust.verdict) : untrusted(event);
}

GETTER(get_trust_age, struct stat_event,
       item->is_validated ? value_integer(item->trust.age_s) : untrusted(item))

GETTER(get_trust_longest, struct stat_event,
       item->is_validated && item->trust.longest_ns ? value_count(item->trust.longest_ns)
                                                    : value_absent(NULL))

static struct value get_trust_cause(const void *item, const void *context)
{
    return value_text(stat_is_withheld(context, item) ? STAT_WITHHELD_CAUSE
                                                      : stat_trust_cause(item));
}

GETTER(get_trust_event, struct stat_event,
       value_text(item->is_validated ? item->trust.event : NULL))

GETTER(get_trust_difference, struct stat_event,
       value_text(item->is_validated && item->trust.stale ? item->trust.difference : NULL))

/* --- its readings --- */

struct stat_read {
    const struct stat_reading *reading;
    bool averaged;
};

PART(reading_of, struct stat_read, item->reading)

static const void *read_at(const void *item, const void *context, size_t index)
{
    const struct stat_event *event = item;
    const struct stat_run *run = context;
    if (index >= run->run_count || event->figure.state == STAT_UNSUPPORTED)
        return NULL;
    struct stat_read *read = memory_new(1, sizeof(*read));
    *read = (struct stat_read){&event->runs[index], stat_is_averaged(run, index)};
    return read;
}

static const struct field reading_fields[] = {
    {"value", AT(struct stat_reading, value), "as it was read"},
    {"enabled", AT(struct stat_reading, enabled), "that the event was enabled", UNIT_NS},
    {"running", AT(struct stat_reading, running), "that it was on a counter", UNIT_NS},
};
static const struct fields reading_table = FIELDS("stat.reading", NULL, reading_fields);
static const struct field read_fields[] = {
    {"", SPLICED_BY(reading_of, &reading_table)},
    {"averaged", AT(struct stat_read, averaged), "it is part of the mean"},
};
static const struct fields read_table = FIELDS("stat.run", "one execution", read_fields);

static const struct field part_fields[] = {
    {"spread", AT(struct stat_figure, from_spread), "between executions"},
    {"drift", AT(struct stat_figure, from_drift), "of times: what differs between invocations"},
    {"starting", AT(struct stat_figure, from_nulls), "of what starting and counting adds"},
    {"sharing", AT(struct stat_figure, from_sharing),
     "of a counter that was there for a part of the time"},
    {"overcounts", AT(struct stat_figure, from_overcounts), "per page fault and interrupt"},
    {"relaying", AT(struct stat_figure, from_relaying), "of relaying the command's output"},
};
static const struct fields part_table =
    FIELDS("stat.parts",
           "of the uncertainty: the root of the sum of squares of all but the last "
           "two, and these on top; more where corrected would be below 0",
           part_fields);

#define UNCOUNTED .absent = "it was not counted"
static const struct field row_fields[] = {
    {"event", AT(struct stat_event, name), "what was counted", .column = true},
    {"class", AT(struct stat_event, class), "what the event claims to count", .nullable = true},
    {"unit", GET(FIELD_TEXT, get_unit), "of the counts"},
    {"state", AT(struct stat_event, figure.state),
     "accounted: as getrusage tells, because perf_event is refused; dropped: the operating system "
     "stopped counting when the command was executed, because it gains rights; partial: the same "
     "of something below it, and the count is of the rest",
     .names = stat_state_names, .name_count = STAT_STATES, .column = true},
    {"count", GET(FIELD_REAL, get_count),
     "mean over the executions, extrapolated where the event shared a counter", UNIT_OF_EVENT,
     UNCOUNTED},
    {"corrected", GET(FIELD_REAL, get_corrected),
     "count less overhead, at least 0; count where nothing is known of that", UNIT_OF_EVENT,
     UNCOUNTED, .column = true},
    {"min", GET(FIELD_REAL, get_min), "of a single execution", UNIT_OF_EVENT, UNCOUNTED},
    {"max", GET(FIELD_REAL, get_max), "of a single execution", UNIT_OF_EVENT, UNCOUNTED},
    {"uncertainty", GET(FIELD_REAL, get_uncertainty), "half of the 95 % interval of corrected",
     UNIT_OF_EVENT, UNCOUNTED, .column = true},
    {"low", GET(FIELD_REAL, get_low), "where that interval begins: not below 0", UNIT_OF_EVENT,
     .nullable = true},
    {"high", GET(FIELD_REAL, get_high), "where it ends", UNIT_OF_EVENT, .nullable = true},
    {"overhead", GET(FIELD_REAL, get_overhead), "what starting and counting a program adds",
     UNIT_OF_EVENT, UNCOUNTED, .column = true},
    {"relayed", GET(FIELD_REAL, get_relayed),
     "what relaying the command's output from another machine added: taken off corrected",
     UNIT_OF_EVENT},
    {"share", GET(FIELD_REAL, get_share), "of the time that the event was on a counter"},
    {"parts", OBJECT(struct stat_event, figure, &part_table), "what the uncertainty is made of"},
    {"trust", GET(FIELD_TEXT, get_trust),
     "verdict of the latest validation; null where it is exact or accurate, but the command's "
     "output was relayed",
     .absent = "not validated", .column = true},
    {"trust_age", GET(FIELD_INTEGER, get_trust_age), "since that run began", UNIT_S,
     .absent = "not validated"},
    {"trust_cause", GET(FIELD_TEXT, get_trust_cause),
     "where the verdict is not good; relayed-output: it is, and is withheld; reads-zero: it is "
     "unjudged, and read 0 here as in every test: nothing shows that it counts",
     .nullable = true, .column = true},
    {"trust_longest_ns", GET(FIELD_COUNT, get_trust_longest),
     "the longest window in which it was found; of longer ones it says nothing", UNIT_NS,
     .nullable = true},
    {"trust_event", GET(FIELD_TEXT, get_trust_event),
     "the name under which it was validated: the event's, or that with :u", .nullable = true},
    {"trust_stale", AT(struct stat_event, trust.stale),
     "it was validated on this CPU, but under another kernel, microcode or hypervisor",
     .known = KNOWN(struct stat_event, is_validated), .nullable = true},
    {"trust_difference", GET(FIELD_TEXT, get_trust_difference),
     "where it is stale: what differs, as was -> is", .nullable = true},
    {"runs", LIST_BY(read_at, &read_table), "as they were read"},
};
static const struct fields row_table = FIELDS("stat", "one event of a command", row_fields);

static const void *event_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct stat_run *run = item;
    return index < run->event_count && run->run_count ? &run->events[index] : NULL;
}
const struct field stat_results = {"results", LIST_BY(event_at, &row_table)};

/* The columns of --csv, which scripts read by their place. */
GETTER(get_age, struct stat_event,
       item->is_validated && item->trust.age_s >= 0 ? value_integer(item->trust.age_s)
                                                    : value_absent(NULL))

static const struct field csv_fields[] = {
    {"event", AT(struct stat_event, name)},
    {"count", GET(FIELD_REAL, get_count)},
    {"corrected", GET(FIELD_REAL, get_corrected)},
    {"uncertainty", GET(FIELD_REAL, get_uncertainty)},
    {"unit", GET(FIELD_TEXT, get_unit)},
    {"overhead", GET(FIELD_REAL, get_overhead)},
    {"min", GET(FIELD_REAL, get_min)},
    {"max", GET(FIELD_REAL, get_max)},
    {"runs", AT(struct stat_event, figure.runs)},
    {"share", GET(FIELD_REAL, get_share), .nonzero = true},
    {"state", AT(struct stat_event, figure.state), .names = stat_state_names,
     .name_count = STAT_STATES},
    {"trust", GET(FIELD_TEXT, get_trust)},
    {"trust_age", GET(FIELD_INTEGER, get_age)},
    {"trust_cause", GET(FIELD_TEXT, get_trust_cause)},
    {"trust_event", GET(FIELD_TEXT, get_trust_event)},
    {"trust_difference", GET(FIELD_TEXT, get_trust_difference)},
    {"reason", AT(struct stat_event, reason)},
};
static const struct fields csv_table = FIELDS("stat.csv", NULL, csv_fields);
const struct field stat_csv = {"results", LIST_BY(event_at, &csv_table)};

/* ----------------------------------------------------------------------------------------------
 * The analysis, and what is left out. */

GETTER(get_seconds, struct stat_execution, value_real((double)item->nanoseconds / 1e9))

static struct value get_faults(const void *item, const void *context)
{
    (void)context;
    const struct account *account = &((const struct stat_execution *)item)->account;
    return value_count(account->minor_faults + account->major_faults);
}

static struct value get_switches(const void *item, const void *context)
{
    (void)context;
    const struct account *account = &((const struct stat_execution *)item)->account;
    return value_count(account->voluntary + account->involuntary);
}

static struct value get_averaged(const void *item, const void *context)
{
    const struct stat_run *run = context;
    return value_flag(
        stat_is_averaged(run, (size_t)((const struct stat_execution *)item - run->runs)));
}

static const struct field execution_fields[] = {
    {"", SPLICED_AT(struct stat_execution, status, &command_ending_table)},
    {"seconds", GET(FIELD_REAL, get_seconds), "from its start to its end", UNIT_S},
    {"output_bytes", AT(struct stat_execution, output_bytes), "on its standard output and error",
     UNIT_BYTES, .known = KNOWN(struct stat_execution, relayed), .absent = COMMAND_OUTPUT_LENT},
    {"page_faults", GET(FIELD_COUNT, get_faults), "by the operating system's account"},
    {"context_switches", GET(FIELD_COUNT, get_switches), "the same"},
    {"tasks", AT(struct stat_execution, tasks), "threads and processes",
     .known = KNOWN(struct stat_execution, tasks_known),
     .absent = "nobody here tells births of threads"},
    {"processes", AT(struct stat_execution, processes), "of these",
     .known = KNOWN(struct stat_execution, tasks_known),
     .absent = "nobody here tells births of processes"},
    {"left", AT(struct stat_execution, left), "processes that it left behind, and that were ended"},
    {"averaged", GET(FIELD_FLAG, get_averaged), "it is part of the means"},
};
static const struct fields execution_table =
    FIELDS("stat.execution", "one execution of the command", execution_fields);

static struct value get_setting(const void *item, const void *context)
{
    (void)context;
    char setting[200];
    return value_text(memory_copy(
        setting_name(((const struct stat_run *)item)->controls, setting, sizeof(setting))));
}

GETTER(get_complete, struct stat_run,
       value_flag(item->run_count == item->repeat && !item->was_interrupted))

static const struct field analysis_fields[] = {
    {"program", AT(struct stat_run, line), "its words"},
    {"setting", GET(FIELD_TEXT, get_setting), "what was controlled"},
    {"executions", LIST(struct stat_run, runs, run_count, &execution_table), "each of them"},
    {"calibrations", AT(struct stat_run, null_count),
     "executions of the program from which overhead was learnt"},
    {"invocations", AT(struct stat_run, pace_count),
     "that told how the machine's speed varies, this one included: of times, part of the "
     "uncertainty"},
    {"store", AT(struct stat_run, studying.stored), "file of the run", .nullable = true},
    {"complete", GET(FIELD_FLAG, get_complete),
     "it was executed as often as asked, and not interrupted"},
    {"seconds", AT(struct stat_run, studying.seconds), "that all of it took", UNIT_S},
};
const struct fields stat_analysis = FIELDS("stat.analysis", "how the run went", analysis_fields);

const struct skips *stat_skipped(const void *kept)
{
    const struct stat_run *run = kept;
    struct skips *skips = memory_new(1, sizeof(*skips));
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].reason)
            skips_add(skips, run->events[i].name, run->events[i].reason, run->events[i].error);
    if (run->refused && !run->asked)
        skips_add(skips, STAT_COUNTER, run->refused, 0);
    if (run->reason)
        skips_add(skips, run->line, run->reason, run->error);
    return skips;
}
