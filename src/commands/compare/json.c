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
static const char *why_untested(const struct comparing *comparing,
                                const struct compare_together *together,
                                const struct finding *finding)
{
    if (!together->told->factors)
        return NULL;
    if (together->sides < 2)
        return "all sides are one machine";
    if (compare_executes_other_code(comparing))
        return "the sides execute different code, of another instruction set or build, from which "
               "it cannot be told apart";
    return finding->machine_untested ? "nothing that decides was counted on two" : NULL;
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
        const char *why = why_untested(comparing, together, found);
        if (!why)
            continue;
        /* Its verdict would pass for one on the part that was not tested. */
        finding->verdict = FINDING_UNTESTABLE;
        finding->has_estimate = false;
        finding->no_estimate = "the machine was not tested";
        snprintf(finding->reason, sizeof(finding->reason), "not tested: machine (%s)", why);
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

/* What it is and how it stands, as every row begins. */
static json_t *row_of(const struct compare_quantity *quantity, size_t side,
                      enum compare_standing standing, const char *unit)
{
    return JSON_OBJECT(
        {"study", json_text(quantity->study)}, {"event", json_text(quantity->event)},
        {"subject", json_text(quantity->subject)}, {"side", compare_letter_json(side)},
        {"standing", json_text(compare_standing_names[standing])}, {"unit", json_text(unit)});
}

static json_t *effect_json(const struct comparing *comparing, const struct compare_effect *effect)
{
    const struct compare_quantity *quantity = &comparing->file.quantities[effect->quantity];
    const bool compared = effect->group != COMPARE_NO_GROUP;
    const char *why = compared ? too_few : not_compared;
    json_t *row = row_of(quantity, effect->side, effect->standing, effect->unit);
    JSON_PUT(row, {"factors", json_text(quantity->factors)},
             {"timed", json_boolean(quantity->timed)},
             {"first_processes", json_count(effect->first_count)},
             {"processes", json_count(effect->count)});
    if (effect->why)
        json_object_set_new(row, "why", json_text(effect->why));
    const struct interval none = {(double)NAN, (double)NAN};
    const struct interval *shift = compared ? &effect->shift_interval : &none,
                          *delta = compared ? &effect->delta_interval : &none,
                          *ratio = compared ? &effect->ratio_interval : &none;
    JSON_PUT_REALS(row, {"first_median", effect->first_median, not_compared},
                   {"median", effect->median, not_compared}, {"shift", effect->shift, not_compared},
                   {"shift_low", shift->low, why}, {"shift_high", shift->high, why},
                   {"ratio", effect->ratio, compared ? "a value is not positive" : not_compared},
                   {"ratio_low", ratio->low, why}, {"ratio_high", ratio->high, why},
                   {"delta", effect->delta, not_compared}, {"delta_low", delta->low, why},
                   {"delta_high", delta->high, why}, {"p", effect->p, not_compared},
                   {"adjusted_p", effect->adjusted_p, not_compared});
    return row;
}

json_t *compare_results_json(const void *run)
{
    const struct comparing *comparing = run;
    json_t *rows = json_array();
    for (size_t i = 0; i < comparing->report.effect_count; i++)
        json_array_append_new(rows, effect_json(comparing, &comparing->report.effects[i]));
    return rows;
}

static json_t *facts_json_of(const struct comparing *comparing)
{
    static const char *const weights[] = {"code", "machine", "setting"};
    json_t *facts = json_array();
    for (size_t i = 0; i < comparing->file.fact_count; i++) {
        const struct compare_fact *fact = &comparing->file.facts[i];
        if (!comparing->report.fact_differs[i])
            continue;
        json_t *row = json_object(), *values = json_array();
        for (size_t side = 0; side < comparing->file.side_count; side++)
            json_array_append_new(values, json_text(fact->values[side]));
        JSON_PUT(row, {"fact", json_text(fact->key)}, {"title", json_text(fact->title)},
                 {"weight", json_text(weights[fact->weight])}, {"values", values});
        json_array_append_new(facts, row);
    }
    return facts;
}

static json_t *word_json(const struct compare_word *word)
{
    if (!word->word)
        return json_null();
    json_t *row =
        JSON_OBJECT({"verdict", json_text(word->word)}, {"detail", json_text(word->detail)},
                    {"unsure", json_boolean(word->unsure)});
    if (word->runs) {
        JSON_PUT(row, {"alike", json_count(word->hits)}, {"runs", json_count(word->runs)});
    }
    return row;
}

static json_t *verdicts_json(const struct comparing *comparing)
{
    json_t *verdicts = json_array();
    for (size_t i = 0; i < comparing->report.verdict_count; i++) {
        const struct compare_verdict *verdict = &comparing->report.verdicts[i];
        const struct compare_claim *claim = &comparing->file.claims[verdict->claim];
        json_t *row = json_object(), *sides = json_array();
        for (size_t side = 0; side < comparing->file.side_count; side++)
            json_array_append_new(sides, word_json(&claim->sides[side]));
        JSON_PUT(row, {"study", json_text(claim->study)}, {"subject", json_text(claim->subject)},
                 {"standing", json_text(compare_standing_names[verdict->standing])},
                 {"sides", sides});
        json_put_real(row, "adjusted_p", verdict->adjusted_p, "it counts no runs");
        json_array_append_new(verdicts, row);
    }
    return verdicts;
}

static json_t *group_json(const struct comparing *comparing, const struct compare_group *group)
{
    static const char alone[] = "it is one quantity alone, or nothing in it varies";
    const struct compare_effect *typical = &comparing->report.effects[group->typical];
    json_t *row = row_of(&comparing->file.quantities[group->quantity], group->side, group->standing,
                         group->unit);
    JSON_PUT(row, {"quantities", json_count(group->quantities)},
             {"differing", json_count(group->differing)},
             {"typical", json_text(comparing->file.quantities[typical->quantity].factors)});
    JSON_PUT_REALS(
        row, {"first_median", typical->first_median, too_few}, {"median", typical->median, too_few},
        {"shift", typical->shift, too_few}, {"ratio", typical->ratio, "a value is not positive"},
        {"delta", group->delta, too_few}, {"delta_low", group->delta_interval.low, too_few},
        {"delta_high", group->delta_interval.high, too_few}, {"p", group->p, alone},
        {"adjusted_p", group->adjusted_p, alone});
    return row;
}

static json_t *deviations_json(const struct comparing *comparing)
{
    json_t *deviations = json_array();
    for (size_t i = 0; i < comparing->report.deviation_count; i++) {
        const struct compare_deviation *deviation = &comparing->report.deviations[i];
        const struct compare_quantity *quantity = &comparing->file.quantities[deviation->quantity];
        json_t *row = JSON_OBJECT({"program", json_text(quantity->subject)},
                                  {"event", json_text(quantity->event)},
                                  {"sides", json_count(deviation->machines)});
        JSON_PUT_REALS(row, {"mean", deviation->mean, NULL},
                       {"deviation_percent", deviation->deviation_percent, NULL},
                       {"worst_percent", deviation->worst_percent, NULL});
        json_array_append_new(deviations, row);
    }
    return deviations;
}

json_t *compare_analysis_json(const void *run)
{
    const struct comparing *comparing = run;
    const struct string_list headline = compare_headline(comparing);
    json_t *analysis = JSON_OBJECT({"different", json_boolean(comparing->report.different)},
                                   {"headline", told_json(&headline)});
    json_t *sides = json_array();
    for (size_t i = 0; i < comparing->file.side_count; i++) {
        const struct compare_side *side = &comparing->file.sides[i];
        json_t *runs = json_array(), *row = json_object();
        for (size_t j = 0; j < comparing->reported.count; j++)
            if (comparing->side_of[j] == i) {
                json_array_append_new(
                    runs,
                    JSON_OBJECT({"store", json_text(comparing->reported.list[j].run->name)},
                                {"command", json_text(comparing->reported.list[j].run->command)}));
            }
        JSON_PUT(row, {"side", compare_letter_json(i)}, {"label", json_text(side->label)},
                 {"machine", json_machine(&comparing->facts[i], side->fingerprint)},
                 {"runs", runs});
        const char *unknown = memory_format("no run of `assay %s` tells it", comparing->tick_study);
        json_put_real(row, "tick_ns", side->tick_ns > 0 ? side->tick_ns : (double)NAN, unknown);
        json_array_append_new(sides, row);
    }
    json_object_set_new(analysis, "sides", sides);

    JSON_PUT(analysis, {"facts", facts_json_of(comparing)}, {"verdicts", verdicts_json(comparing)});
    json_t *groups = json_array();
    for (size_t k = 0; k < comparing->report.group_count; k++)
        json_array_append_new(groups, group_json(comparing, &comparing->report.groups[k]));
    json_object_set_new(analysis, "groups", groups);

    json_object_set_new(analysis, "deviations", deviations_json(comparing));
    const struct compare_together *anova = compare_anova(comparing);
    json_object_set_new(analysis, "anova",
                        anova ? anova->told->factors_json(anova->retold.finish.run) : json_array());

    JSON_PUT(analysis, {"tests", json_count(comparing->report.tests)},
             {"notes", told_json(&comparing->notes)});
    return analysis;
}
