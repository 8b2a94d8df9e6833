/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of several machines that their own command judges together: the machine as a factor of
 * measurement error, and whether a program counts the same everywhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "commands/compare/compare.h"
#include "cli/invoke.h"
#include "studies/validate/study.h"

static const char *const commands[TOGETHER_COUNT] = {"error", "repeat"};

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
        if (strcmp(judged->run->command, command) != 0 || !judged->retold.envelope || taken[side] ||
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
    for (size_t i = 0; i < TOGETHER_COUNT; i++) {
        struct compare_together *together = &comparing->together[i];
        struct line line;
        together->command = commands[i];
        together->sides = line_of(comparing, commands[i], &line);
        if (together->sides < 2)
            continue;
        int status = retell(line.words, line.count, &together->retold);
        if (interrupted)
            return fail_with(failure, -EINTR, "interrupted");
        if (!together->retold.envelope)
            compare_note(comparing,
                         "assay %s could not judge the machines together: exit status %d",
                         commands[i], status);
    }
    return 0;
}

json_t *compare_anova(const struct comparing *comparing)
{
    const json_t *envelope = comparing->together[TOGETHER_ERROR].retold.envelope;
    json_t *rows = json_object_get(json_object_get(envelope, "analysis"), "anova");
    return json_array_size(rows) ? rows : NULL;
}

#define SHARE_SHOWN .0005 /* what a table rounds to more than nothing */

bool compare_has_machine(const json_t *anova, const char *event)
{
    size_t i;
    json_t *row;
    bool machine = false, explains = false;
    json_array_foreach(anova, i, row)
    {
        if (strcmp(json_word(row, "event"), event) != 0)
            continue;
        machine |= strcmp(json_word(row, "factor"), "machine") == 0;
        explains |= json_number_value(json_object_get(row, "effect_size")) >= SHARE_SHOWN;
    }
    return machine && explains;
}

/* --- what papers say of several machines --- */

static const struct {
    const char *id;
    bool factor; /* it says that the machine is one */
} of_several[TOGETHER_COUNT] = {
    [TOGETHER_ERROR] = {"Z6", true}, [TOGETHER_REPEAT] = {"M11", false}};

bool compare_is_of_several(const char *finding)
{
    for (size_t i = 0; i < TOGETHER_COUNT; i++)
        if (strcmp(of_several[i].id, finding) == 0)
            return true;
    return false;
}

/* What the runs of the sides say together; else, of one machine, what the first of several says. */
static const json_t *envelope_of(const struct comparing *comparing, size_t which)
{
    const struct compare_together *together = &comparing->together[which];
    const json_t *first = NULL;
    size_t side = 0;
    if (together->retold.envelope)
        return together->retold.envelope;
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        if (strcmp(judged->run->command, together->command) != 0 || !judged->retold.envelope)
            continue;
        if (first && comparing->side_of[i] != side)
            return first;
        if (!first) {
            first = judged->retold.envelope;
            side = comparing->side_of[i];
        }
    }
    return NULL;
}

static json_t *finding_in(const json_t *envelope, const char *id)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(envelope, "findings"), i, finding)
    {
        if (strcmp(json_word(finding, "id"), id) == 0)
            return finding;
    }
    return NULL;
}

/* Why the machine was no factor of what was judged; NULL: it was. */
static const char *why_untested(const struct comparing *comparing, size_t which,
                                const json_t *finding)
{
    const char *untested = strstr(json_word(finding, "reason"), "not tested: ");
    if (comparing->together[which].sides < 2)
        return "all sides are one machine";
    if (compare_executes_other_code(comparing))
        return "the sides execute different code, of another instruction set or build, from which "
               "it cannot be told apart";
    return untested && strstr(untested, "machine") ? "nothing that decides was counted on two"
                                                   : NULL;
}

/* The finding without its verdict: it would pass for one on the part that was not tested. */
static json_t *without_verdict(const json_t *finding, const char *why)
{
    static const char *const figures[] = {"estimate", "low", "high", "detectable"};
    AUTO_TEXT struct text reason = {0};
    json_t *other = json_copy((json_t *)finding);
    text_printf(&reason, "not tested: machine (%s)", why);
    json_object_set_new(other, "verdict", json_string(finding_verdict_names[FINDING_UNTESTABLE]));
    json_object_set_new(other, "reason", json_text(text_string(&reason)));
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        json_absent(other, figures[i], "the machine was not tested");
    return other;
}

json_t *compare_findings_json(const struct comparing *comparing)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < TOGETHER_COUNT; i++) {
        json_t *finding = finding_in(envelope_of(comparing, i), of_several[i].id);
        const char *why =
            finding && of_several[i].factor ? why_untested(comparing, i, finding) : NULL;
        if (finding)
            json_array_append_new(findings,
                                  why ? without_verdict(finding, why) : json_incref(finding));
    }
    return findings;
}
