/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay repeat: is the same program counted the same? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "output/output.h"
#include "studies/repeat/parts.h"
#include "studies/repeat/plan.h"

/* ----------------------------------------------------------------------------------------------
 * What can be wrong with a command line of `assay repeat`, said before a machine is reached. */

#define MOST_RUNS 10000u
#define MOST_CPUS 65536u

/* What can be said of the command line before a machine is reached. */
static int check_against(const struct repeat_options *options, size_t words,
                         struct failure *failure)
{
    const bool about_execution = words || options->suite.count || options->event.count ||
                                 options->source.count || options->control.count ||
                                 options->no_control.count || options->sweep.count ||
                                 options->bring.count || options->keep.count || options->input ||
                                 options->directory || options->runs.given || options->quick;
    if (options->from.count && (options->resume || options->store))
        return fail_with(failure, -EINVAL,
                         "--from judges stored runs again: --store and --resume measure one");
    if (options->from.count && (about_execution || options->budget))
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out the command and what "
                         "says how it is executed");
    if (options->resume &&
        (about_execution || options->cpu.given || options->no_subjects || options->show_output))
        return fail_with(failure, -EINVAL,
                         "--resume goes on with what the run began with: leave out the command and "
                         "what says how it is executed");
    if (words && options->suite.count)
        return fail_with(failure, -EINVAL,
                         "either a command is repeated or the programs of --suite, not both");
    if (options->install && !options->suite.count)
        return fail_with(failure, -EINVAL, "--install is for the packages of --suite");
    if (options->no_subjects && !words && !options->suite.count && !options->resume)
        return fail_with(failure, -EINVAL,
                         "there is nothing to repeat: give a command, or leave out --no-subjects "
                         "to repeat the programs of the kit");
    if (!words && !options->resume &&
        (options->input || options->directory || options->show_output))
        return fail_with(failure, -EINVAL,
                         "--input, --directory and --show-output are about a command, and there is "
                         "none");
    return 0;
}

static int check_controls(const char *option, const struct string_list *list,
                          struct failure *failure)
{
    for (size_t i = 0; i < list->count; i++) {
        AUTO_TEXT struct text known = {0};
        if (control_from_name(list->items[i]) >= 0)
            continue;
        for (int control = 0; control < CONTROL_COUNT; control++)
            text_printf(&known, "%s%s", control ? ", " : "", control_names[control]);
        return fail_with(failure, -EINVAL, "--%s: there is no control '%.60s', but %s", option,
                         list->items[i], text_string(&known));
    }
    return 0;
}

static int check_values(const struct repeat_options *options, struct failure *failure)
{
    int error = options_check_number("runs", &options->runs, MOST_RUNS, failure);
    if (error == 0 && options->runs.given && options->runs.value < 2)
        error = fail_with(failure, -EINVAL,
                          "--runs must be at least 2: what is executed once does not vary");
    if (error == 0 && options->cpu.given && options->cpu.value >= MOST_CPUS)
        error = fail_with(failure, -EINVAL, "--cpu: there is no such CPU");
    if (error == 0 && (options->timeout == 0 || options->timeout > COMMAND_MOST_MS))
        error = fail_with(failure, -EINVAL, "--timeout must be between 1ms and a week");
    if (error == 0)
        error = check_controls("control", &options->control, failure);
    if (error == 0)
        error = check_controls("no-control", &options->no_control, failure);
    for (size_t i = 0; i < options->sweep.count && error == 0; i++)
        if (sweep_from_name(options->sweep.items[i]) == SWEEP_NONE)
            error = fail_with(failure, -EINVAL,
                              "--sweep: '%.60s' cannot be swept, but env, stack and aslr can",
                              options->sweep.items[i]);
    for (size_t i = 0; i < options->keep.count && error == 0; i++)
        if (strpbrk(options->keep.items[i], "= \t\n"))
            error = fail_with(failure, -EINVAL,
                              "--keep takes names of variables alone, not '%.80s': assay gives it "
                              "the value that it has itself",
                              options->keep.items[i]);
    return error;
}

