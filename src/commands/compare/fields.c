/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison for programs: a row a quantity and side, and what all of it says. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "commands/compare/compare.h"
#include "commands/help.h"
#include "engine/findings.h"
#include "engine/told.h"
#include "machine/check.h"
#include "output/field.h"

/* ----------------------------------------------------------------------------------------------
 * Runs of several machines that their own command judges together: the machine as a factor of
 * measurement error, and whether a program counts the same everywhere. */

void compare_find_together(struct comparing *comparing)
{
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        if (told && told->compared.together)
            *memory_add(comparing->together, comparing->together_count) =
                (struct compare_together){.command = (*at)->name, .told = &told->compared};
    }
}

/* The first run of the command on each machine, as words for it. */
struct line {
    const char *words[2 + 2 * COMPARE_MOST_SIDES];
    size_t count;
};

static bool machine_before(const struct comparing *comparing, size_t side, const bool *taken)
{
    for (size_t i = 0; i < comparing->file.side_count; i++)
        if (i != side && taken[i] &&
            strcmp(comparing->file.sides[i].fingerprint, comparing->file.sides[side].fingerprint) ==
                0)
            return true;
    return false;
}

/* How many machines it holds. */
static size_t line_of(const struct comparing *comparing, const char *command, struct line *line)
{
    bool taken[COMPARE_MOST_SIDES] = {false};
    size_t machines = 0;
    *line = (struct line){.words = {command}, .count = 1};
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        const size_t side = comparing->side_of[i];
        if (strcmp(judged->run->command, command) != 0 || !judged->retold.is_there || taken[side] ||
            machine_before(comparing, side, taken))
            continue;
        taken[side] = true;
        machines++;
        line->words[line->count++] = "--from";
        line->words[line->count++] = judged->run->name;
    }
    line->words[line->count++] = "--quiet";
    return machines;
}

int compare_take_together(struct comparing *comparing, struct failure *failure)
{
    for (size_t i = 0; i < comparing->together_count; i++) {
        struct compare_together *together = &comparing->together[i];
        struct line line;
        together->sides = line_of(comparing, together->command, &line);
        if (together->sides < 2)
            continue;
        int status = retell(line.words, line.count, &together->retold);
        if (interrupted)
            return fail_with(failure, -EINTR, "interrupted");
        if (!together->retold.is_there)
            compare_note(comparing,
                         "assay %s could not judge the machines together: exit status %d",
                         together->command, status);
        else if (together->told->factors)
            together->factor_count =
                together->told->factors(together->retold.finish.run, &together->factors);
    }
    return 0;
}

const struct compare_together *compare_anova(const struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->together_count; i++)
        if (comparing->together[i].factor_count)
            return &comparing->together[i];
    return NULL;
}

#define SHARE_SHOWN .0005 /* what a table rounds to more than nothing */

bool compare_has_machine(const struct compare_together *anova, const char *event)
{
    bool machine = false, explains = false;
    for (size_t i = 0; i < anova->factor_count; i++) {
        const struct compared_factor *factor = &anova->factors[i];
        if (strcmp(factor->event, event) != 0)
            continue;
        machine |= factor->machine;
        explains |= factor->share >= SHARE_SHOWN;
    }
    return machine && explains;
}

/* --- what papers say of several machines --- */

/* Is this finding of a paper about several machines? Then no side has it for itself. */
static bool is_of_several(const struct comparing *comparing, const char *finding)
{
    for (size_t i = 0; i < comparing->together_count; i++)
        if (strcmp(comparing->together[i].told->together, finding) == 0)
            return true;
    return false;
}

/* What the runs of the sides say together; else, of one machine, what the first of several says. */
static const struct retold *retold_of(const struct comparing *comparing,
                                      const struct compare_together *together)
{
    const struct retold *first = NULL;
    size_t side = 0;
    if (together->retold.is_there)
        return &together->retold;
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        if (strcmp(judged->run->command, together->command) != 0 || !judged->retold.is_there)
            continue;
        if (first && comparing->side_of[i] != side)
            return first;
        if (!first) {
            first = &judged->retold;
            side = comparing->side_of[i];
        }
    }
    return NULL;
}

static const struct finding *finding_in(const struct retold *retold, const char *id)
{
    for (size_t i = 0; retold && i < retold->finish.finding_count; i++) {
        const struct finding *finding = &retold->finish.findings[i];
        if (finding->id && strcmp(finding->id, id) == 0)
            return finding;
    }
    return NULL;
}

