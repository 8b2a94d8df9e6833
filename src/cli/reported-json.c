/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The object of a report: its sections, each what one run found. */
#include <string.h>
#include <time.h>

#include "engine/command.h"
#include "commands/reported.h"
#include "cli/reproduce.h"
#include "output/json.h"
#include "show/shell.h"

/* Keys that a whole section and a whole report have: one that is missing did not fit into memory.
 */
#define SECTION_KEYS 19
#define REPORT_KEYS  8

static json_t *whole(json_t *object, size_t keys)
{
    if (json_object_size(object) == keys)
        return object;
    json_decref(object);
    return NULL;
}

/* "validate-2": the second run of that command in this report. */
static json_t *id_of(const struct reported *reported, size_t index)
{
    const char *command = reported->list[index].run->command;
    AUTO_TEXT struct text id = {0};
    size_t number = 1;
    for (size_t i = 0; i < index; i++)
        number += strcmp(reported->list[i].run->command, command) == 0;
    for (const char *at = command; *at; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9');
        text_putc(&id, plain ? *at : '-');
    }
    text_printf(&id, "-%zu", number);
    return json_text(text_string(&id));
}

static json_t *reproduce_json(const struct reported_run *judged)
{
    const json_t *seed = json_object_get(judged->retold.envelope, "seed");
    char *digits = seed && !json_is_null(seed) ? json_dumps(seed, JSON_ENCODE_ANY) : NULL;
    AUTO_TEXT struct text words = {0};
    /* Seeds beyond 2^53 are texts. */
    reproduce_put(judged->run->argv, json_is_string(seed) ? json_string_value(seed) : digits,
                  &words);
    free(digits);
    return words.failed ? NULL : json_text(text_string(&words));
}

/* What the envelope has under a key, shared; without one what is empty. */
static void share(json_t *section, const json_t *envelope, const char *key, json_t *empty)
{
    json_t *value = json_object_get(envelope, key);
    if (value)
        json_object_set(section, key, value);
    else
        json_object_set(section, key, empty);
    json_decref(empty);
}

static json_t *section_json(const struct reported *reported, size_t index)
{
    const struct reported_run *judged = &reported->list[index];
    const struct listed_run *run = judged->run;
    const json_t *envelope = judged->retold.envelope;
    char label[8];
    reported_machine_label(reported_machine_of(reported, index), label);
    json_t *section = json_object();
    json_object_set_new(section, "id", id_of(reported, index));
    json_object_set_new(section, "command", json_text(run->command));
    json_object_set_new(section, "title", json_text(reported_title(run->command)));
    json_object_set_new(section, "machine", json_string(label));
    json_object_set_new(section, "lead", reported_lead(envelope));
    json_object_set_new(section, "started", json_text(run->started));
    json_object_set_new(section, "finished", json_text(run->finished));
    json_object_set_new(section, "ended", json_text(run->finished ? NULL : run->ended));
    json_object_set_new(section, "reproduce", reproduce_json(judged));
    json_object_set_new(section, "store", json_text(run->name));
    json_object_set_new(section, "status", json_integer(judged->status));
    json_object_set_new(section, "reason", json_text(judged->reason));
    share(section, envelope, "seed", json_null());
    share(section, envelope, "results", json_array());
    share(section, envelope, "analysis", json_object());
    share(section, envelope, "findings", json_array());
    share(section, envelope, "skipped", json_array());
    json_object_set_new(section, "figures",
                        judged->retold.figures ? json_incref(judged->retold.figures)
                                               : json_array());
    json_object_set_new(section, "words", json_text(text_string(&judged->retold.words)));
    return whole(section, SECTION_KEYS);
}

static json_t *sections_json(const struct reported *reported)
{
    json_t *sections = json_array();
    for (size_t i = 0; i < reported->count; i++)
        json_array_append_new(sections, section_json(reported, i));
    if (json_array_size(sections) == reported->count)
        return sections;
    json_decref(sections);
    return NULL;
}

/* What the whole is short of. */
static json_t *notes_json(const struct reported *reported)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < reported->count; i++) {
        const struct reported_run *judged = &reported->list[i];
        AUTO_TEXT struct text note = {0};
        if (judged->reason)
            text_printf(&note, "%s was left out: %s", judged->run->command, judged->reason);
        else if (!judged->run->finished && judged->run->ended)
            text_printf(&note, "the run of %s in %s %s: what it has is shown", judged->run->command,
                        judged->run->name,
                        strcmp(judged->run->ended, "budget") == 0 ? "ended with its budget"
                                                                  : "was interrupted");
        else if (!judged->run->finished)
            text_printf(&note, "the run of %s in %s is not finished: what it has is shown",
                        judged->run->command, judged->run->name);
        if (note.length)
            json_array_append_new(notes, json_text(text_string(&note)));
    }
    return notes;
}

static json_t *now_json(void)
{
    char moment[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(moment, sizeof(moment), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(moment);
}

/* "assay: Intel Xeon", or how many machines there are. */
static json_t *title_json(const char *title, const json_t *machines)
{
    AUTO_TEXT struct text words = {0};
    size_t count = json_array_size(machines);
    const json_t *name = json_object_get(json_array_get(machines, 0), "cpu");
    if (title)
        return json_text(title);
    if (count > 1)
        text_printf(&words, "%zu machines", count);
    else if (json_is_string(name))
        text_puts(&words, json_string_value(name));
    else
        text_puts(&words, count ? "a machine" : "nothing");
    text_puts(&words, ", assayed");
    return json_text(text_string(&words));
}

json_t *reported_json(const struct reported *reported, const char *title)
{
    json_t *report = json_object(), *machines = reported_machines_json(reported);
    json_object_set_new(report, "schema", json_string("assay-report/1"));
    json_object_set_new(report, "version", json_string(ASSAY_VERSION));
    json_object_set_new(report, "title", title_json(title, machines));
    json_object_set_new(report, "made", now_json());
    json_object_set_new(report, "how", json_null());
    json_object_set_new(report, "machines", machines);
    json_object_set_new(report, "sections", sections_json(reported));
    json_object_set_new(report, "notes", notes_json(reported));
    return whole(report, REPORT_KEYS);
}

void reported_put_how(json_t *report, int argc, char **argv)
{
    AUTO_TEXT struct text words = {0};
    text_puts(&words, "assay");
    for (int i = 1; i < argc; i++) {
        text_putc(&words, ' ');
        text_put_shell(&words, argv[i]);
    }
    json_object_set_new(report, "how", json_text(text_string(&words)));
}
