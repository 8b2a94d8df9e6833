/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay truth: exactly how many instructions a command executes, by the fastest source that can
 * see all of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "output/output.h"
#include "studies/truth/study.h"

/* ----------------------------------------------------------------------------------------------
 * The store of an earlier `assay truth` in the place of a machine: the command, who tried to count
 * it, and who did. */

struct recalling {
    struct truth_run *run;
    uint32_t cell; /* that counted it; 0: none did */
};

/* Every try is a cell: the first column is SOURCE/CLASS/. */
static int take_cell(void *context, const struct stored_cell *stored)
{
    struct recalling *recalling = context;
    struct truth_run *run = recalling->run;
    const struct cell_command *command = &stored->cell.command;
    char source[32] = "";
    if (!command->words || !stored->cell.counters)
        return 0;
    snprintf(source, sizeof(source), "%.*s", (int)strcspn(stored->cell.events[0], "/"),
             stored->cell.events[0]);
    run->controls = command->controls;
    run->timeout = command->timeout;
    run->shown = command->shown;
    run->line = memory_copy(command->words);
    run->name = memory_copy(command->name ? command->name : "");
    if (stored->done) {
        recalling->cell = stored->cell.id;
        run->known_counter.source = memory_copy(source);
        return 0;
    }
    run->error = stored->error;
    return skips_add(&run->skips, source, stored->reason ? stored->reason : "", stored->error);
}

/* Sources that were not there have no event, only their name. */
static int take_absent(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    return strchr(event->name, '/') ? 0
                                    : skips_add(&run->skips, event->name,
                                                event->reason ? event->reason : "", event->error);
}

static int take_note(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    const char *source = run->known_counter.source;
    const size_t length = source ? strlen(source) : 0;
    if (!length || strncmp(event->name, source, length) != 0 || event->name[length] != '/')
        return 0;
    run->known_counter.note = memory_copy(event->reason ? event->reason : "");
    return 0;
}

static int take_subject(void *context, const struct stored_subject *stored)
{
    struct catalogue *known = context;
    *memory_add(known->subjects, known->subject_count) =
        (struct catalogue_subject){.name = memory_copy(stored->name),
                                   .has_truth = stored->has_truth,
                                   .base = stored->base,
                                   .each = stored->each};
    return 0;
}

