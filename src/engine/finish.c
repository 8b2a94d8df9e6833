/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hands over what a study found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/claims.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "machine/check.h"
#include "output/field.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * Delivers a command's result to standard output or -o FILE, and failures to standard error. */

/* File-level, because whoever has something to say does not know in which command it runs. */
static struct text *diverted;

void deliver_divert(struct text *kept)
{
    diverted = kept;
}

void deliver_message(const char *command, const char *text)
{
    if (diverted) {
        text_clear(diverted);
        text_puts(diverted, text);
        return;
    }
    AUTO_TEXT struct text clean = {0};
    /* Newlines part sentences here; only foreign control characters are dangerous. */
    AUTO_TEXT struct text line = {0};
    for (; *text; text++) {
        if (*text != '\n') {
            text_putc(&line, *text);
            continue;
        }
        text_put_clean(&clean, text_string(&line));
        text_putc(&clean, '\n');
        text_clear(&line);
    }
    text_put_clean(&clean, text_string(&line));
    fprintf(stderr, "assay %s: %s\n", command, text_string(&clean));
}

int deliver_failure(const char *command, const struct failure *failure, int status)
{
    deliver_message(command, failure->text);
    return status;
}

int deliver_status_of_name(int error)
{
    return error == -ENOENT || error == -EINVAL ? EXIT_USAGE
           : error == -ENODEV                   ? EXIT_LACKING
           : error == -EINTR                    ? EXIT_INTERRUPTED
                                                : EXIT_FAILED;
}

void deliver_put_via(const struct common_options *common, struct text *out)
{
    if (!common->via || strcmp(common->via, "local") == 0)
        return;
    text_puts(out, " --via ");
    text_put_shell(out, common->via);
}

