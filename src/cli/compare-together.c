/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of several machines that their own command judges together: the machine as a factor of
 * measurement error, and whether a program counts the same everywhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/compare.h"

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

bool compare_has_machine(const json_t *anova, const char *event)
{
    size_t i;
    json_t *row;
    json_array_foreach(anova, i, row)
    {
        const char *other = json_string_value(json_object_get(row, "event")),
                   *factor = json_string_value(json_object_get(row, "factor"));
        if (other && factor && strcmp(other, event) == 0 && strcmp(factor, "machine") == 0)
            return true;
    }
    return false;
}

/* The two findings that are about several machines. */
json_t *compare_findings_json(const struct comparing *comparing)
{
    static const char *const about[TOGETHER_COUNT] = {"Z6", "M11"};
    json_t *findings = json_array();
    for (size_t i = 0; i < TOGETHER_COUNT; i++) {
        const json_t *envelope = comparing->together[i].retold.envelope;
        size_t j;
        json_t *finding;
        json_array_foreach(json_object_get(envelope, "findings"), j, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            if (id && strcmp(id, about[i]) == 0)
                json_array_append(findings, finding);
        }
    }
    return findings;
}
