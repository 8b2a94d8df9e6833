/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary of a run: from every part the few things that one acts upon, as studies tell them
 * (struct study_line), between what the doctor says and what of the papers holds. */
#include <string.h>

#include "commands/run.h"
#include "engine/told.h"

/* The line of a study that stands behind this place; NULL: there are no more. */
static const struct study_line *next_line(unsigned *place, const struct command **of)
{
    const struct study_line *next = NULL;
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        if (told && told->line.key && told->line.place > *place &&
            (!next || told->line.place < next->place)) {
            next = &told->line;
            *of = *at;
        }
    }
    *place = next ? next->place : *place;
    return next;
}

/* ----------------------------------------------------------------------------------------------
 * The summary as lines. */

static void put_doctor(const json_t *doctor, const struct style *style, struct text *out)
{
    static const char *const order[] = {"bad", "warn", "ok", "absent", NULL};
    const json_t *first = json_object_get(doctor, "first");
    AUTO_TEXT struct text words = {0};
    told_put_counts(json_object_get(doctor, "statuses"), order, &words);
    if (json_is_object(first))
        text_printf(&words, "; begin with `assay doctor %s`", json_word(first, "check"));
    told_put_line("doctor", text_string(&words), 1, style, out);
}

static void put_findings(const json_t *findings, const struct style *style, struct text *out)
{
    const json_t *verdicts = json_object_get(findings, "verdicts");
    json_int_t total = json_integer_value(json_object_get(findings, "total"));
    AUTO_TEXT struct text words = {0};
    if (!total)
        return;
    static const struct {
        const char *verdict, *one, *several;
    } told[] = {{"holds", "holds here", "hold here"},
                {"does not hold", "does not", "do not"},
                {"inconclusive", "open", "open"},
                {"not testable here", "not testable", "not testable"}};
    text_printf(&words, "%" JSON_INTEGER_FORMAT " claims of papers: ", total);
    const char *comma = "";
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        json_int_t count = json_integer_value(json_object_get(verdicts, told[i].verdict));
        if (!count)
            continue;
        text_printf(&words, "%s%" JSON_INTEGER_FORMAT " %s", comma, count,
                    count == 1 ? told[i].one : told[i].several);
        comma = ", ";
    }
    told_put_line("findings", text_string(&words), 1, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The summary as data. */

static json_t *doctor(const json_t *report)
{
    const json_t *machine = json_array_get(json_object_get(report, "machines"), 0);
    const json_t *checks = json_object_get(machine, "doctor"), *check;
    static const char *const keys[] = {"check", "fix", NULL};
    json_t *statuses = json_object(), *first = NULL;
    size_t i;
    if (!json_is_array(checks)) {
        json_decref(statuses);
        return json_null();
    }
    json_array_foreach(checks, i, check)
    {
        const char *fix = told_text(check, "fix");
        told_count(statuses, told_text(check, "status"));
        const char *status = json_word(check, "status");
        bool amiss = strcmp(status, "bad") == 0 || strcmp(status, "warn") == 0;
        if (!first && amiss && fix && *fix)
            first = told_picked(check, keys);
    }
    return JSON_OBJECT({"statuses", statuses}, {"first", first ? first : json_null()});
}

static json_t *findings(const json_t *report)
{
    const json_t *section, *finding;
    json_t *object = json_object(), *verdicts = json_object();
    json_int_t total = 0;
    size_t i, j;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "findings"), j, finding)
        {
            told_count(verdicts, told_text(finding, "verdict"));
            total++;
        }
    }
    JSON_PUT(object, {"total", json_integer(total)}, {"verdicts", verdicts});
    return object;
}

const json_t *run_section_of(const json_t *report, const char *command)
{
    const json_t *section;
    size_t i;
    json_array_foreach(json_object_get(report, "sections"), i, section)
    {
        if (strcmp(json_word(section, "command"), command) == 0)
            return section;
    }
    return NULL;
}

json_t *run_summary(const json_t *report)
{
    json_t *summary = JSON_OBJECT({"doctor", doctor(report)});
    const struct study_line *line;
    const struct command *command;
    for (unsigned place = 0; (line = next_line(&place, &command));) {
        const json_t *section = run_section_of(report, command->name);
        json_object_set_new(
            summary, line->key,
            line->make(json_object_get(section, "results"), json_object_get(section, "analysis")));
    }
    return JSON_PUT(summary, {"findings", findings(report)});
}

void run_summary_put(const json_t *summary, const struct style *style, struct text *out)
{
    const struct study_line *line;
    const struct command *command;
    const json_t *doctors = json_object_get(summary, "doctor");
    if (json_is_object(doctors))
        put_doctor(doctors, style, out);
    for (unsigned place = 0; (line = next_line(&place, &command));) {
        const json_t *data = json_object_get(summary, line->key);
        if (data && !json_is_null(data))
            line->put(data, style, out);
    }
    put_findings(json_object_get(summary, "findings"), style, out);
}
