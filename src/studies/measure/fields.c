/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the results of `assay measure` are: a row for an event of a cell. */
#include "base/memory.h"
#include "studies/measure/study.h"

GETTER(get_event, struct row, value_text(item->cell->cell.events[item->counter]))

GETTER(get_class, struct row, value_text(item->cell->counters[item->counter].class))

PART(cell_of, struct row, &item->cell->cell)

GETTER(get_cpu, struct cell, item->cpu < 0 ? value_absent(NULL) : value_integer(item->cpu))

GETTER(get_processes, struct row, value_count(item->cell->done))

/* One a run, in the order of processes and runs. */
static struct value get_value(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct row *row = item;
    uint64_t value;
    if (index >= row->reading_count)
        return value_absent(NULL);
    return reading_value(&row->readings[index], &value) ? value_count(value) : value_null();
}

static struct value maybe(struct maybe number, const char *why)
{
    return number.known ? value_integer(number.value) : value_absent(why);
}

GETTER(get_truth, struct row, maybe(item->summary.expected.truth, item->why_no_truth))

/* The limits of the truth: both the truth itself where it is known. */
static struct value limit_of(const struct row *row, int64_t limit)
{
    return row->summary.limits.known ? value_integer(limit)
                                     : maybe(row->summary.expected.truth, row->why_no_truth);
}

GETTER(get_truth_low, struct row, limit_of(item, item->summary.limits.low))

GETTER(get_truth_high, struct row, limit_of(item, item->summary.limits.high))

static struct value get_grade(const void *item, const void *context)
{
    (void)context;
    return value_text(row_grade(item));
}

static struct value error_of(const struct row *row, struct maybe error)
{
    return maybe(error, row->summary.expected.truth.known
                            ? "the counts cannot be compared with the truth"
                        : row->summary.limits.known ? "only limits of the truth are known"
                                                    : row->why_no_truth);
}

GETTER(get_error, struct row, error_of(item, item->summary.error))

GETTER(get_error_min, struct row, error_of(item, item->summary.error_min))

GETTER(get_error_max, struct row, error_of(item, item->summary.error_max))

static struct value get_note(const void *item, const void *context)
{
    (void)context;
    struct text note = {0};
    row_sentence(item, &note);
    return value_text(memory_text(&note));
}

static const char *const grades[] = {"proven", "bounded", "model"};

static const struct field cell_fields[] = {
    {"path", AT(struct cell, path), "how the counter was read", .column = true},
    {"pattern", AT(struct cell, pattern), "start-read, start-stop, read-read or read-stop",
     .names = pattern_names, .name_count = PATTERN_COUNT, .column = true},
    {"specimen", AT(struct cell, specimen), "the code inside the window", .column = true},
    {"n", AT(struct cell, n), "how often it does its work", .title = "N", .column = true},
    {"counters", AT(struct cell, counters), "open at the same time"},
    {"opt", AT(struct cell, opt), "optimisation level of the code around it"},
    {"link", AT(struct cell, link), "how the program is linked"},
    {"separate", AT(struct cell, separate), "counters opened one by one rather than as a group"},
    {"cpu", GET(FIELD_INTEGER, get_cpu), "that it ran on; null: any", .nullable = true},
};
static const struct fields cell_table = FIELDS("measure.cell", NULL, cell_fields);

static const void *quantiles_of(const void *item, const void *context)
{
    (void)context;
    const struct summary *summary = &((const struct row *)item)->summary;
    return summary->judged ? &summary->values : NULL;
}

#define JUDGED UNIT_OF_EVENT, .absent = "no run got a counter"
static const struct field quantiles_fields[] = {
    {"min", AT(struct quantiles, min), "lowest count", JUDGED},
    {"q1", AT(struct quantiles, q1), "lower quartile", JUDGED},
    {"median", AT(struct quantiles, median), "median count", JUDGED, .column = true},
    {"q3", AT(struct quantiles, q3), "upper quartile", JUDGED},
    {"max", AT(struct quantiles, max), "highest count", JUDGED},
};
static const struct fields quantiles_table = FIELDS("measure.quantiles", NULL, quantiles_fields);