/* What can be said of the command line before a machine is reached. */
static int repeat_check_options(const struct repeat_options *options, size_t word_count)
{
    struct failure failure = {0};
    int error = check_against(options, word_count, &failure);
    if (error == 0)
        error = check_values(options, &failure);
    if (error == 0)
        error = output_check(options->common.output, &failure);
    return error < 0 ? repeat_fail(&failure) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * From options and the machine to the study of repetition: how often, under which control, on
 * which CPU, by whom. */

#define USUAL_RUNS   12u
#define QUICK_RUNS   7u
#define PAPER_RUNS   7u
#define SWEEP_POINTS 17u
#define QUICK_POINTS 9u

/* --- settings --- */

static uint32_t bits_of(const struct string_list *names)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < names->count; i++)
        bits |= CONTROL_BIT(control_from_name(names->items[i])); /* checked before */
    return bits;
}

static int nothing_counts(const struct repeating *repeating, struct failure *failure)
{
    AUTO_TEXT struct text why = {0};
    for (size_t i = 0; i < repeating->tried.count; i++)
        if (repeating->tried.list[i].error)
            text_printf(&why, "\n  %s: %s", repeating->tried.list[i].name,
                        repeating->tried.list[i].reason);
    for (size_t i = 0; i < repeating->catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &repeating->catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0)
            text_printf(&why, "\n  %s: %s", absence->name, absence->reason);
    }
    return fail_with(failure, -ENODEV, "nothing that was asked for can count a command here:%.900s",
                     text_string(&why));
}

/* --- the study --- */

static int plan(struct repeating *repeating, struct failure *failure)
{
    struct repeat_study *study = &repeating->study;
    const struct repeat_options *options = repeating->run.options;
    struct skips *skips = &repeating->run.skips;
    int error = command_line_keep(&options->keep, &study->keep, failure);
    if (error == 0)
        error = command_line_cpu(repeating->run.facts, &options->cpu, &study->cpu, failure);
    /* A machine that does not tell its CPUs pins nothing. */
    if (error == 0 && study->cpu < 0 && (study->controls & CONTROL_BIT(CONTROL_CPU))) {
        study->controls &= ~CONTROL_BIT(CONTROL_CPU);
        error =
            skips_add(skips, "the control cpu",
                      "the machine does not tell which CPUs may be used: name one with --cpu", 0);
    }
    if (error == 0)
        error = repeat_find_sources(repeating, failure);
    if (error == 0 && !repeating->source_count)
        error = nothing_counts(repeating, failure);
    if (error < 0)
        return error;
    study->programs = repeating->programs;
    study->program_count = repeating->program_count;
    study->sources = repeating->sources;
    study->source_count = repeating->source_count;
    /* Half a second takes hours then. */
    if (study->unstepped && catalogue_counter(repeating->catalogue, "step"))
        error = skips_add(
            skips, "programs of the suite by step",
            "stepping through them would take hours: name it with --source to have it done", 0);
    return error < 0 ? error
                     : repeat_plan_make(study, repeating->catalogue, &repeating->plan, failure);
}