/* Why the machine was no factor of what was judged; NULL: it was. */
static const struct reason_words *why_untested(const struct comparing *comparing,
                                               const struct compare_together *together,
                                               const struct finding *finding)
{
    if (!together->told->factors)
        return NULL;
    if (together->sides < 2)
        return &compare_words[COMPARE_ONE_MACHINE];
    if (compare_executes_other_code(comparing))
        return &compare_words[COMPARE_OTHER_CODE];
    return finding->machine_untested ? &compare_words[COMPARE_UNCOUNTED] : NULL;
}

void compare_take_findings(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->together_count; i++) {
        const struct compare_together *together = &comparing->together[i];
        const struct finding *found =
            finding_in(retold_of(comparing, together), together->told->together);
        if (!found)
            continue;
        struct finding *finding = memory_add(comparing->findings, comparing->finding_count);
        *finding = *found;
        const struct reason_words *why = why_untested(comparing, together, found);
        if (!why)
            continue;
        /* Its verdict would pass for one on the part that was not tested. */
        finding->verdict = FINDING_UNTESTABLE;
        finding->has_estimate = false;
        finding->no_estimate = "the machine was not tested";
        finding->why = (struct reasons){0};
        reasons_add(&finding->why, JOINT_CLAUSE, why, NULL, 0);
    }
}

/* ----------------------------------------------------------------------------------------------
 * What studies say of what they judged, as words that can be held against each other: from runs
 * that were judged again, and from the doctor's view of each machine. */

/* Whether a claim holds may depend on what a budget held: only estimates that part are other.
 * Ratios of times are, wherever a machine has times. */
static void take_finding(const struct compared *compared, const struct study_compared *told,
                         const struct finding *finding)
{
    const bool timed = told->timed && !compared->file->sides[compared->side].emulated;
    const double missing = finding->has_estimate ? 0 : (double)NAN;
    const struct compare_word word = {.word = finding_verdict_names[finding->verdict],
                                      .unsure = finding->verdict == FINDING_INCONCLUSIVE,
                                      .estimated = true,
                                      .low = finding->low + missing,
                                      .high = finding->high + missing,
                                      .unit = finding->unit,
                                      .margin = timed ? COMPARE_TIME_MARGIN : 0};
    AUTO_TEXT struct text subject = {0};
    text_printf(&subject, "finding %s", finding->id);
    told_word(compared, text_string(&subject), &word);
}

void compare_take_claims(struct comparing *comparing)
{
    struct compare_case *file = &comparing->file;
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        const struct finish *finish = &judged->retold.finish;
        const struct compared compared = {file, judged->run->command, comparing->side_of[i]};
        const struct study_told *told = told_of(command_find(compared.study));
        if (!judged->retold.is_there || !told)
            continue;
        if (told->compared.say)
            told->compared.say(&compared, finish->run);
        for (size_t j = 0; j < finish->finding_count; j++) {
            const struct finding *finding = &finish->findings[j];
            if (finding->id && finding->verdict != FINDING_UNTESTABLE &&
                !is_of_several(comparing, finding->id))
                take_finding(&compared, &told->compared, finding);
        }
    }
    for (size_t side = 0; side < file->side_count; side++) {
        const struct compared compared = {file, "doctor", side};
        for (const struct check *const *check = check_registry; *check; check++) {
            const char *name = (*check)->name;
            struct advice advice = {0};
            check_judge(*check, &comparing->facts[side], &advice);
            /* Load and stolen time are of the moment. */
            const struct compare_word word = {.word = check_status_names[advice.status],
                                              .unsure = strcmp(name, "load") == 0 ||
                                                        strcmp(name, "steal") == 0};
            told_word(&compared, name, &word);
        }
    }
}

/* --- the comparison itself --- */

static const char too_few[] = "there are too few values for one";
static const char not_compared[] = "it was not compared";
static const char not_positive[] = "a value is not positive";

static const struct compare_quantity *quantity_at(const void *context, size_t index)
{
    return &((const struct comparing *)context)->file.quantities[index];
}

static const struct field quantity_fields[] = {
    {"study", AT(struct compare_quantity, study), "that measured it", .column = true},
    {"event", AT(struct compare_quantity, event), "what was counted", .column = true},
    {"subject", AT(struct compare_quantity, subject), "path, operation, program or clock",
     .column = true},
};
static const struct fields quantity_table = FIELDS("compare.quantity", NULL, quantity_fields);

#define STANDING(type)                                                                             \
    {                                                                                              \
        "standing", AT(type, standing),                                                            \
            "differs: distinct after adjusting for all tests; within: by less than runs of "       \
            "one machine; unsure: the rest of its group does not; few: too few processes to "      \
            "tell; one side: measured there alone; no unit: why",                                  \
            NAMED(compare_standing_names), .column = true                                          \
    }

