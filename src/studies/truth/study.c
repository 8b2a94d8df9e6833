/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay truth: exactly how many instructions a command executes, by the fastest source that can
 * see all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/command-line.h"
#include "engine/loading.h"
#include "studies/truth/study.h"

/* --- what the options say --- */

static int take_by(struct truth_run *run, struct failure *failure)
{
    const struct string_list *by = &truth_asked(run)->by;
    for (size_t i = 0; i < by->count; i++) {
        const char *what = by->items[i];
        run->by_opcode |= strcmp(what, "opcode") == 0;
        run->by_function |= strcmp(what, "function") == 0;
        if (!word_list_has("class,opcode,function", what))
            return fail_with(
                failure, -EINVAL,
                "--by %.100s: expected class, opcode, function, or several of them with commas",
                what);
    }
    return 0;
}

static int check(void *kept, struct failure *failure)
{
    struct truth_run *run = kept;
    const struct studying *studying = &run->studying;
    if (!studying->argument_count && !studying->given->from)
        return fail_with(failure, -EINVAL,
                         "say which command to count: assay truth -- perl -e 1, for example. Try "
                         "`assay truth --help`.");
    int error = take_by(run, failure);
    if (error < 0 || studying->given->from)
        return error;
    const int64_t controls = setting_from_name(truth_asked(run)->control);
    run->controls = (uint32_t)controls;
    if (controls < 0)
        error = fail_with(failure, -EINVAL,
                          "--control %.100s: expected controlled, as-is, only-X or without-X of a "
                          "control, or controls with + between them",
                          truth_asked(run)->control);
    run->keep = command_line_keep(&truth_asked(run)->keep);
    if (error == 0)
        error =
            command_line_join(studying->arguments, studying->argument_count, &run->words, failure);
    if (error == 0)
        run->called = command_line_name(studying->arguments[0]);
    return error;
}

/* Where no CPU may be named, the program is not kept on one. */
static int prepare(void *kept, struct failure *failure)
{
    struct truth_run *run = kept;
    const struct truth_options *options = truth_asked(run);
    struct session *session = run->studying.session;
    const char *via = options->study.common.via;
    run->studying.once = true; /* half an execution is none */
    int error = command_line_cpu(run->studying.facts, &options->cpu, &run->cpu, failure);
    if (run->cpu < 0)
        run->controls &= ~CONTROL_BIT(CONTROL_CPU);
    if (error == 0)
        error = command_line_bring(session, &options->bring, failure);
    if (error == 0)
        error = command_line_input(session, via, options->input, &run->input, failure);
    if (error == 0)
        error = command_line_directory(via, options->directory, &run->directory, failure);
    return error == 0 ? truth_find_sources(run, failure) : error;
}

/* --- the end --- */

/* Nobody counted it: each reason once, or that of a command that nobody can execute. */
static int judge(void *kept, struct failure *failure)
{
    struct truth_run *run = kept;
    const struct skips *skips = &run->studying.skips;
    const bool ours = command_exit_of_error(run->error) == EXIT_OURS;
    struct text words = {0};
    (void)failure;
    if (run->counter)
        return 0;
    if (!skips->count)
        text_puts(&words, "it was interrupted before anything had counted it");
    if (!ours && skips->count)
        text_puts(&words, skips->list[skips->count - 1].reason);
    for (size_t i = 0; ours && i < skips->count; i++)
        text_printf(&words, "%s%s: %s", i ? "\n  " : "it could not be counted. By\n  ",
                    skips->list[i].what, skips->list[i].reason);
    run->studying.refusal = memory_text(&words);
    return 0;
}

/* With --show-output standard output is the command's: the report goes beside it. */
static bool aside(const void *kept)
{
    const struct truth_run *run = kept;
    return run->counter && run->shown && !run->studying.given->from;
}

/* How the command ended; judging it again went well. */
static int end(const void *kept, int status)
{
    const struct truth_run *run = kept;
    if (status != EXIT_DONE)
        return status;
    return !run->counter               ? command_exit_of_error(run->error)
           : run->studying.given->from ? status
                                       : command_exit(run->counted.status);
}

static void release(void *kept)
{
    struct truth_run *run = kept;
    executed_free(run->executed);
}

static const struct study study = {
    .size = sizeof(struct truth_run),
    .whole = true,
    .check = check,
    .prepare = prepare,
    .put = truth_put,
    .measure = truth_measure,
    .load = truth_load,
    .judge = judge,
    .put_report = truth_put_report,
    .unseeded = true,
    .aside = aside,
    .end = end,
    .release = release,
    .told = &truth_told,
};

#define FIELD(name) offsetof(struct truth_options, name)

static const struct option_spec specs[] = {
    {0, "by", OPTION_LIST, "WHAT",
     "also sum by opcode, by function, or by both (opcode,function); classes of instructions are "
     "always told where the source can",
     FIELD(by), "class", .words = ONE_OF("opcode", "function")},
    {0, "source", OPTION_STRING | OPTION_MEASURES, "SOURCE",
     "count with qemu, valgrind or step, and with nothing else; unless given with the fastest of "
     "them that can see the whole program",
     FIELD(source), NULL, .words = ONE_OF("qemu", "valgrind", "step")},
    {0, "control", OPTION_STRING | OPTION_MEASURES, "SETTING",
     "hold everything constant (controlled), or leave it as it is (as-is); also settings of `assay "
     "repeat`, without-aslr for example",
     FIELD(control), "controlled", .words = ONE_OF("controlled", "as-is")},
    OPTION_ROW_KEEP(FIELD(keep)),
    OPTION_ROW_INPUT(FIELD(input)),
    OPTION_ROW_DIRECTORY(FIELD(directory)),
    OPTION_ROW_BRING(FIELD(bring)),
    OPTION_ROW_CPU(OPTION_MEASURES, FIELD(cpu)),
    {0, "timeout", OPTION_DURATION, "TIME",
     "end it when it takes longer under the source, which is many times slower than the CPU",
     FIELD(timeout), "5m"},
    {0, "show-output", OPTION_FLAG | OPTION_MEASURES, NULL,
     "pass on what it writes as it comes; the report goes to standard error then",
     FIELD(show_output), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every class, opcode and function, not only the largest",
     FIELD(study.all), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    OPTION_ROW_STORE(FIELD(study.store)),
    {0},
};

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
        "threads, children or other programs, refuses it with a reason, and the next is tried; so "
        "it is where a tool answers system calls otherwise than the kernel does, and the program "
        "takes another path. "
        "What a source counts is exact for the run that it executed: it may show the program "
        "another CPU and another layout of memory, which the report says.\n\n"
        "The command is controlled unless --control as-is is given: no random addresses, a fixed "
        "environment, one CPU, fixed hash seeds and so on (docs/repeat.md), so that the count "
        "repeats. It reads nothing unless --input is given; what it writes is counted and dropped "
        "unless --show-output is given. Everything that it started is ended with it.\n\n"
        "A string instruction with a repeat prefix counts once; its repetitions are told apart.\n\n"
        "--from shows a stored run again, without the machine; --by asks for what was counted "
        "then, and the exit status is assay's own.",
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
    .results = &truth_results,
    .analysis = &truth_analysis,
    .study = &study,
};