/* From options and the machine to sources, events, settings and the plan. */
static int repeat_prepare(struct repeating *repeating)
{
    const struct repeat_options *options = repeating->run.options;
    struct failure failure = {0};
    struct repeat_study *study = &repeating->study;
    *study = (struct repeat_study){
        .runs = options->runs.given ? (uint32_t)options->runs.value
                : options->quick    ? QUICK_RUNS
                                    : USUAL_RUNS,
        .controls = (options->control.count ? bits_of(&options->control) : CONTROLS_ALL) &
                    ~bits_of(&options->no_control),
        .one_at_a_time = true,
        .calls = true,
        .code = true,
        .subjects = !options->no_subjects,
        .sweep_points = options->quick ? QUICK_POINTS : SWEEP_POINTS,
        .timeout = options->timeout,
        .longest = repeating->begun_budget,
        .shown = options->show_output,
        .quick = options->quick,
        .unstepped = options->suite.count && !options->source.count && !options->event.count,
        .emulated = facts_get(repeating->run.facts, "emulated") != NULL};
    for (size_t i = 0; i < options->sweep.count; i++)
        study->sweeps |= 1u << sweep_from_name(options->sweep.items[i]);
    const int error = plan(repeating, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    if (error < 0)
        return repeat_fail(&failure);
    if (study->runs < PAPER_RUNS)
        deliver_remark(&options->common,
                       "%u executions of each setting are fewer than the %u that the paper took: "
                       "small variation will not be seen",
                       study->runs, PAPER_RUNS);
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * assay repeat: is the same program counted the same? */

/* ms: of a command, of suites; the last two on emulated machines. */
#define USUAL_BUDGET 120000u
#define QUICK_BUDGET 20000u
#define SUITE_BUDGET 900000u
#define BRIEF_SUITE  180000u
#define LONG_BUDGET  300000u
#define BRIEF_BUDGET 90000u

#define FIELD(name) offsetof(struct repeat_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST, "EVENT",
     "count these: any events of perf_event, and SOURCE/CLASS/ of sources; unless given "
     "instructions:u where the CPU counts, page-faults, and the instructions of every source; may "
     "be repeated",
     FIELD(event), NULL},
    {0, "source", OPTION_LIST, "SOURCE",
     "count with these: perf_event, step, qemu, valgrind; unless given with all that are usable "
     "here and that the budget holds",
     FIELD(source), NULL},
    {'r', "runs", OPTION_OPTIONAL, "N",
     "executions of every setting, at least 2; unless given 12, with --quick 7", FIELD(runs), NULL},
    {0, "control", OPTION_LIST, "CONTROL",
     "control these alone: aslr, environment, argv0, directory, cpu, stack, stdin, hash-seeds, "
     "tunables, layout; all unless given",
     FIELD(control), NULL},
    {0, "no-control", OPTION_LIST, "CONTROL", "control all but these", FIELD(no_control), NULL},
    {0, "sweep", OPTION_LIST, "WHAT",
     "execute it with more and more bytes in its environment (env), with its stack lower and lower "
     "(stack), or with random addresses again and again (aslr), while all else is controlled",
     FIELD(sweep), NULL},
    OPTION_ROW_KEEP(FIELD(keep)),
    OPTION_ROW_INPUT(FIELD(input)),
    OPTION_ROW_DIRECTORY(FIELD(directory)),
    OPTION_ROW_BRING(FIELD(bring)),
    {0, "suite", OPTION_FILES, "SUITE",
     "repeat the programs of an INI file instead of a command; `open` is the suite that comes with "
     "assay; may be repeated",
     FIELD(suite), NULL},
    {0, "install", OPTION_FLAG, NULL,
     "install the packages of the suite that are missing on this machine first", FIELD(install),
     NULL},
    {0, "no-subjects", OPTION_FLAG, NULL,
     "leave out the programs of the kit, which show what findings are about", FIELD(no_subjects),
     NULL},
    {0, "timeout", OPTION_DURATION, "TIME",
     "end an execution that takes longer; sources may take longer by as much as they slow it down, "
     "but not longer than a quarter of the budget",
     FIELD(timeout), "60s"},
    {0, "show-output", OPTION_FLAG, NULL,
     "pass on what the first execution writes, to standard error", FIELD(show_output), NULL},
    OPTION_ROW_CPU(FIELD(cpu)),
    {0, "quick", OPTION_FLAG, NULL, "fewer executions in less time", FIELD(quick), NULL},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important executions are left out: 20s, 5m; unless given 2m, "
     "with --quick 20s; of suites 15m and 3m; on an emulated machine 5m and 90s",
     FIELD(budget), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every setting, source and reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; several are judged together, "
     "which tells whether machines agree; may be repeated",
     FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the executions from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

int repeat_ours(int status)
{
    return status == EXIT_DONE || status == EXIT_INTERRUPTED ? status : EXIT_OURS;
}

int repeat_fail(const struct failure *failure)
{
    return deliver_failure("repeat", failure, EXIT_OURS);
}

/* --- the way through --- */

static void release(struct repeating *repeating)
{
    store_close(repeating->store);
    session_close(repeating->session);
    tried_free(&repeating->tried);
    executed_free(repeating->executed);
    skips_free(&repeating->run.skips);
    facts_free(&repeating->stored_facts);
    options_release(&command_repeat, &repeating->begun);
}

static uint64_t budget_of(const struct repeat_options *options, const struct facts *facts)
{
    const bool quick = options->quick;
    if (options->budget)
        return options->budget;
    if (options->suite.count)
        return quick ? BRIEF_SUITE : SUITE_BUDGET;
    if (facts_get(facts, "emulated"))
        return quick ? BRIEF_BUDGET : LONG_BUDGET;
    return quick ? QUICK_BUDGET : USUAL_BUDGET;
}

static int plan_and_store(struct repeating *repeating)
{
    const bool resume = repeating->run.options->resume;
    int status = resume ? repeat_reopen_store(repeating) : EXIT_DONE;
    repeating->run.budget = budget_of(repeating->run.options, repeating->run.facts);
    /* Cells must stay the same when a run goes on with more time. */
    repeating->begun_budget =
        resume ? budget_of(&repeating->begun, repeating->run.facts) : repeating->run.budget;
    if (status == EXIT_DONE)
        status = repeat_find_programs(repeating);
    if (status == EXIT_DONE)
        status = repeat_prepare(repeating);
    if (status == EXIT_DONE)
        status = resume ? repeat_adopt_store(repeating) : repeat_create_store(repeating);
    return status;
}

static int on_the_machine(struct repeating *repeating)
{
    struct repeat_run_of *run = &repeating->run;
    int status = repeat_ours(
        reach_machine("repeat", &run->options->common, &repeating->session, &repeating->catalogue));
    if (status != EXIT_DONE)
        return status;
    run->facts = &repeating->catalogue->facts;
    memcpy(run->fingerprint, repeating->catalogue->fingerprint,
           sizeof(repeating->catalogue->fingerprint));
    status = plan_and_store(repeating);
    return status == EXIT_DONE ? repeat_measure(repeating) : status;
}

static int judge(void *study)
{
    struct repeating *repeating = study;
    struct repeat_run_of *run = &repeating->run;
    struct failure failure = {0};
    int error = 0;
    /* Stores that are judged again were loaded when they were opened. */
    if (repeating->store && !run->options->from.count)
        error = repeat_load(repeating->store, &run->file, &failure);
    if (error == 0) {
        repeat_judge(&run->file, run->seed, &run->report);
        error = repeat_collect_skips(repeating);
    }
    run->seconds = (double)(monotonic_ms() - repeating->started) / 1000;
    return finish_judged("repeat", error, &failure);
}

/* Of a command that could not be started there is nothing to be shown but why. */
static int show(void *study, int status)
{
    struct repeating *repeating = study;
    const struct repeat_run_of *run = &repeating->run;
    const struct finish finish = {.command = "repeat",
                                  .common = &run->options->common,
                                  .seed = run->seed,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .skips = &run->skips,
                                  .run = run,
                                  .put_report = repeat_put_report,
                                  .results = repeat_results_json,
                                  .analysis = repeat_analysis_json,
                                  .findings = repeat_findings_json,
                                  .figures = repeat_figures};
    const int ending = repeat_exit(repeating, status);
    if (repeating->refusal && !run->options->common.json)
        return ending;
    const int shown = finish_show(&finish, status);
    return shown == status ? ending : EXIT_OURS;
}

static int run_repeat(void *parsed, int word_count, char **words)
{
    const struct repeat_options *options = parsed;
    struct repeating repeating = {.run = {.options = options, .complete = true, .status = -1},
                                  .words = (const char *const *)words,
                                  .word_count = (size_t)word_count,
                                  .started = monotonic_ms(),
                                  .showing = true};
    int status = repeat_check_options(options, (size_t)word_count);
    if (status == EXIT_DONE) {
        repeating.run.seed = gather_seed(&options->seed);
        status = options->from.count ? repeat_open_from(&repeating) : on_the_machine(&repeating);
        /* As finish_study, but that the command's own status may be any number. */
        if (status == EXIT_DONE || (status == EXIT_INTERRUPTED && repeating.store))
            status = judge(&repeating) == EXIT_DONE ? show(&repeating, status) : EXIT_OURS;
    }
    release(&repeating);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done, and the command succeeded; below 124: the command's own status"},
    {EXIT_TIMED_OUT, "the command did not end within --timeout"},
    {EXIT_OURS, "assay failed, was used wrongly, or nothing here can count a command"},
    {EXIT_NOT_RUN, "the command was found, but cannot be executed"},
    {EXIT_NOT_FOUND, "the command was not found"},
    {EXIT_BY_SIGNAL, "with the number of a signal added: the command was killed by it"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_repeat = {
    .name = "repeat",
    .group = GROUP_PROGRAM,
    .summary = "is the same program counted the same, run after run and by every source?",
    .synopsis = "[options] [--] [COMMAND [ARGUMENT...]]",
    .description =
        "Executes a program again and again, as it is and under control, and counts each execution "
        "as a whole: from its first instruction to its end, with its threads and children. Under "
        "control, addresses are not random, the environment has always the same size and content, "
        "argv[0], the directory, the limit of the stack and standard input are the same, it stays "
        "on "
        "one CPU, hashes of Perl and Python are not seeded anew, and glibc does not choose by the "
        "CPU. Each control is also tried alone and left out alone, which tells which of them "
        "brought "
        "which part.\n\n"
        "Counters are those of perf_event, and sources that count by executing: step (every "
        "instruction by ptrace), qemu and valgrind. They are held against each other, with the "
        "reasons where they differ, and what page faults and interrupts add to a count is "
        "estimated and subtracted. Two executions are watched call by call, so that what parts "
        "them "
        "(the time, process ids, random numbers, threads) is named.\n\n"
        "Without a command it is the programs of the kit that are repeated: each shows one thing "
        "that the findings of Weaver and McKee are about. With a command they come last, as far as "
        "the budget goes. Suites are lists of real programs, whose inputs are made and brought "
        "along.\n\n"
        "The program never has the terminal: it reads nothing or a file, and what it writes is "
        "counted and dropped. Everything that it started has ended when its execution has. No "
        "shell "
        "is involved. Everything is stored, so that --from judges it again without the machine, "
        "and "
        "several stores together: does the same program count the same on every machine?",
    .examples = "# how much do counts of this program vary, and what makes it stop?\n"
                "assay repeat -- perl -e 'my %h = map { $_ => 1 } 1 .. 100; print keys %h'\n"
                "# a first look\n"
                "assay repeat --quick -- ls -l\n"
                "# by two sources, with the size of the environment swept\n"
                "assay repeat --source qemu,valgrind --sweep env -- sort words.txt\n"
                "# what address randomisation alone does\n"
                "assay repeat --control aslr -- ./parser\n"
                "# programs of the kit: how do the findings of the paper fare here?\n"
                "assay repeat\n"
                "# a static program on an emulated machine whose counters are exact\n"
                "assay repeat --via lab:aarch64 --bring ./prog -- {brought}/prog\n"
                "# real programs\n"
                "assay repeat --suite open --quick\n"
                "# does it count the same on two machines?\n"
                "assay repeat --from here.sqlite --from there.sqlite",
    .options = specs,
    .exits = exits,
    .passes_on = true,
    .options_size = sizeof(struct repeat_options),
    .run = run_repeat,
};