/* --- one quantity on one side --- */

PART(effect_quantity, struct compare_effect, quantity_at(context, item->quantity))

GETTER(effect_side, struct compare_effect, value_text(compare_letter(item->side)))

#define COMPARED(name, member)                                                                     \
    static struct value get_##name(const void *item, const void *context)                          \
    {                                                                                              \
        (void)context;                                                                             \
        const struct compare_effect *effect = item;                                                \
        return effect->group == COMPARE_NO_GROUP ? value_absent(not_compared)                      \
                                                 : value_real(effect->member);                     \
    }
COMPARED(shift_low, shift_interval.low)
COMPARED(shift_high, shift_interval.high)
COMPARED(ratio, ratio)
COMPARED(ratio_low, ratio_interval.low)
COMPARED(ratio_high, ratio_interval.high)
COMPARED(delta_low, delta_interval.low)
COMPARED(delta_high, delta_interval.high)

static const struct field measured_fields[] = {
    {"factors", AT(struct compare_quantity, factors), "all that else is the same on both sides",
     .column = true},
    {"timed", AT(struct compare_quantity, timed), "it depends on speed and load"},
};
static const struct fields measured_table = FIELDS("compare.measured", NULL, measured_fields);

#define OF_EFFECT(key_, member, meaning_)                                                          \
    {                                                                                              \
        key_, AT(struct compare_effect, member), meaning_, .absent = not_compared                  \
    }
static const struct field effect_fields[] = {
    {"", SPLICED_BY(effect_quantity, &quantity_table)},
    {"side", GET(FIELD_TEXT, effect_side), "compared with A", .column = true},
    STANDING(struct compare_effect),
    {"unit", AT(struct compare_effect, unit), "of its figures", .column = true},
    {"", SPLICED_BY(effect_quantity, &measured_table)},
    {"first_processes", AT(struct compare_effect, first_count), "of A"},
    {"processes", AT(struct compare_effect, count), "of this side"},
    {"why", AT(struct compare_effect, why), "it has no unit", .optional = true},
    OF_EFFECT("first_median", first_median, "of the processes of A"),
    OF_EFFECT("median", median, "of those of this side"),
    {"shift", AT(struct compare_effect, shift), "Hodges and Lehmann's, from A upwards",
     .absent = not_compared, .column = true},
    {"shift_low", GET(FIELD_REAL, get_shift_low), "of its 95 % interval", .absent = too_few},
    {"shift_high", GET(FIELD_REAL, get_shift_high), "of its 95 % interval", .absent = too_few},
    {"ratio", GET(FIELD_REAL, get_ratio), "of this side over A", .absent = not_positive,
     .column = true},
    {"ratio_low", GET(FIELD_REAL, get_ratio_low), "of its 95 % interval", .absent = too_few},
    {"ratio_high", GET(FIELD_REAL, get_ratio_high), "of its 95 % interval", .absent = too_few},
    OF_EFFECT("delta", delta, "Cliff's, from -1 to 1"),
    {"delta_low", GET(FIELD_REAL, get_delta_low), "of its 95 % interval", .absent = too_few},
    {"delta_high", GET(FIELD_REAL, get_delta_high), "of its 95 % interval", .absent = too_few},
    OF_EFFECT("p", p, "of Mann and Whitney's test"),
    {"adjusted_p", AT(struct compare_effect, adjusted_p),
     "by Holm's method over all tests of the comparison", .absent = not_compared, .column = true},
};
static const struct fields effect_table =
    FIELDS("compare", "one quantity on one side, against the first; processes are the replicates",
           effect_fields);
const struct field compare_results = {
    "results", LIST(struct comparing, report.effects, report.effect_count, &effect_table)};

/* --- facts that differ --- */

static const void *fact_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct comparing *comparing = item;
    for (size_t i = 0; i < comparing->file.fact_count; i++)
        if (comparing->report.fact_differs[i] && !index--)
            return &comparing->file.facts[i];
    return NULL;
}

static struct value fact_value(const void *item, const void *context, size_t side)
{
    const struct compare_fact *fact = item;
    if (side >= ((const struct comparing *)context)->file.side_count)
        return value_absent(NULL);
    return fact->values[side] ? value_text(fact->values[side]) : value_null();
}

static const char *const weights[] = {"code", "machine", "setting"};
static const struct field fact_fields[] = {
    {"fact", AT(struct compare_fact, key), "its key (docs/facts.md)"},
    {"title", AT(struct compare_fact, title), "the same for people"},
    {"weight", AT(struct compare_fact, weight), "code: counts are of other code", NAMED(weights)},
    {"values",
     {.kind = FIELD_LIST, .element = fact_value, .element_kind = FIELD_TEXT, .gaps = true},
     "by side"},
};
static const struct fields fact_table =
    FIELDS("compare.fact", "something in which the machines differ", fact_fields);

