/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hands over what a study found. */
#include "engine/finish.h"

#include <stdio.h>

#include "cli/deliver.h"
#include "cli/retold.h"

/* Wide enough for tables, narrow enough for a page. */
#define KEPT_WIDTH 100

static struct envelope envelope_of(const struct finish *finish)
{
    return (struct envelope){
        .command = finish->command,
        .argc = finish->common->argc,
        .argv = finish->common->argv,
        .has_seed = !finish->unseeded,
        .seed = finish->seed,
        .facts = finish->facts,
        .fingerprint = finish->fingerprint,
        .results = finish->results(finish->run),
        .analysis = finish->analysis(finish->run),
        .skipped = finish->skipped ? finish->skipped(finish->run) : skips_json(finish->skips),
        .findings = finish->findings ? finish->findings(finish->run) : json_array(),
        .gate = gate_json(finish->gate)};
}

void retold_release(struct retold *retold)
{
    json_decref(retold->envelope);
    json_decref(retold->figures);
    text_free(&retold->words);
    *retold = (struct retold){0};
}

static int keep(const struct finish *finish, struct retold *retold, int status)
{
    const struct style style = {.width = KEPT_WIDTH};
    struct envelope envelope = envelope_of(finish);
    retold_release(retold);
    retold->envelope = json_envelope_object(&envelope);
    if (finish->figures)
        retold->figures = finish->figures(finish->run);
    finish->put_report(finish->run, &style, &retold->words);
    return retold->envelope && (retold->figures || !finish->figures)
               ? status
               : deliver_out_of_memory(finish->command);
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
    if (finish->common->retold)
        return keep(finish, finish->common->retold, status);
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
    return common->json || common->retold;
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

int finish_judged(const char *command, int error, const struct failure *failure)
{
    if (error == 0)
        return EXIT_DONE;
    return failure->code ? deliver_failure(command, failure, EXIT_FAILED)
                         : deliver_out_of_memory(command);
}

int finish_study(int status, bool stored, void *study, int (*judge)(void *study),
                 int (*show)(void *study, int status))
{
    if (status != EXIT_DONE && (status != EXIT_INTERRUPTED || !stored))
        return status;
    int judged = judge(study);
    return judged == EXIT_DONE ? show(study, status) : judged;
}