void deliver_remark(const struct common_options *common, const char *format, ...)
{
    if (common->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *remark = NULL;
    if (vasprintf(&remark, format, arguments) >= 0) {
        AUTO_TEXT struct text clean = {0};
        text_put_clean(&clean, remark);
        fprintf(stderr, "%s\n", text_string(&clean));
        free(remark);
    }
    va_end(arguments);
}

struct style deliver_style(const struct common_options *common)
{
    if (!common->output || strcmp(common->output, "-") == 0)
        return style_for(stdout);
    struct style plain = {.width = 80};
    return plain;
}

/* A reader that left early (head, less) ends the output, not in a message. */
static int close_output(const char *command, struct output *output, int error,
                        struct failure *failure, int status)
{
    if (error == 0)
        error = output_commit(output, failure);
    output_discard(output);
    if (error == 0)
        return status;
    if (error == -EPIPE)
        return EXIT_FAILED;
    return deliver_failure(command, failure, EXIT_FAILED);
}

/* Signs of units that not every terminal has. */
static void put_plain(const struct text *text, FILE *stream)
{
    static const char micro[] = "\u00b5", times[] = "\u00d7";
    for (const char *at = text_string(text), *end = at + text->length; at < end;) {
        const bool is_micro = strncmp(at, micro, strlen(micro)) == 0;
        const bool is_times = strncmp(at, times, strlen(times)) == 0;
        putc(is_micro ? 'u' : is_times ? 'x' : *at, stream);
        at += is_micro || is_times ? strlen(micro) : 1;
    }
}

int deliver_text(const char *command, const struct common_options *common, const struct text *text,
                 int status)
{
    struct output output;
    struct failure failure = {0};
    if (output_open(&output, common->output, &failure) < 0)
        return deliver_failure(command, &failure, EXIT_FAILED);
    if (utf8_is_expected())
        fwrite(text_string(text), 1, text->length, output.stream);
    else
        put_plain(text, output.stream);
    return close_output(command, &output, 0, &failure, status);
}

int deliver_json(const char *command, const struct common_options *common,
                 struct envelope *envelope, int status)
{
    envelope->command = command;
    envelope->argc = common->argc;
    envelope->argv = common->argv;
    struct output output;
    struct failure failure = {0};
    int error = output_open(&output, common->output, &failure);
    if (error < 0) {
        json_envelope_release(envelope);
        return deliver_failure(command, &failure, EXIT_FAILED);
    }
    error = json_envelope_write(envelope, output.stream, &failure);
    return close_output(command, &output, error, &failure, status);
}

int deliver_results(const char *command, const struct common_options *common,
                    struct envelope *envelope, const struct field *results,
                    const struct fields *analysis, const void *kept, int status)
{
    AUTO_TEXT struct text out = {0};
    if (!common->csv && !common->markdown) {
        envelope->results = field_list_json(results, kept, kept);
        if (analysis)
            envelope->analysis = fields_json(analysis, kept, kept);
        return deliver_json(command, common, envelope, status);
    }
    if (common->csv)
        fields_put_csv(results, kept, kept, &out);
    else
        fields_put_markdown(results, kept, kept, &out);
    return deliver_text(command, common, &out, status);
}

bool common_is_for_programs(const struct common_options *common)
{
    return common->json || common->csv || common->markdown;
}

void deliver_put_machine(const struct facts *facts, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text machine = {0}, clean = {0};
    machine_sentence(facts, &machine);
    text_puts(&clean, "on ");
    text_put_clean(&clean, text_string(&machine));
    wrap(out, text_string(&clean), 0, 2, style->width);
}

/* ----------------------------------------------------------------------------------------------
 * Collects what fails a gate, and says it. */

static const struct field failed_fields[] = {
    {"name",
     {.kind = FIELD_JSON},
     "the event, check, verdict, quantity or file",
     .schema = "string"},
    {"why",
     {.kind = FIELD_JSON},
     "the verdict or status that it got; differs, not compared, not judged",
     .schema = "string"},
};
static const struct fields failed_table =
    FIELDS("gate.failed", "something that --fail-on names", failed_fields);
static const struct field gate_fields[] = {
    {"failed", {.kind = FIELD_LIST, .of = &failed_table}, "what failed it"},
};
const struct fields gate_table =
    FIELDS("gate", "what --fail-on made of the result; there only where it was given", gate_fields);

#define NAMES_SHOWN 12u /* the envelope has them all */

void gate_fail(struct gate *gate, const char *name, const char *why)
{
    *memory_add(gate->failed, gate->count) =
        (struct gate_failure){memory_copy(name), memory_copy(why)};
}

static void say_failed(const struct gate *gate, const char *command)
{
    AUTO_TEXT struct text words = {0};
    text_puts(&words, "--fail-on: ");
    for (size_t i = 0; i < gate->count && i < NAMES_SHOWN; i++)
        text_printf(&words, "%s%s (%s)", i ? ", " : "", gate->failed[i].name, gate->failed[i].why);
    if (gate->count > NAMES_SHOWN)
        text_printf(&words, " and %zu more (--json names them all)", gate->count - NAMES_SHOWN);
    deliver_message(command, text_string(&words));
}

int gate_close(const struct gate *gate, const char *command, int status)
{
    if (!gate || !gate->asked || (status != EXIT_LACKING && (status != EXIT_DONE || !gate->count)))
        return status;
    if (gate->count)
        say_failed(gate, command);
    return EXIT_VERDICT;
}

json_t *gate_json(const struct gate *gate)
{
    if (!gate || !gate->asked)
        return NULL;
    json_t *failed = json_array();
    for (size_t i = 0; i < gate->count; i++)
        json_array_append_new(failed, JSON_OBJECT({"name", json_text(gate->failed[i].name)},
                                                  {"why", json_text(gate->failed[i].why)}));
    return JSON_OBJECT({"failed", failed});
}

/* ----------------------------------------------------------------------------------------------
 * Says how a run goes on that is not finished. */

static bool is_collected(const char *stored)
{
    struct run_list runs = {0};
    struct failure ignored = {0};
    bool collected = run_list_read(stored, &runs, &ignored) == 0 && runs.count && runs.list->number;
    run_list_release(&runs);
    return collected;
}

void unfinished_put(const char *command, const char *stored, const struct common_options *common,
                    struct text *out)
{
    if (is_collected(stored)) {
        text_puts(out, "Not finished: what is missing was not there when the run was put into this "
                       "collection. ");
        return;
    }
    text_printf(out, "Not finished: what is missing comes with `assay %s --resume --store ",
                command);
    text_put_shell(out, stored);
    deliver_put_via(common, out);
    text_puts(out, "`. ");
}

/* ----------------------------------------------------------------------------------------------
 * Hands over what a study found. */

json_t *finish_results(const struct finish *finish)
{
    return finish->tables && finish->tables->results
               ? field_list_json(finish->tables->results, finish->run, finish->run)
               : finish->results(finish->run);
}

json_t *finish_analysis(const struct finish *finish)
{
    return finish->tables && finish->tables->analysis
               ? fields_json(finish->tables->analysis, finish->run, finish->run)
               : finish->analysis(finish->run);
}

static struct envelope envelope_of(const struct finish *finish)
{
    return (struct envelope){.command = finish->command,
                             .argc = finish->common->argc,
                             .argv = finish->common->argv,
                             .has_seed = !finish->unseeded,
                             .seed = finish->seed,
                             .facts = finish->facts,
                             .fingerprint = finish->fingerprint,
                             .results = finish_results(finish),
                             .analysis = finish_analysis(finish),
                             .skipped = finish->skips ? skips_json(finish->skips) : json_array(),
                             .findings = claims_json(finish->findings, finish->finding_count),
                             .gate = gate_json(finish->gate)};
}

void retold_release(struct retold *retold)
{
    if (retold->release)
        retold->release(retold->kept);
    memory_scope_end(&retold->memory);
    *retold = (struct retold){0};
}

static int show_aside(const struct finish *finish, int status)
{
    struct failure failure = {0};
    if (finish->common->json) {
        struct envelope envelope = envelope_of(finish);
        return json_envelope_write(&envelope, stderr, &failure) < 0
                   ? deliver_failure(finish->command, &failure, EXIT_FAILED)
                   : status;
    }
    const struct style style = style_for(stderr);
    AUTO_TEXT struct text out = {0};
    finish->put_report(finish->run, &style, &out);
    fputs(text_string(&out), stderr);
    return status;
}

static int hand_over(const struct finish *finish, int status)
{
    struct retold *retold = finish->common->retold;
    if (retold) {
        retold->is_there = true;
        retold->finish = *finish;
        retold->finish.gate = NULL; /* of whoever shows it */
        return status;
    }
    if (finish->common->csv || finish->common->markdown) {
        const struct command *of = finish->tables;
        return deliver_results(finish->command, finish->common, NULL,
                               finish->common->csv && of->csv ? of->csv : of->results, NULL,
                               finish->run, status);
    }
    if (finish->aside && !finish->common->output)
        return show_aside(finish, status);
    if (finish->common->json) {
        struct envelope envelope = envelope_of(finish);
        return deliver_json(finish->command, finish->common, &envelope, status);
    }
    const struct style style = deliver_style(finish->common);
    AUTO_TEXT struct text out = {0};
    finish->put_report(finish->run, &style, &out);
    return deliver_text(finish->command, finish->common, &out, status);
}

bool finish_is_for_programs(const struct common_options *common)
{
    return common_is_for_programs(common) || common->retold;
}

int finish_show(const struct finish *finish, int status)
{
    if (status == EXIT_DONE && finish->nothing) {
        /* Whoever keeps the result finds the reasons in it. */
        if (!finish->common->retold)
            deliver_message(finish->command, finish->nothing);
        status = EXIT_LACKING;
    }
    status = gate_close(finish->gate, finish->command, status);
    int shown = hand_over(finish, status);
    return shown != status && finish->undelivered ? finish->undelivered : shown;
}

const char *finish_nothing(bool measured, bool complete)
{
    if (measured)
        return NULL;
    return complete ? "nothing was measured; the report says why"
                    : "nothing was measured before the budget ended: take a larger --budget";
}
