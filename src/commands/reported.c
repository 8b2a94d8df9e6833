/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has every run judged again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "commands/doctor.h"
#include "commands/help.h"
#include "commands/reported.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/run-store.h"
#include "engine/study.h"
#include "output/json.h"
#include "output/output.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * The machines of a report: what each said of itself when it was measured, and what the doctor
 * says of that. */

void reported_machine_label(size_t number, char label[8])
{
    char letters[8];
    size_t count = 0;
    do {
        letters[count++] = (char)('A' + number % 26);
        number /= 26;
    } while (number-- && count < sizeof(letters) - 1);
    for (size_t i = 0; i < count; i++)
        label[i] = letters[count - 1 - i];
    label[count] = 0;
}

const char *reported_fingerprint(const struct reported *reported, size_t run)
{
    const char *fingerprint = reported->list[run].run->fingerprint;
    return fingerprint ? fingerprint : "";
}

/* The first run of the same machine. */
static size_t first_of(const struct reported *reported, size_t run)
{
    size_t first = 0;
    while (strcmp(reported_fingerprint(reported, first), reported_fingerprint(reported, run)) != 0)
        first++;
    return first;
}

/* Which of its machines a run is of, counted from 0. */
static size_t reported_machine_of(const struct reported *reported, size_t run)
{
    size_t number = 0, first = first_of(reported, run);
    for (size_t i = 0; i < first; i++)
        number += first_of(reported, i) == i;
    return number;
}

json_t *reported_machine_json(const struct listed_run *run, size_t number)
{
    AUTO_FACTS struct facts facts = {0};
    AUTO_TEXT struct text sentence = {0};
    char label[8];
    reported_machine_label(number, label);
    /* A store that cannot be read any more has none: its section says why. */
    struct failure unread = {0};
    struct store *store = NULL;
    if (store_open(&store, run->name, false, &unread) == 0)
        (void)store_facts(store, &facts, &unread);
    store_close(store);

    struct opinions opinions = {0};
    opinions_judge(&facts, 0, NULL, &opinions);
    machine_sentence(&facts, &sentence);
    json_t *machine = json_machine(&facts, run->fingerprint);
    json_t *told = facts_json(&facts);
    JSON_PUT(machine, {"label", json_string(label)},
             {"sentence", json_text(text_string(&sentence))});
    json_object_update(machine, told);
    json_object_set_new(machine, "doctor", opinions_json(&opinions));
    json_decref(told);
    return machine;
}

/* The sentences that tell what came out, from the study's own JSON. */
json_t *reported_lead(const json_t *envelope)
{
    json_t *lead = json_array();
    const struct study_told *told = told_of(command_find(json_word(envelope, "command")));
    if (told && told->lead)
        told->lead(json_object_get(envelope, "results"), json_object_get(envelope, "analysis"),
                   lead);
    return lead;
}

