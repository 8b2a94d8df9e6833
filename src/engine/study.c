/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one way through every study. */
#include "engine/study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "output/output.h"

/* ----------------------------------------------------------------------------------------------
 * What goes wrong, and its exit code. */

int study_status(const struct studying *studying, int status)
{
    return studying->command->passes_on && status != EXIT_DONE && status != EXIT_INTERRUPTED
               ? EXIT_OURS
               : status;
}

static int fail(const struct studying *studying, const struct failure *failure, int status)
{
    return deliver_failure(studying->command->name, failure, study_status(studying, status));
}

/* Of what was asked for. */
static int refuse(const struct studying *studying, int error, const struct failure *failure)
{
    return fail(studying, failure, error == -E2BIG ? EXIT_USAGE : deliver_status_of_name(error));
}

/* Of a store. */
static int refuse_store(const struct studying *studying, int error, const struct failure *failure)
{
    const struct study_options *given = studying->given;
    return fail(studying, failure,
                run_store_exit(error, given->resume || given->from || given->froms.count));
}

/* ----------------------------------------------------------------------------------------------
 * The command line: what does not go together, by the table of options. */

static void put_given(const struct studying *studying, unsigned role, struct text *out)
{
    for (const struct option_spec *spec = studying->command->options; spec->name; spec++)
        if ((spec->type & role) && option_is_given(spec, studying->given))
            text_printf(out, "%s--%s", out->length ? ", " : "", spec->name);
    if (studying->argument_count)
        text_printf(out, "%sthe arguments", out->length ? ", " : "");
}

static int check_together(const struct studying *studying, struct failure *failure)
{
    const struct study_options *given = studying->given;
    const char *begins = studying->command->study->begins;
    AUTO_TEXT struct text beside = {0};
    if (given->from || given->froms.count) {
        put_given(studying, OPTION_MEASURES, &beside);
        if (beside.length)
            return fail_with(failure, -EINVAL,
                             "--from judges %s again, all that is stored and nothing else: leave "
                             "out %s",
                             given->from ? "a stored run" : "stored runs", text_string(&beside));
    }
    if (given->resume) {
        put_given(studying, OPTION_BEGINS, &beside);
        if (beside.length)
            return fail_with(failure, -EINVAL,
                             "--resume goes on with what the run began with: leave out %s",
                             begins ? begins : text_string(&beside));
    }
    return 0;
}