#define TRUTH .absent = "nobody predicts it"
#define ERROR .absent = "there is no truth to compare with"
static const struct field row_fields[] = {
    {"event", GET(FIELD_TEXT, get_event), "what was counted", .column = true},
    {"", SPLICED_BY(cell_of, &cell_table)},
    {"processes", GET(FIELD_COUNT, get_processes), "that ended well"},
    {"class", GET(FIELD_TEXT, get_class), "what the event claims to count", .nullable = true},
    {"runs", AT(struct row, summary.runs), "of all processes", .column = true},
    {"values",
     {.kind = FIELD_LIST, .element = get_value, .element_kind = FIELD_COUNT, .gaps = true},
     "one a run, in the order of processes and runs; null where the event got no counter time; "
     "extrapolated where it got part of it",
     UNIT_OF_EVENT},
    {"truth", GET(FIELD_INTEGER, get_truth), "what the specimen makes of it", UNIT_OF_EVENT, TRUTH,
     .column = true},
    {"truth_low", GET(FIELD_INTEGER, get_truth_low),
     "the least that the specimen can make: the truth itself unless truth_grade is bounded",
     UNIT_OF_EVENT, TRUTH},
    {"truth_high", GET(FIELD_INTEGER, get_truth_high), "the most", UNIT_OF_EVENT, TRUTH},
    {"truth_grade", GET(FIELD_TEXT, get_grade), "how sure the truth is", NAMED(grades),
     .nullable = true},
    {"overhead", AT(struct row, summary.expected.overhead.value), "what an empty window counts",
     UNIT_OF_EVENT, .known = KNOWN(struct row, summary.expected.overhead.known),
     .absent = "no null cell was measured"},
    {"error", GET(FIELD_INTEGER, get_error), "the median count minus the truth", UNIT_OF_EVENT,
     ERROR, .column = true},
    {"error_min", GET(FIELD_INTEGER, get_error_min), "of the lowest count", UNIT_OF_EVENT, ERROR},
    {"error_max", GET(FIELD_INTEGER, get_error_max), "of the highest count", UNIT_OF_EVENT, ERROR},
    {"", SPLICED_BY(quantiles_of, &quantiles_table)},
    {"constant", AT(struct row, summary.constant), "every run that got a counter read the same"},
    {"disturbed", AT(struct row, summary.disturbed),
     "runs in which a second account saw more than the specimen does"},
    {"multiplexed", AT(struct row, summary.multiplexed), "runs with part of the counter time"},
    {"scaling_min", AT(struct row, summary.scaling_min),
     "by which multiplexed runs were extrapolated, at least"},
    {"scaling_max", AT(struct row, summary.scaling_max), "and at most"},
    {"unscheduled", AT(struct row, summary.unscheduled), "runs without counter time"},
    {"note", GET(FIELD_TEXT, get_note), "what to make of it, in a sentence"},
};
static const struct fields row_table = FIELDS("measure", "an event of one cell", row_fields);
const struct field measure_results = {"results",
                                      LIST(struct measuring, rows, row_count, &row_table)};

GETTER(get_stored, struct studying, item->refusal ? value_left_out() : value_text(item->stored))

GETTER(get_complete, struct studying, item->refusal ? value_left_out() : value_flag(item->complete))

static const struct field analysis_fields[] = {
    {"store", GET(FIELD_TEXT, get_stored), "file of the samples", .nullable = true,
     .optional = true},
    {"complete", GET(FIELD_FLAG, get_complete), "was all of the plan measured", .optional = true},
};
const struct fields measure_analysis =
    FIELDS("measure.analysis", "empty where nothing could be measured", analysis_fields);