/* --- verdicts --- */

GETTER(get_alike, struct compare_word, item->runs ? value_count(item->hits) : value_absent(NULL))

static const struct field word_fields[] = {
    {"verdict", AT(struct compare_word, word), "what was said"},
    {"detail", AT(struct compare_word, detail), "its cause, or the like", .nullable = true},
    {"unsure", AT(struct compare_word, unsure), "it could as well have come out otherwise"},
    {"alike", GET(FIELD_COUNT, get_alike), "runs that were alike", .optional = true},
    {"runs", AT(struct compare_word, runs), "of so many", .nonzero = true, .optional = true},
};
static const struct fields word_table =
    FIELDS("compare.word", "what a study said on one side", word_fields);

PART(claim_of, struct compare_verdict,
     &((const struct comparing *)context)->file.claims[item->claim])

static struct value get_words(const void *item, const void *context)
{
    const size_t sides = ((const struct comparing *)context)->file.side_count;
    const struct compare_claim *claim = item;
    json_t *list = json_array();
    for (size_t side = 0; side < sides; side++)
        json_array_append_new(list, claim->sides[side].word
                                        ? fields_json(&word_table, &claim->sides[side], context)
                                        : json_null());
    return value_json(list);
}

static const struct field claim_fields[] = {
    {"study", AT(struct compare_claim, study), "that says it"},
    {"subject", AT(struct compare_claim, subject), "of what"},
    {"sides",
     {.kind = FIELD_LIST, .get = get_words, .of = &word_table, .gaps = true},
     "what is said on each; null: nothing"},
};
static const struct fields claim_table = FIELDS("compare.claim", NULL, claim_fields);
static const struct field verdict_fields[] = {
    {"", SPLICED_BY(claim_of, &claim_table)},
    STANDING(struct compare_verdict),
    {"adjusted_p", AT(struct compare_verdict, adjusted_p), "of those that count runs",
     .absent = "it counts no runs"},
};
static const struct fields verdict_table =
    FIELDS("compare.verdict", "one claim on all sides", verdict_fields);

/* --- quantities together --- */

PART(group_quantity, struct compare_group, quantity_at(context, item->quantity))

GETTER(group_side, struct compare_group, value_text(compare_letter(item->side)))

PART(typical_of, struct compare_group,
     &((const struct comparing *)context)->report.effects[item->typical])

GETTER(get_typical, struct compare_effect,
       value_text(quantity_at(context, item->quantity)->factors))

static const struct field typical_fields[] = {
    {"typical", GET(FIELD_TEXT, get_typical),
     "factors of the quantity whose medians, shift and ratio these are: the one in the middle of "
     "those that differ by themselves, or of all"},
    {"first_median", AT(struct compare_effect, first_median), "of A", .absent = too_few},
    {"median", AT(struct compare_effect, median), "of this side", .absent = too_few},
    {"shift", AT(struct compare_effect, shift), "from A upwards", .absent = too_few},
    {"ratio", AT(struct compare_effect, ratio), "of this side over A", .absent = not_positive},
};
static const struct fields typical_table = FIELDS("compare.typical", NULL, typical_fields);

static const char alone[] = "it is one quantity alone, or nothing in it varies";
static const struct field group_fields[] = {
    {"", SPLICED_BY(group_quantity, &quantity_table)},
    {"side", GET(FIELD_TEXT, group_side), "compared with A"},
    STANDING(struct compare_group),
    {"unit", AT(struct compare_group, unit), "of its figures"},
    {"quantities", AT(struct compare_group, quantities), "that were compared"},
    {"differing", AT(struct compare_group, differing), "of them by themselves"},
    {"", SPLICED_BY(typical_of, &typical_table)},
    {"delta", AT(struct compare_group, delta),
     "Cliff's: of the typical one where it differs by itself, else over all quantities",
     .absent = too_few},
    {"delta_low", AT(struct compare_group, delta_interval.low), "of its 95 % interval",
     .absent = too_few},
    {"delta_high", AT(struct compare_group, delta_interval.high), "of its 95 % interval",
     .absent = too_few},
    {"p", AT(struct compare_group, p), "of van Elteren's test", .absent = alone},
    {"adjusted_p", AT(struct compare_group, adjusted_p), "as of a quantity", .absent = alone},
};
static const struct fields group_table =
    FIELDS("compare.group", "quantities of one study, event and subject together", group_fields);