static int check(struct studying *studying)
{
    const struct study *study = studying->command->study;
    struct failure failure = {0};
    int error = 0;
    if (study->no_arguments && studying->argument_count)
        error = fail_with(&failure, -EINVAL, "unexpected argument '%.200s': %s",
                          studying->arguments[0], study->no_arguments);
    if (error == 0)
        error = check_together(studying, &failure);
    if (error == 0 && study->check)
        error = study->check(studying, &failure);
    if (error < 0)
        return fail(studying, &failure, error == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
    error = output_check(studying->given->common.output, &failure);
    return error < 0 ? fail(studying, &failure, EXIT_FAILED) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * The store of a run that is measured: a new one, or an unfinished one and how it began. */

static struct run_store whose(const struct studying *studying)
{
    return (struct run_store){.command = studying->command->name,
                              .common = &studying->given->common,
                              .catalogue = studying->catalogue,
                              .path = studying->given->store,
                              .seed = studying->seed};
}

static int reopen(struct studying *studying, struct failure *failure)
{
    const struct command *command = studying->command;
    const struct run_store run = whose(studying);
    struct store_info info = {0};
    struct string_list arguments = {0};
    struct study_options *begun = memory_new(1, command->options_size);
    char *options = memory_new(1, command->options_size);
    int error = run_store_reopen(&run, &studying->store, &info, failure);
    if (error == 0)
        error = run_store_recall(command, store_path(studying->store), info.argv, begun, &arguments,
                                 failure);
    studying->seed = info.seed;
    store_info_release(&info);
    if (error < 0)
        return error;
    memcpy(options, studying->given, command->options_size);
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if ((spec->type & OPTION_BEGINS) ||
            ((spec->type & OPTION_STAYS) && !option_is_given(spec, studying->given)))
            option_copy(spec, begun, options);
    studying->options = (const void *)options;
    studying->begun = begun;
    studying->arguments = arguments.items;
    studying->argument_count = arguments.count;
    return command->study->recall ? command->study->recall(studying, failure) : 0;
}

/* The plan of a run that is gone on with, or a new store for one that begins. */
static int lay_down(struct studying *studying, struct failure *failure)
{
    const struct study *study = studying->command->study;
    const struct run_store run = whose(studying);
    if (studying->given->resume)
        return study->adopt ? study->adopt(studying, failure) : 0;
    int error = run_store_create(&run, &studying->store, failure);
    if (error == 0 && study->put)
        error = study->put(studying, failure);
    return error == 0 ? store_commit(studying->store, failure) : error;
}

int study_adopt(void *kept, struct failure *failure)
{
    struct studying *studying = kept;
    const struct run_store run = whose(studying);
    struct wishes *wishes = &studying->wishes;
    int error = wishes_adopt(wishes, studying->store, failure);
    return error == 0 ? run_store_same_plan(&run, studying->store, wishes->cells,
                                            wishes->cell_count, failure)
                      : error;
}

/* ----------------------------------------------------------------------------------------------
 * From a machine, or from stored runs, to what can be judged. */

static int on_the_machine(struct studying *studying)
{
    const struct study *study = studying->command->study;
    const struct common_options *common = &studying->given->common;
    struct failure failure = {0};
    int status =
        reach_machine(studying->command->name, common, &studying->session, &studying->catalogue);
    if (status != EXIT_DONE)
        return study_status(studying, status);
    studying->facts = &studying->catalogue->facts;
    memcpy(studying->fingerprint, studying->catalogue->fingerprint,
           sizeof(studying->catalogue->fingerprint));
    int error = studying->given->resume ? reopen(studying, &failure) : 0;
    if (error < 0)
        return refuse_store(studying, error, &failure);
    if (!studying->given->resume && study->find)
        error = study->find(studying, &failure);
    studying->budget = study->budget ? study->budget(studying) : studying->options->budget;
    if (error == 0 && study->prepare)
        error = study->prepare(studying, &failure);
    if (error < 0)
        return refuse(studying, error, &failure);
    if (studying->idle)
        return EXIT_DONE;
    error = lay_down(studying, &failure);
    return error < 0 ? refuse_store(studying, error, &failure) : study->measure(studying);
}

static int load(void *kept, struct store *store, struct failure *failure)
{
    const struct studying *studying = kept;
    return studying->command->study->load ? studying->command->study->load(kept, store, failure)
                                          : 0;
}

static int from_stores(struct studying *studying)
{
    const struct study *study = studying->command->study;
    const struct study_options *given = studying->given;
    struct failure failure = {0};
    const struct from_stores from = {.command = studying->command->name,
                                     .path = given->from,
                                     .paths = &given->froms,
                                     .store = &studying->store,
                                     .seed = &studying->seed,
                                     .fingerprint = studying->fingerprint,
                                     .fingerprint_size = sizeof(studying->fingerprint),
                                     .stored_facts = &studying->stored_facts,
                                     .facts = &studying->facts,
                                     .complete = &studying->complete,
                                     .check = study->accept,
                                     .load = load,
                                     .context = studying};
    int error = from_stores_load(&from, &failure);
    return error < 0 ? refuse_store(studying, error, &failure) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * What was measured, judged and shown. */

static int show(struct studying *studying, int status)
{
    const struct study *study = studying->command->study;
    struct gate gate = {0};
    if (study->gate)
        study->gate(studying, &gate);
    const struct finish finish = {
        .command = studying->command->name,
        .tables = studying->command,
        .common = &studying->given->common,
        .unseeded = study->unseeded,
        .seed = studying->seed,
        .facts = studying->facts,
        .fingerprint = studying->fingerprint,
        .skips = study->skipped ? study->skipped(studying) : &studying->skips,
        .findings = (const void *)((const char *)studying + study->findings.offset),
        .finding_count = study->findings.count,
        .nothing = study->nothing ? study->nothing(studying) : NULL,
        .gate = &gate,
        .aside = study->aside && study->aside(studying),
        .undelivered = studying->command->passes_on ? EXIT_OURS : 0,
        .run = studying,
        .put_report = study->put_report,
        .results = study->results,
        .analysis = study->analysis,
        .figures = study->figures};
    /* What comes after it may be any number: only its own tells that all was handed over. */
    const int ending = study->end ? study->end(studying, status) : status;
    const int shown = finish_show(&finish, status);
    return shown == status ? ending : shown;
}

static void note_place(struct studying *studying)
{
    studying->stored = studying->store ? memory_copy(store_path(studying->store)) : NULL;
}

/* There is nothing to judge; programs get what there is. */
static int show_refusal(struct studying *studying, int status)
{
    const struct study *study = studying->command->study;
    studying->seconds = (double)(monotonic_ms() - studying->started) / 1000;
    note_place(studying);
    deliver_message(studying->command->name, studying->refusal);
    return finish_is_for_programs(&studying->given->common) ? show(studying, status)
           : study->end                                     ? study->end(studying, status)
                                                            : status;
}

static int judge(struct studying *studying, int status)
{
    const struct study *study = studying->command->study;
    struct failure failure = {0};
    int error = 0;
    note_place(studying);
    /* Stored runs were loaded when they were opened. */
    if (studying->store && studying->session)
        error = load(studying, studying->store, &failure);
    if (error == 0 && study->judge)
        error = study->judge(studying, &failure);
    studying->seconds = (double)(monotonic_ms() - studying->started) / 1000;
    return error < 0           ? fail(studying, &failure, EXIT_FAILED)
           : studying->refusal ? show_refusal(studying, status)
                               : show(studying, status);
}

static void release(void *kept)
{
    struct studying *studying = kept;
    if (studying->command->study->release)
        studying->command->study->release(studying);
    session_close(studying->session);
    facts_free(&studying->stored_facts);
}

int study_run(const struct command *command, void *options, int argument_count, char **arguments)
{
    const struct study *study = command->study;
    struct studying *studying = memory_new(1, study->size);
    *studying = (struct studying){.command = command,
                                  .options = options,
                                  .given = options,
                                  .begun = options,
                                  .argument_count = (size_t)argument_count,
                                  .arguments = (const char *const *)arguments,
                                  .started = monotonic_ms(),
                                  .complete = true};
    int status = check(studying);
    if (status == EXIT_DONE) {
        const bool again = studying->given->from || studying->given->froms.count;
        studying->seed = study->unseeded ? 0 : gather_seed(&studying->given->seed);
        status = again ? from_stores(studying) : on_the_machine(studying);
        /* What was measured until somebody interrupted it is judged and shown, too. */
        const bool some = status == EXIT_INTERRUPTED && studying->store && !study->whole;
        if (studying->refusal)
            status = show_refusal(studying, status);
        else if (status == EXIT_DONE || some)
            status = judge(studying, status);
    }
    if (study->gate) {
        /* What was named and is not here at all was not judged either. */
        struct gate gate = {0};
        study->gate(studying, &gate);
        gate.count = 0;
        status = gate_close(&gate, command->name, status);
    }
    store_close(studying->store);
    struct retold *retold = studying->given->common.retold;
    if (retold) {
        retold->kept = studying;
        retold->release = release;
    } else {
        release(studying);
    }
    return status;
}

void studying_put_end(const struct studying *studying, const char *study, const char *more,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!studying->complete && studying->stored)
        unfinished_put(study, studying->stored, &studying->given->common, &words);
    text_puts(&words, more ? more : "");
    if (words.length) {
        text_putc(out, '\n');
        wrap(out, text_string(&words), 0, 0, style->width);
    }
    text_printf(out, "\nseed %" PRIu64 ", %s%.1f s", studying->seed,
                studying->given->froms.count ? "judged again in " : "", studying->seconds);
    if (studying->stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, studying->stored);
    }
    text_putc(out, '\n');
}
