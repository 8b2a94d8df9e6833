/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay validate` found, described: a row for each event, path and specimen, the analysis
 * over all of them, and the passport, which other programs read. */
#include <math.h>
#include <time.h>

#include "base/memory.h"
#include "machine/passports.h"
#include "output/field.h"
#include "studies/validate/parts.h"

/* --- one N --- */

static const char no_number[] = "nothing predicts this count";
static const char by_account[] = "each run is held against the system's account of it";
static const char only_limits[] = "only limits can be stated";
static const char no_quiet[] = "no quiet run got a counter";
static const char no_null[] = "no null cell of this way was measured";

GETTER(point_n, struct judged_point, value_count(item->point->n))

/* NULL: the truth is one number. */
static const char *why_no_prediction(const struct judged_point *point)
{
    const struct truth *truth = &point->point->truth;
    return point->against_account       ? by_account
           : truth->grade == TRUTH_NONE ? no_number
           : truth->low != truth->high  ? only_limits
                                        : NULL;
}

static bool has_limits(const struct judged_point *point)
{
    const struct truth *truth = &point->point->truth;
    return truth->grade != TRUTH_NONE && truth->low != truth->high;
}

GETTER(point_truth, struct judged_point,
       why_no_prediction(item) ? value_absent(why_no_prediction(item))
                               : value_integer(item->point->truth.low))
GETTER(point_low, struct judged_point,
       has_limits(item) ? value_integer(item->point->truth.low) : value_left_out())
GETTER(point_high, struct judged_point,
       has_limits(item) ? value_integer(item->point->truth.high) : value_left_out())
GETTER(point_failed, struct judged_point,
       item->point->failed ? value_count(item->point->failed) : value_left_out())
GETTER(point_failure, struct judged_point,
       item->point->failed ? value_text(item->point->failure_reason) : value_left_out())

static bool has_quiet(const struct judged_point *point)
{
    return point->runs > point->disturbed;
}

static struct value quiet(const struct judged_point *point, double figure)
{
    return !has_quiet(point)  ? value_absent(no_quiet)
           : isfinite(figure) ? value_real(figure)
                              : value_absent("too few runs");
}

GETTER(point_min, struct judged_point, quiet(item, item->min))
GETTER(point_median, struct judged_point, quiet(item, item->median))
GETTER(point_max, struct judged_point, quiet(item, item->max))
GETTER(point_mean, struct judged_point, quiet(item, item->mean))
GETTER(point_stdev, struct judged_point, quiet(item, item->stdev))
GETTER(point_variance, struct judged_point, quiet(item, item->stdev * item->stdev))
GETTER(point_error_low, struct judged_point, quiet(item, item->low))
GETTER(point_error_high, struct judged_point, quiet(item, item->high))

static struct value point_percent(const void *item, const void *context)
{
    (void)context;
    const struct judged_point *point = item;
    const struct truth *truth = &point->point->truth;
    const char *why = !has_quiet(point)            ? no_quiet
                      : point->against_account     ? by_account
                      : truth->low != truth->high  ? only_limits
                      : truth->grade == TRUTH_NONE ? no_number
                      : truth->low == 0            ? "the prediction is zero"
                                                   : NULL;
    const double low = (double)truth->low;
    return why ? value_absent(why) : value_real(100 * (point->mean - low) / low);
}

static const struct field point_fields[] = {
    {"n", GET(FIELD_COUNT, point_n), "how often the specimen did its work"},
    {"predicted", GET(FIELD_INTEGER, point_truth), "the count that is true", .unit = UNIT_OF_EVENT,
     .absent = no_number},
    {"predicted_low", GET(FIELD_INTEGER, point_low),
     "the lower limit of it, where only limits can be stated", .unit = UNIT_OF_EVENT,
     .optional = true},
    {"predicted_high", GET(FIELD_INTEGER, point_high), "the upper limit", .unit = UNIT_OF_EVENT,
     .optional = true},
    {"runs", AT(struct judged_point, runs), "runs that got a counter, disturbed ones included"},
    {"disturbed", AT(struct judged_point, disturbed),
     "of these, runs in which the system's account shows more faults or switches than the code "
     "makes"},
    {"multiplexed", AT(struct judged_point, multiplexed),
     "runs that had the counter part of the time; their counts are extrapolated"},
    {"unscheduled", AT(struct judged_point, unscheduled), "runs that got no counter"},
    {"exact", AT(struct judged_point, exact),
     "quiet runs that equal the prediction, or lie within its limits"},
    {"min", GET(FIELD_REAL, point_min), "lowest count of the quiet runs, minus the overhead",
     .unit = UNIT_OF_EVENT, .absent = no_quiet},
    {"median", GET(FIELD_REAL, point_median), "their median", .unit = UNIT_OF_EVENT,
     .absent = no_quiet},
    {"max", GET(FIELD_REAL, point_max), "the highest", .unit = UNIT_OF_EVENT, .absent = no_quiet},
    {"mean", GET(FIELD_REAL, point_mean), "their mean", .unit = UNIT_OF_EVENT, .absent = no_quiet},
    {"stdev", GET(FIELD_REAL, point_stdev), "their standard deviation", .unit = UNIT_OF_EVENT,
     .absent = no_quiet},
    {"variance", GET(FIELD_REAL, point_variance), "its square", .absent = no_quiet},
    {"error_low", GET(FIELD_REAL, point_error_low),
     "lower end of the 95 % interval of the mean error, count minus prediction",
     .unit = UNIT_OF_EVENT, .absent = no_quiet},
    {"error_high", GET(FIELD_REAL, point_error_high), "upper end of it", .unit = UNIT_OF_EVENT,
     .absent = no_quiet},
    {"percent_difference", GET(FIELD_REAL, point_percent),
     "the mean's difference from the prediction", .unit = UNIT_PERCENT, .absent = no_quiet},
    {"failed", GET(FIELD_COUNT, point_failed), "processes that could not measure it, if any",
     .optional = true},
    {"failed_reason", GET(FIELD_TEXT, point_failure), "why they could not", .optional = true,
     .nullable = true},
};
static const struct fields point_table =
    FIELDS("validate.point", "one N: counts of quiet runs, minus the overhead", point_fields);

/* --- one ladder of N --- */

#define LINE(key, member, meaning)                                                                 \
    {                                                                                              \
        key, AT(struct judged_fit, member), meaning,                                               \
            .absent = "the points are too few, or all alike"                                       \
    }
static const struct field fit_fields[] = {
    LINE("intercept", intercept, "what is reported where nothing is predicted"),
    LINE("intercept_low", intercept_low, "lower end of its 95 % interval"),
    LINE("intercept_high", intercept_high, "upper end"),
    LINE("slope", slope, "reported for each one that is predicted"),
    LINE("slope_low", slope_low, "lower end of its 95 % interval"),
    LINE("slope_high", slope_high, "upper end"),
    LINE("residual", residual, "standard deviation around the line"),
    LINE("r_squared", r_squared, "share of the variance that the line explains"),
};
static const struct fields fit_table =
    FIELDS("validate.fit",
           "reported = intercept + slope * predicted, for diagnosis; no verdict follows from it",
           fit_fields);

static const struct field name_fields[] = {
    {"event", AT(struct evidence, event), "the name it was opened under, with its mode",
     .column = true},
    {"class", AT(struct evidence, class), "what it claims to count; null: not known",
     .nullable = true},
};
static const struct fields name_table = FIELDS("validate.name", NULL, name_fields);

PART(row_evidence, struct judged_row, item->judgement->evidence)
/* An event of which nothing was measured has a row without a path. */
GETTER(row_pattern, struct judged_row, value_text(item->path ? pattern_names[item->pattern] : NULL))
GETTER(row_counters, struct judged_row,
       item->path ? value_count(item->counters) : value_absent(NULL))
GETTER(row_core, struct judged_row, value_text(item->core && * item->core ? item->core : NULL))
GETTER(row_overhead, struct judged_row,
       !item->path                                         ? value_absent("nothing was measured")
       : item->point_count && item->points[0].has_overhead ? value_integer(item->points[0].overhead)
                                                           : value_absent(no_null))
PART(row_fit, struct judged_row, item->fit.known ? &item->fit : NULL)
static const char few_predictions[] = "fewer than two predictions were measured";
GETTER(no_fit, struct judged_row,
       value_absent(item->path ? few_predictions : "nothing was measured"))

#define VERDICT(type) AT(type, verdict), "what the event is worth", NAMED(verdict_names)
#define CAUSE(type)                                                                                \
    AT(type, cause), "why it is not exact (docs/causes.md)", NAMED(cause_names), .nullable = true
#define MOMENT .schema = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
#define GRADES .names = validate_grade_names, .name_count = TRUTH_MODEL + 1, .nullable = true

static const struct field row_fields[] = {
    {"event", SPLICED_BY(row_evidence, &name_table)},
    {"path", AT(struct judged_row, path), "the interface it was counted through", .nullable = true,
     .column = true},
    {"pattern", GET(FIELD_TEXT, row_pattern), "calls around the window (docs/vocabulary.md)",
     .names = pattern_names, .name_count = PATTERN_COUNT, .nullable = true},
    {"counters", GET(FIELD_COUNT, row_counters), "counters open at once", .nullable = true},
    {"core", GET(FIELD_TEXT, row_core), "type of core that it ran on, where there are several",
     .nullable = true},
    {"specimen", AT(struct judged_row, specimen), "the code of known counts", .nullable = true,
     .column = true},
    {"truth_grade", AT(struct judged_row, grade), "how sure the prediction is", GRADES},
    {"verdict", VERDICT(struct judged_row), .column = true},
    {"cause", CAUSE(struct judged_row), .column = true},
    {"note", AT(struct judged_row, why), "what decided, in words", .zero = true, .column = true},
    {"overhead", GET(FIELD_INTEGER, row_overhead),
     "what the path itself adds to a count: the median of null cells, subtracted from every count",
     .unit = UNIT_OF_EVENT, .absent = no_null, .column = true},
    {"fit",
     {.kind = FIELD_OBJECT, .part = row_fit, .of = &fit_table, .get = no_fit},
     "the line through the counts",
     .absent = few_predictions},
    {"points", LIST(struct judged_row, points, point_count, &point_table), "each N, rising"},
};
static const struct fields row_table =
    FIELDS("validate.row",
           "one event on one path against one specimen; both are null where nothing was measured",
           row_fields);

static const void *row_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct judgements *judgements = &((const struct validating *)item)->judgements;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (index < judgement->row_count)
            return &judgement->rows[index];
        if (!judgement->row_count && index == 0) {
            struct judged_row *none = memory_new(1, sizeof(*none));
            none->judgement = judgement;
            none->verdict = judgement->verdict;
            none->cause = judgement->cause;
            none->why = judgement->why;
            return none;
        }
        index -= judgement->row_count ? judgement->row_count : 1;
    }
    return NULL;
}

const struct field validate_results = {"results", LIST_BY(row_at, &row_table),
                                       "a row for each event, path and specimen"};

/* --- over all rows of an event --- */

#define EXPLAINED(key, member, meaning)                                                            \
    {                                                                                              \
        key, AT(struct explanation, member), meaning, .absent = "it cannot be stated"              \
    }
static const struct field explanation_fields[] = {
    {"cause", CAUSE(struct explanation)},
    {"per", AT(struct explanation, per), "what it goes along with: a fault, an opcode, a run"},
    EXPLAINED("size", size, "counts that each of these adds"),
    EXPLAINED("low", low, "lower end of its 95 % interval"),
    EXPLAINED("high", high, "upper end of it"),
    EXPLAINED("share", share, "of the squared error, 0 to 1"),
};
static const struct fields explanation_table = FIELDS(
    "validate.explanation", "what adds to the count, and how much each time", explanation_fields);

static const char no_limits[] = "it is not trusted, or how long its windows were is not known";
GETTER(limit_ns, struct judged_limits,
       item->longest_ns ? value_count(item->longest_ns) : value_absent(no_limits))
GETTER(limit_n, struct judged_limits,
       item->longest_ns ? value_count(item->longest_n) : value_absent(no_limits))
GETTER(limit_interrupts, struct judged_limits,
       isfinite(item->interrupts) ? value_real(item->interrupts)
                                  : value_absent("they were not counted along"))
static const struct field limit_fields[] = {
    {"longest_ns", GET(FIELD_COUNT, limit_ns), "how long the longest window was that counted right",
     .unit = UNIT_NS, .absent = no_limits},
    {"longest_n", GET(FIELD_COUNT, limit_n), "its N", .absent = no_limits},
    {"interrupts", GET(FIELD_REAL, limit_interrupts), "interrupts taken in such a window, the mean",
     .absent = "they were not counted along"},
    {"system_calls", AT(struct judged_limits, calls), "some windows held system calls"},
    {"context_switches", AT(struct judged_limits, switches), "some held context switches"},
    {"migrations", AT(struct judged_limits, migrations), "some held moves to another CPU"},
};
static const struct fields limit_table =
    FIELDS("validate.limits",
           "the windows in which a trusted event was seen to count right: of longer ones, and of "
           "what they did not hold, the verdict says nothing",
           limit_fields);
PART(judgement_limits, struct judgement, verdict_is_trusted(item->verdict) ? &item->limits : NULL)

static const char *const filter_names[] = {
    [FILTER_UNKNOWN] = "unknown", [FILTER_WORKS] = "works", [FILTER_IGNORED] = "ignored"};

PART(evidence_part, struct judgement, item->evidence)
GETTER(evidence_error, struct evidence,
       item->error ? value_integer(item->error) : value_absent(NULL))
GETTER(event_rank, struct judgement, item->rank ? value_count(item->rank) : value_absent(NULL))

static const struct field evidence_fields[] = {
    {"event", SPLICED(&name_table)},
    {"kind", AT(struct evidence, kind), "hardware, software, tracepoint, source …",
     .nullable = true},
    {"errno", GET(FIELD_INTEGER, evidence_error), "of opening it; null where it opens",
     .nullable = true},
};
static const struct fields evidence_table = FIELDS("validate.evidence", NULL, evidence_fields);

static const struct field event_fields[] = {
    {"event", SPLICED_BY(evidence_part, &evidence_table)},
    {"verdict", VERDICT(struct judgement)},
    {"cause", CAUSE(struct judgement)},
    {"note", AT(struct judgement, why), "what decided, in words", .zero = true},
    {"overhead", AT(struct judgement, overhead), "what the path of its first row adds to a count",
     .unit = UNIT_OF_EVENT, .known = KNOWN(struct judgement, has_overhead), .absent = no_null},
    {"runs", AT(struct judgement, runs), "runs that got a counter, over all rows"},
    {"disturbed", AT(struct judgement, disturbed), "of these, disturbed ones"},
    {"rank", GET(FIELD_COUNT, event_rank),
     "among the events of its class that were judged: 1 is best; null where it is alone",
     .nullable = true},
    {"disagrees", AT(struct judgement, disagrees), "another path counts differently"},
    {"fits", AT(struct judgement, fits), "the class that it counts instead", .nullable = true},
    {"limits", OBJECT_BY(judgement_limits, &limit_table), "how far the verdict reaches",
     .optional = true},
    {"filter", AT(struct judgement, filter),
     "of an event of user code: do system calls leave its count alone?", NAMED(filter_names)},
    {"explanations", LIST(struct judgement, explanations, explanation_count, &explanation_table),
     "what explains its errors, the most first"},
};
static const struct fields event_table =
    FIELDS("validate.event", "the verdict on an event over all its rows", event_fields);

/* --- ladders that ended early --- */

static const void *cap_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct validating *run = item;
    struct validate_cap *cap = memory_new(1, sizeof(*cap));
    for (size_t i = 0; i < run->plan.subject_count; i++)
        if (validate_cap(&run->plan, i, cap) && index-- == 0)
            return cap;
    return NULL;
}

GETTER(cap_hit, struct validate_cap,
       item->hit_ns > 0 ? value_real(round(item->hit_ns)) : value_absent(NULL))

static const struct field cap_fields[] = {
    {"event", AT(struct validate_cap, event), "whose ladder it is"},
    {"specimen", AT(struct validate_cap, specimen), "the code on it"},
    {"n", AT(struct validate_cap, n), "the largest N that was measured"},
    {"top", AT(struct validate_cap, top), "the largest there would be"},
    {"hit_ns", GET(FIELD_REAL, cap_hit), "what one more of N costs", .unit = UNIT_NS,
     .absent = "it was not measured"},
};
static const struct fields cap_table = FIELDS(
    "validate.cap", "a ladder that ended below its top because of what a hit costs", cap_fields);

/* --- causes that the budget did not reach --- */

static const void *search_at(const void *item, const void *context, size_t index)
{
    (void)context;
    struct validate_search *search = memory_new(1, sizeof(*search));
    return validate_search(item, index, search) ? search : NULL;
}

static const struct field search_fields[] = {
    {"event", AT(struct validate_search, event), "that deviates for an unknown cause"},
    {"budget_s", AT(struct validate_search, budget_s), "with which everything is looked at",
     .unit = UNIT_S},
};
static const struct fields search_table =
    FIELDS("validate.search", "a cause that the budget was too short to look for", search_fields);

/* --- what was found before of events that this run could not open --- */

static const struct field earlier_fields[] = {
    {"event", AT(struct validate_earlier, event), "an event that this run could not open"},
    {"verdict", AT(struct validate_earlier, verdict), "what was found of it"},
    {"validated", AT(struct validate_earlier, validated), "when that run began, UTC", MOMENT},
};
static const struct fields earlier_table =
    FIELDS("validate.earlier", "what the passport says of an event", earlier_fields);

/* --- all of it --- */

GETTER(seconds, struct validating, value_real(round(item->studying.seconds * 10) / 10))

static const struct field analysis_fields[] = {
    {"store", AT(struct validating, studying.stored), "the file that holds the samples"},
    {"passport", AT(struct validating, passport),
     "the file that was written for other programs (assay --schema passport)", .nullable = true},
    {"complete", AT(struct validating, studying.complete), "all of the plan was measured"},
    {"seconds", GET(FIELD_REAL, seconds), "that it all took", .unit = UNIT_S},
    {"runs", AT(struct validating, judgements.runs), "runs that got a counter"},
    {"disturbed", AT(struct validating, judgements.disturbed), "of these, disturbed ones"},
    {"events", LIST(struct validating, judgements.list, judgements.count, &event_table),
     "the verdict on each event"},
    {"capped", LIST_BY(cap_at, &cap_table),
     "ladders that ended below their top because of what a hit costs"},
    {"unsearched", LIST_BY(search_at, &search_table),
     "events whose cause was not looked for to the end"},
    {"earlier", LIST(struct validating, earlier, earlier_count, &earlier_table),
     "what was found on this machine before, of events that this run could not open"},
};
const struct fields validate_analysis = FIELDS("validate.analysis", NULL, analysis_fields);

/* ----------------------------------------------------------------------------------------------
 * The passport (docs/passport.md). Entries come from several runs and from the passport before,
 * so that its events are put together as JSON, each made by the table of an entry. */

GETTER(passport_schema, struct validating, value_text(machine_passport_schema()))
GETTER(passport_version, struct validating, value_text(ASSAY_VERSION))

static struct value written(const void *item, const void *context)
{
    (void)item, (void)context;
    char *now = memory_new(32, 1);
    time_t moment = time(NULL);
    struct tm utc;
    strftime(now, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&moment, &utc));
    return value_text(now);
}

static const void *machine_at(const void *item, const void *context, size_t index)
{
    (void)context;
    struct passport_field *field = memory_new(1, sizeof(*field));
    const struct facts *facts = ((const struct validating *)item)->studying.facts;
    return machine_passport_field(facts, index, field) ? field : NULL;
}

static const struct field machine_fields[] = {
    {"field", AT(struct passport_field, key), "the fact (docs/facts.md)"},
    {"label", AT(struct passport_field, label), "what people call it"},
    {"value", AT(struct passport_field, value),
     "null: the machine has no such thing, or does not say", .nullable = true},
};
static const struct fields passport_machine_table =
    FIELDS("passport.field", "a fact of the machine", machine_fields);

GETTER(refused_reason, struct passport_refusal, value_text(reasons_text(&item->judgement->why)))
GETTER(refused_errno, struct passport_refusal, value_integer(item->judgement->evidence->error))

static struct value circumstances(const void *item, const void *context)
{
    static const char *const keys[] = {"process.euid", "process.capabilities", "process.seccomp",
                                       "perf.paranoid", "container"};
    (void)item;
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        json_object_set_new(object, keys[i], json_text(facts_get(context, keys[i])));
    return (struct value){.kind = FIELD_JSON, .json = object};
}

static const struct field refusal_fields[] = {
    {"refused", AT(struct passport_refusal, moment), "when that run began, UTC", MOMENT},
    {"errno", GET(FIELD_INTEGER, refused_errno), "of opening the event"},
    {"reason", GET(FIELD_TEXT, refused_reason), "the same in words"},
    {"circumstances", GET(FIELD_JSON, circumstances),
     "who tried, and under what: facts as in docs/facts.md", .schema = "object"},
};
const struct fields passport_refusal_table =
    FIELDS("passport.access",
           "the newest run that tried could not open the event; about a user or a sandbox, not the "
           "machine: the verdict stands",
           refusal_fields);

GETTER(entry_note, struct judgement, value_text(reasons_text(&item->why)))
/* The path of the way that judges, and the best truth that it was held against. */
GETTER(entry_path, struct judgement, value_text(item->row_count ? item->rows[0].path : NULL))

static struct value entry_grade(const void *item, const void *context)
{
    (void)context;
    const struct judgement *judgement = item;
    enum truth_grade best = TRUTH_NONE;
    for (size_t i = 0; i < judgement->row_count; i++) {
        enum truth_grade grade = judgement->rows[i].grade;
        if (grade != TRUTH_NONE && (best == TRUTH_NONE || grade < best))
            best = grade;
    }
    return value_count(best);
}

GETTER(entry_moment, struct judgement, value_text(context))
PART(no_access, struct judgement, NULL)

static const struct field entry_fields[] = {
    {"event", SPLICED_BY(evidence_part, &name_table)},
    {"verdict", VERDICT(struct judgement)},
    {"cause", CAUSE(struct judgement)},
    {"note", GET(FIELD_TEXT, entry_note), "what decided, in words", .nullable = true},
    {"path", GET(FIELD_TEXT, entry_path), "on which it was counted; null: it was not",
     .nullable = true},
    {"truth_grade", GET(FIELD_COUNT, entry_grade), "the best truth it was compared with", GRADES},
    {"validated", GET(FIELD_TEXT, entry_moment), "when the run began that says so, UTC", MOMENT},
    {"overhead", AT(struct judgement, overhead),
     "counts that the path itself adds; null: not measured", .unit = UNIT_OF_EVENT,
     .known = KNOWN(struct judgement, has_overhead)},
    {"limits", OBJECT_BY(judgement_limits, &limit_table), "how far the verdict reaches",
     .optional = true},
    {"access", OBJECT_BY(no_access, &passport_refusal_table),
     "that the newest run that tried could not open it", .optional = true},
    {"explanations", LIST(struct judgement, explanations, explanation_count, &explanation_table),
     "what explains its errors, the most first"},
};
const struct fields passport_entry_table =
    FIELDS("passport.event", "the newest verdict for an event", entry_fields);

static const void *no_entry(const void *item, const void *context, size_t index)
{
    (void)item, (void)context, (void)index;
    return NULL;
}

static const struct field passport_fields[] = {
    {"schema", GET(FIELD_TEXT, passport_schema), "what this is", .schema = "^assay/passport/1$"},
    {"version", GET(FIELD_TEXT, passport_version), "of the assay that wrote it"},
    {"fingerprint", AT(struct validating, studying.fingerprint),
     "of the machine; also the name of the file", .schema = "^[0-9a-f]{16}$"},
    {"written", GET(FIELD_TEXT, written), "when, UTC", MOMENT},
    {"machine", LIST_BY(machine_at, &passport_machine_table),
     "what a validation depends on: where one of these differs, it is stale"},
    {"events", LIST_BY(no_entry, &passport_entry_table), "the newest verdict for each"},
};
const struct fields passport_table =
    FIELDS("passport", "the passport that assay validate leaves of a machine, for other programs",
           passport_fields);