/* ----------------------------------------------------------------------------------------------
 * The object of a report: its sections, each what one run found. */

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
    const struct study_told *told = told_of(command_find(run->command));
    json_t *section = json_object();
    /* "validate-2": the second run of that command in this report. */
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
    json_object_set_new(section, "id", json_text(text_string(&id)));

    JSON_PUT(section, {"command", json_text(run->command)},
             {"title", json_text(told && told->title ? told->title : run->command)},
             {"machine", json_string(label)}, {"lead", reported_lead(envelope)},
             {"started", json_text(run->started)}, {"finished", json_text(run->finished)},
             {"ended", json_text(run->finished ? NULL : run->ended)});
    const json_t *seed = json_object_get(judged->retold.envelope, "seed");
    char *digits = seed && !json_is_null(seed) ? json_dumps(seed, JSON_ENCODE_ANY) : NULL;
    AUTO_TEXT struct text words = {0};
    /* Seeds beyond 2^53 are texts. */
    reproduce_put(judged->run->argv, json_is_string(seed) ? json_string_value(seed) : digits,
                  &words);
    free(digits);
    json_object_set_new(section, "reproduce", json_text(text_string(&words)));

    JSON_PUT(section, {"store", json_text(run->name)}, {"status", json_integer(judged->status)},
             {"reason", json_text(judged->reason)});
    share(section, envelope, "seed", json_null());
    share(section, envelope, "results", json_array());
    share(section, envelope, "analysis", json_object());
    share(section, envelope, "findings", json_array());
    share(section, envelope, "skipped", json_array());
    JSON_PUT(
        section,
        {"figures", judged->retold.figures ? json_incref(judged->retold.figures) : json_array()},
        {"words", json_text(text_string(&judged->retold.words))});
    return section;
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
    json_t *report = json_object(), *machines = json_array(), *sections = json_array();
    /* Machines in the order in which runs name them. */
    for (size_t i = 0; i < reported->count; i++) {
        if (first_of(reported, i) == i)
            json_array_append_new(
                machines, reported_machine_json(reported->list[i].run, json_array_size(machines)));
        json_array_append_new(sections, section_json(reported, i));
    }
    json_object_set_new(report, "schema", json_string("assay-report/1"));
    json_object_set_new(report, "version", json_string(ASSAY_VERSION));
    json_object_set_new(report, "title", title_json(title, machines));
    char moment[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        strftime(moment, sizeof(moment), "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_object_set_new(report, "made", json_string(moment));

    JSON_PUT(report, {"how", json_null()}, {"machines", machines}, {"sections", sections});
    /* What the whole is short of. */
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
    json_object_set_new(report, "notes", notes);

    return report;
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

/* --- runs judged again --- */

static int read_lists(const char *const *paths, size_t count, struct reported *reported,
                      struct failure *failure)
{
    size_t runs = 0;
    int error = 0;
    reported->files = memory_new(count ? count : 1, sizeof(*reported->files));
    for (size_t i = 0; i < count && error == 0; i++) {
        error = run_list_read(paths[i], &reported->files[i], failure);
        reported->file_count++;
        runs += reported->files[i].count;
    }
    if (error < 0)
        return error;
    reported->list = memory_new(runs ? runs : 1, sizeof(*reported->list));
    return 0;
}

static bool judges_stores(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        if (strcmp(spec->name, "from") == 0)
            return true;
    return false;
}

static void judge_again(const char *teller, struct reported_run *judged)
{
    const struct command *command = command_find(judged->run->command);
    if (!command || !judges_stores(command)) {
        judged->status = EXIT_FAILED;
        judged->reason = memory_format("this version cannot judge stored runs of `assay %s`",
                                       judged->run->command);
        deliver_message(teller, judged->reason);
        return;
    }
    const char *const words[] = {command->name, "--from", judged->run->name, "--quiet"};
    AUTO_TEXT struct text said = {0};
    deliver_divert(&said);
    judged->status = retell(words, sizeof(words) / sizeof(*words), &judged->retold);
    deliver_divert(NULL);
    if (said.length)
        deliver_message(command->name, text_string(&said));
    if (!judged->retold.envelope) {
        /* What the command said of it. */
        judged->reason =
            said.length
                ? memory_copy(text_string(&said))
                : memory_format("`assay %s --from` could not judge this run again: exit status %d",
                                judged->run->command, judged->status);
    }
}

/* Of one that cannot be read nobody knows; why it cannot is said when it is judged. */
static bool is_copy(const char *teller, const char *name, struct distinct *before)
{
    struct failure ignored = {0};
    struct store *store = NULL;
    bool copy = store_open(&store, name, false, &ignored) == 0 &&
                distinct_take(before, teller, store, &ignored) == 0;
    store_close(store);
    return copy;
}

static int load_run(const char *teller, struct listed_run *run, struct reported *reported,
                    struct distinct *before, struct failure *failure)
{
    const size_t known = before ? before->count : 0;
    if (before && is_copy(teller, run->name, before))
        return 0;
    struct reported_run *judged = &reported->list[reported->count++];
    judged->run = run;
    judge_again(teller, judged);
    if (before && judged->reason)
        distinct_forget(before, known);
    return interrupted ? fail_with(failure, -EINTR, "interrupted") : 0;
}

int reported_load(const char *teller, const char *const *paths, size_t count, bool copies,
                  struct reported *reported, struct failure *failure)
{
    struct distinct before = {0};
    *reported = (struct reported){0};
    int error = read_lists(paths, count, reported, failure);
    for (size_t file = 0; file < reported->file_count && error == 0; file++) {
        struct run_list *runs = &reported->files[file];
        for (size_t i = 0; i < runs->count && error == 0; i++)
            error = load_run(teller, &runs->list[i], reported, copies ? NULL : &before, failure);
    }
    distinct_release(&before);
    return error;
}

bool reported_is_whole(const struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        if (reported->list[i].reason)
            return false;
    return true;
}

void reported_release(struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        retold_release(&reported->list[i].retold);
    for (size_t i = 0; i < reported->file_count; i++)
        run_list_release(&reported->files[i]);
    *reported = (struct reported){0};
}