/* --- programs --- */

PART(deviation_quantity, struct compare_deviation, quantity_at(context, item->quantity))

static const struct field program_fields[] = {
    {"program", AT(struct compare_quantity, subject), "that was controlled"},
    {"event", AT(struct compare_quantity, event), "what was counted"},
};
static const struct fields program_table = FIELDS("compare.program", NULL, program_fields);
#define UNTOLD .absent = "it cannot be stated from what was measured"
static const struct field deviation_fields[] = {
    {"", SPLICED_BY(deviation_quantity, &program_table)},
    {"sides", AT(struct compare_deviation, machines), "that counted it"},
    {"mean", AT(struct compare_deviation, mean), "over them", UNTOLD},
    {"deviation_percent", AT(struct compare_deviation, deviation_percent),
     "standard deviation of the sides, over the mean", UNIT_PERCENT, UNTOLD},
    {"worst_percent", AT(struct compare_deviation, worst_percent), "largest distance from the mean",
     UNIT_PERCENT, UNTOLD},
};
static const struct fields deviation_table =
    FIELDS("compare.deviation", "a controlled program from side to side", deviation_fields);

/* --- sides --- */

GETTER(get_letter, struct compare_side,
       value_text(compare_letter((size_t)(item - ((const struct comparing *)context)->file.sides))))

static const void *side_machine(const void *item, const void *context)
{
    const struct comparing *comparing = context;
    const struct compare_side *side = item;
    return machine_of_facts(&comparing->facts[side - comparing->file.sides], side->fingerprint);
}

static const void *side_run(const void *item, const void *context, size_t index)
{
    const struct comparing *comparing = context;
    const size_t side = (size_t)((const struct compare_side *)item - comparing->file.sides);
    for (size_t i = 0; i < comparing->reported.count; i++)
        if (comparing->side_of[i] == side && !index--)
            return comparing->reported.list[i].run;
    return NULL;
}

static struct value get_tick(const void *item, const void *context)
{
    const char *study = ((const struct comparing *)context)->file.tick_study;
    const struct compare_side *side = item;
    return side->tick_ns > 0 ? value_real(side->tick_ns)
                             : value_absent(memory_format("no run of `assay %s` tells it", study));
}

static const struct field run_fields[] = {
    {"store", AT(struct listed_run, name), "where it is"},
    {"command", AT(struct listed_run, command), "that measured it"},
};
static const struct fields run_table = FIELDS("compare.run", "a run of a side", run_fields);
static const struct field side_fields[] = {
    {"side", GET(FIELD_TEXT, get_letter), "A, B …"},
    {"label", AT(struct compare_side, label), "what differs, or as --label says"},
    {"machine", OBJECT_BY(side_machine, &machine_table), "what it is"},
    {"runs", LIST_BY(side_run, &run_table), "that are of it"},
    {"tick_ns", GET(FIELD_REAL, get_tick), "how long a tick of its counter is", UNIT_NS,
     .absent = "no run tells it"},
};
static const struct fields side_table = FIELDS("compare.side", "a side", side_fields);

/* --- the whole --- */

static struct value get_anova(const void *item, const void *context)
{
    (void)context;
    const struct compare_together *anova = compare_anova(item);
    return value_json(anova ? anova->told->factors_json(anova->retold.finish.run) : json_array());
}

static const struct field analysis_fields[] = {
    {"different", AT(struct comparing, report.different),
     "a verdict or a quantity differs; --fail-on difference asks for this"},
    {"headline", TEXTS(struct comparing, headline.whole), "what came out, in a few sentences"},
    {"sides", LIST(struct comparing, file.sides, file.side_count, &side_table), "what is compared"},
    {"facts", LIST_BY(fact_at, &fact_table), "that differ"},
    {"verdicts", LIST(struct comparing, report.verdicts, report.verdict_count, &verdict_table),
     "what studies, papers and the doctor say"},
    {"groups", LIST(struct comparing, report.groups, report.group_count, &group_table),
     "quantities together, by van Elteren's test"},
    {"deviations",
     LIST(struct comparing, report.deviations, report.deviation_count, &deviation_table),
     "of controlled programs"},
    {"anova", GET(FIELD_JSON, get_anova),
     "the machine among the factors of measurement error, as that study has them",
     .schema = "array"},
    {"tests", AT(struct comparing, report.tests), "all that were adjusted for"},
    {"notes", TEXTS(struct comparing, notes), "what was left out, and what to know"},
};
const struct fields compare_analysis =
    FIELDS("compare.analysis", "what all sides say together", analysis_fields);