/* --from: what the store of an earlier run has. */
static int truth_open_from(struct truth_run *run)
{
    struct failure failure = {0};
    struct recalling recalling = {.run = run};
    int error = stored_run_open(run->options->from, "truth", &run->store, &run->stored, &failure);
    if (error == 0)
        error = store_each_event(run->store, take_absent, run, &failure);
    if (error == 0)
        error = store_each_cell(run->store, take_cell, &recalling, &failure);
    if (error == 0)
        error = store_each_event(run->store, take_note, run, &failure);
    if (error == 0)
        error = store_each_subject(run->store, take_subject, &run->known, &failure);
    if (error == 0 && !run->line)
        error = fail_with(&failure, -EINVAL, "the run in %.300s ended before the command was tried",
                          run->options->from);
    if (error < 0)
        return truth_fail(&failure);
    run->catalogue = &run->known;
    run->facts = &run->stored.facts;
    run->fingerprint = run->stored.info.fingerprint;
    if (!recalling.cell)
        return EXIT_DONE;
    run->counter = &run->known_counter;
    return truth_load(run, recalling.cell, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * assay truth: exactly how many instructions a command executes, by the fastest source that can
 * see all of them. */

#define FIELD(name) offsetof(struct truth_options, name)

static const struct option_spec specs[] = {
    {0, "by", OPTION_LIST, "WHAT",
     "also sum by opcode, by function, or by both (opcode,function); classes of instructions are "
     "always told where the source can",
     FIELD(by), "class"},
    {0, "source", OPTION_STRING, "SOURCE",
     "count with qemu, valgrind or step, and with nothing else; unless given with the fastest of "
     "them that can see the whole program",
     FIELD(source), NULL},
    {0, "control", OPTION_STRING, "SETTING",
     "hold everything constant (controlled), or leave it as it is (as-is); also settings of `assay "
     "repeat`, without-aslr for example",
     FIELD(control), "controlled"},
    OPTION_ROW_KEEP(FIELD(keep)),
    OPTION_ROW_INPUT(FIELD(input)),
    OPTION_ROW_DIRECTORY(FIELD(directory)),
    OPTION_ROW_BRING(FIELD(bring)),
    OPTION_ROW_CPU(FIELD(cpu)),
    {0, "timeout", OPTION_DURATION, "TIME",
     "end it when it takes longer under the source, which is many times slower than the CPU",
     FIELD(timeout), "5m"},
    {0, "show-output", OPTION_FLAG, NULL,
     "pass on what it writes as it comes; the report goes to standard error then",
     FIELD(show_output), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every class, opcode and function, not only the largest",
     FIELD(all), NULL},
    OPTION_ROW_FROM(FIELD(from)),
    OPTION_ROW_STORE(FIELD(store)),
    {0},
};

int truth_fail(const struct failure *failure)
{
    return deliver_failure("truth", failure, EXIT_OURS);
}

/* --- what the options say --- */

static int take_by(struct truth_run *run, struct failure *failure)
{
    const struct string_list *by = &run->options->by;
    for (size_t i = 0; i < by->count; i++) {
        const char *what = by->items[i];
        run->by_opcode |= strcmp(what, "opcode") == 0;
        run->by_function |= strcmp(what, "function") == 0;
        if (strcmp(what, "opcode") != 0 && strcmp(what, "function") != 0 &&
            strcmp(what, "class") != 0)
            return fail_with(
                failure, -EINVAL,
                "--by %.100s: expected class, opcode, function, or several of them with commas",
                what);
    }
    return 0;
}

static int take_control(struct truth_run *run, struct failure *failure)
{
    const int64_t controls = setting_from_name(run->options->control);
    if (controls < 0)
        return fail_with(failure, -EINVAL,
                         "--control %.100s: expected controlled, as-is, only-X or without-X of a "
                         "control, or controls with + between them",
                         run->options->control);
    run->controls = (uint32_t)controls;
    return 0;
}

static int check_from(const struct truth_options *options, int word_count, struct failure *failure)
{
    const struct beside_from beside[] = {{"the command", word_count},
                                         {"--source", options->source},
                                         {"--control", strcmp(options->control, "controlled") != 0},
                                         {"--keep", options->keep.count},
                                         {"--input", options->input},
                                         {"--directory", options->directory},
                                         {"--bring", options->bring.count},
                                         {"--cpu", options->cpu.given},
                                         {"--show-output", options->show_output},
                                         {"--store", options->store}};
    return stored_run_check(options->from, beside, sizeof(beside) / sizeof(*beside), failure);
}

static int take_options(struct truth_run *run, int word_count, char **words,
                        struct failure *failure)
{
    if (!word_count && !run->options->from)
        return fail_with(failure, -EINVAL,
                         "say which command to count: assay truth -- perl -e 1, for example. Try "
                         "`assay truth --help`.");
    int error = check_from(run->options, word_count, failure);
    if (error == 0)
        error = take_by(run, failure);
    if (error == 0)
        error = output_check(run->options->common.output, failure);
    if (error < 0 || run->options->from)
        return error;
    run->timeout = run->options->timeout;
    run->shown = run->options->show_output;
    error = take_control(run, failure);
    if (error == 0)
        error = command_line_keep(&run->options->keep, &run->keep, failure);
    if (error == 0)
        error =
            command_line_join((const char *const *)words, (size_t)word_count, &run->line, failure);
    if (error == 0)
        run->name = command_line_name(words[0]);
    return error;
}

/* --- the machine --- */

/* Where no CPU may be named, the program is not kept on one. */
static int prepare(struct truth_run *run, struct failure *failure)
{
    const struct truth_options *options = run->options;
    int error = command_line_cpu(&run->catalogue->facts, &options->cpu, &run->cpu, failure);
    if (run->cpu < 0)
        run->controls &= ~CONTROL_BIT(CONTROL_CPU);
    if (error == 0)
        error = command_line_bring(run->session, &options->bring, failure);
    if (error == 0)
        error = command_line_input(run->session, options->common.via, options->input, &run->input,
                                   failure);
    if (error == 0)
        error = command_line_directory(options->common.via, options->directory, &run->directory,
                                       failure);
    return error;
}

/* --- the end --- */

static void put_report(const void *run, const struct style *style, struct text *out)
{
    if (((const struct truth_run *)run)->counter)
        truth_put_report(run, style, out);
}

/* With --show-output standard output is the command's: the report goes beside it. */
static int show(const struct truth_run *run, bool aside, int status)
{
    const struct finish finish = {.command = "truth",
                                  .common = &run->options->common,
                                  .unseeded = true,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .skips = &run->skips,
                                  .aside = aside,
                                  .undelivered = EXIT_OURS,
                                  .run = run,
                                  .put_report = put_report,
                                  .results = truth_results_json,
                                  .analysis = truth_analysis_json};
    return finish_show(&finish, status);
}

/* Nobody counted it: each reason once, and the exit code that tells a missing command from a source
 * that could not. */
static int refuse(const struct truth_run *run)
{
    const int status = command_exit_of_error(run->error);
    AUTO_TEXT struct text words = {0};
    if (status != EXIT_OURS && run->skips.count)
        text_puts(&words, run->skips.list[run->skips.count - 1].reason);
    for (size_t i = 0; status == EXIT_OURS && i < run->skips.count; i++)
        text_printf(&words, "%s%s: %s", i ? "\n  " : "it could not be counted. By\n  ",
                    run->skips.list[i].what, run->skips.list[i].reason);
    deliver_message("truth", text_string(&words));
    return run->options->common.json || run->options->common.retold ? show(run, false, status)
                                                                    : status;
}

static void release(struct truth_run *run)
{
    executed_free(run->executed);
    store_close(run->store);
    session_close(run->session);
    skips_free(&run->skips);
    stored_run_release(&run->stored);
    if (run->options->from)
        return; /* the rest is of the store then */
    free(run->line);
    free(run->name);
    free(run->input);
    free(run->directory);
    free(run->keep);
}

/* How the command ended is told; judging it again went well. */
static int judge_again(struct truth_run *run)
{
    const uint64_t began = monotonic_ns();
    int status = truth_open_from(run);
    run->seconds = (double)(monotonic_ns() - began) / 1e9;
    if (status != EXIT_DONE)
        return status;
    return run->counter ? show(run, false, EXIT_DONE) : refuse(run);
}

static int run_truth(struct truth_run *run)
{
    struct failure failure = {0};
    int status = reach_machine("truth", &run->options->common, &run->session, &run->catalogue);
    if (status != EXIT_DONE)
        return status == EXIT_INTERRUPTED ? status : EXIT_OURS;
    run->facts = &run->catalogue->facts;
    run->fingerprint = run->catalogue->fingerprint;
    if (prepare(run, &failure) < 0)
        return truth_fail(&failure);
    status = truth_find_sources(run);
    if (status == EXIT_DONE)
        status = truth_execute(run);
    if (status != EXIT_DONE)
        return status;
    return run->counter ? show(run, run->shown, command_exit(run->counted.status)) : refuse(run);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    struct truth_run run = {.options = parsed, .cpu = -1};
    struct failure failure = {0};
    int status = take_options(&run, argument_count, arguments, &failure) < 0 ? truth_fail(&failure)
                 : run.options->from                                         ? judge_again(&run)
                                                                             : run_truth(&run);
    release(&run);
    return status;
}

static const struct exit_meaning exits[] = {
    {0, "the command's own status, up to 123; 0 done"},
    {EXIT_TIMED_OUT, "its time was over (--timeout)"},
    {EXIT_OURS, "assay itself failed, nothing here could count the command, or wrong usage"},
    {EXIT_NOT_RUN, "the command was found, but cannot be executed"},
    {EXIT_NOT_FOUND, "there is no such command"},
    {EXIT_BY_SIGNAL, "and more: a signal ended the command, 128 + its number"},
    {EXIT_INTERRUPTED, "interrupted"},
    {0},
};

const struct command command_truth = {
    .name = "truth",
    .group = GROUP_PROGRAM,
    .summary = "count exactly what a command executes, by class, opcode and function",
    .synopsis = "[options] -- COMMAND [ARGUMENT...]",
    .description =
        "Executes a command once under something that sees every instruction, and tells how many "
        "there were: by class (loads, stores, branches, floating point), and on request by opcode "
        "and by function. No counter of the CPU is used, so it works where there is none.\n\n"
        "Sources are tried by speed: qemu (an emulator of programs), valgrind, and step (the CPU "
        "itself, one instruction at a time). One that cannot follow all that the command does, "
        "threads, children or other programs, refuses it with a reason, and the next is tried. "
        "What a source counts is exact for the run that it executed: it may show the program "
        "another CPU and another layout of memory, which the report says.\n\n"
        "The command is controlled unless --control as-is is given: no random addresses, a fixed "
        "environment, one CPU, fixed hash seeds and so on (docs/repeat.md), so that the count "
        "repeats. It reads nothing unless --input is given; what it writes is counted and dropped "
        "unless --show-output is given. Everything that it started is ended with it.\n\n"
        "A string instruction with a repeat prefix counts once; its repetitions are told apart.\n\n"
        "--from shows a stored run again, without the machine; --by asks for what was counted "
        "then, "
        "and the exit status is assay's own.",
    .examples = "# how many instructions does an empty program of Perl take?\n"
                "assay truth -- perl -e 1\n"
                "# which functions, which opcodes, by the CPU itself\n"
                "assay truth --by function,opcode --source step -- /bin/true\n"
                "# with its output, the report beside it\n"
                "assay truth --show-output -- date\n"
                "# for a script: instructions of a program that reads a file\n"
                "assay truth --json --input data.txt -- sort",
    .options = specs,
    .exits = exits,
    .passes_on = true,
    .options_size = sizeof(struct truth_options),
    .run = run,
};
