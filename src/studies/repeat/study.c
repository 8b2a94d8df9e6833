/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay repeat: is the same program counted the same? */
#include <errno.h>
#include <string.h>

#include "engine/command-line.h"
#include "engine/options.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What can be wrong with a command line of `assay repeat`, said before a machine is reached. */

#define MOST_RUNS 10000u
#define MOST_CPUS 65536u

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
    for (size_t i = 0; i < options->keep.count && error == 0; i++)
        if (strpbrk(options->keep.items[i], "= \t\n"))
            error = fail_with(failure, -EINVAL,
                              "--keep takes names of variables alone, not '%.80s': assay gives it "
                              "the value that it has itself",
                              options->keep.items[i]);
    return error;
}

static int check(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    const struct repeat_options *options = repeat_asked(run);
    const bool words = run->studying.argument_count > 0;
    run->status = -1;
    run->showing = true;
    if (words && options->suite.count)
        return fail_with(failure, -EINVAL,
                         "either a command is repeated or the programs of --suite, not both");
    if (options->install && !options->suite.count)
        return fail_with(failure, -EINVAL, "--install is for the packages of --suite");
    if (options->no_subjects && !words && !options->suite.count)
        return fail_with(failure, -EINVAL,
                         "there is nothing to repeat: give a command, or leave out --no-subjects "
                         "to repeat the programs of the kit");
    if (!words && (options->input || options->directory || options->show_output))
        return fail_with(failure, -EINVAL,
                         "--input, --directory and --show-output are about a command, and there is "
                         "none");
    return check_values(options, failure);
}

/* ----------------------------------------------------------------------------------------------
 * From options and the machine to the study of repetition: how often, under which control, on
 * which CPU, by whom. */

#define USUAL_RUNS   12u
#define QUICK_RUNS   7u
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

static int nothing_counts(const struct repeating *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    AUTO_TEXT struct text why = {0};
    for (size_t i = 0; i < run->tried.count; i++)
        if (run->tried.list[i].error)
            text_printf(&why, "\n  %s: %s", run->tried.list[i].name, run->tried.list[i].reason);
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0)
            text_printf(&why, "\n  %s: %s", absence->name, absence->reason);
    }
    return fail_with(failure, -ENODEV, "nothing that was asked for can count a command here:%.900s",
                     text_string(&why));
}

/* --- time --- */

/* ms: of a command, of suites; the last two on emulated machines. */
#define USUAL_BUDGET 120000u
#define QUICK_BUDGET 20000u
#define SUITE_BUDGET 900000u
#define BRIEF_SUITE  180000u
#define LONG_BUDGET  300000u
#define BRIEF_BUDGET 90000u

static uint64_t budget_of(const struct repeating *run, const struct study_options *study)
{
    const struct repeat_options *options = (const void *)study;
    if (study->budget)
        return study->budget;
    if (options->suite.count)
        return options->quick ? BRIEF_SUITE : SUITE_BUDGET;
    if (facts_get(run->studying.facts, "emulated"))
        return options->quick ? BRIEF_BUDGET : LONG_BUDGET;
    return options->quick ? QUICK_BUDGET : USUAL_BUDGET;
}

static uint64_t budget(const void *kept)
{
    const struct repeating *run = kept;
    return budget_of(run, run->studying.options);
}

/* --- the study --- */

/* Programs and sources, and on which CPU. */
static int find(struct repeating *run, struct failure *failure)
{
    struct repeat_study *study = &run->study;
    const struct repeat_options *options = repeat_asked(run);
    struct skips *skips = &run->studying.skips;
    int error = repeat_find_programs(run, failure);
    study->keep = command_line_keep(&options->keep);
    if (error == 0)
        error = command_line_cpu(run->studying.facts, &options->cpu, &study->cpu, failure);
    if (error < 0)
        return error;
    /* A machine that does not tell its CPUs pins nothing. */
    if (study->cpu < 0 && (study->controls & CONTROL_BIT(CONTROL_CPU))) {
        study->controls &= ~CONTROL_BIT(CONTROL_CPU);
        skips_add(skips, "the control cpu",
                  "the machine does not tell which CPUs may be used: name one with --cpu", 0);
    }
    error = repeat_find_sources(run, failure);
    if (error == 0 && !study->source_count)
        return nothing_counts(run, failure);
    /* Half a second takes hours then. */
    if (error == 0 && study->unstepped && catalogue_counter(run->studying.catalogue, "step"))
        skips_add(skips, "programs of the suite by step",
                  "stepping through them would take hours: name it with --source to have it done",
                  0);
    return error;
}

/* From options and the machine to programs, sources, settings and the plan. */
static int prepare(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    struct studying *studying = &run->studying;
    const struct repeat_options *options = repeat_asked(run);
    struct repeat_study *study = &run->study;
    *study = (struct repeat_study){
        .runs = options->runs.given ? (uint32_t)options->runs.value
                : options->quick    ? QUICK_RUNS
                                    : USUAL_RUNS,
        .controls = (options->control.count ? bits_of(&options->control) : CONTROLS_ALL) &
                    ~bits_of(&options->no_control),
        .subjects = !options->no_subjects,
        .sweep_points = options->quick ? QUICK_POINTS : SWEEP_POINTS,
        .timeout = options->timeout,
        /* Cells must stay the same when a run goes on with more time. */
        .longest = budget_of(run, studying->begun),
        .shown = options->show_output,
        .quick = options->quick,
        .unstepped = options->suite.count && !options->source.count && !options->event.count,
        .emulated = facts_get(studying->facts, "emulated") != NULL};
    for (size_t i = 0; i < options->sweep.count; i++)
        study->sweeps |= 1u << sweep_from_name(options->sweep.items[i]);
    int error = find(run, failure);
    if (error == 0)
        error =
            repeat_plan_make(study, studying->catalogue, &run->plan, &studying->wishes, failure);
    if (error < 0)
        return error;
    if (study->runs < PAPER_RUNS)
        deliver_remark(&studying->given->common,
                       "%u executions of each setting are fewer than the %u that the paper took: "
                       "small variation will not be seen",
                       study->runs, PAPER_RUNS);
    studying->idle = !studying->wishes.count && !studying->given->resume;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Judging, and the entry. */

static int load(void *kept, struct store *store, struct failure *failure)
{
    return repeat_load(store, &((struct repeating *)kept)->file, failure);
}

static int judge(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    (void)failure;
    repeat_judge(&run->file, run->studying.seed, &run->report);
    repeat_collect_skips(run);
    repeat_find_ending(run);
    if (run->studying.given->froms.count > 1)
        run->studying.stored = NULL; /* it is not in one file */
    return 0;
}

/* The command's status is passed on. */
static int end(const void *kept, int status)
{
    return status == EXIT_DONE ? ((const struct repeating *)kept)->ending : status;
}

static const struct study study = {
    .size = sizeof(struct repeating),
    .begins = "the command and what says how it is executed",
    .check = check,
    .recall = repeat_recall,
    .budget = budget,
    .prepare = prepare,
    .put = repeat_put,
    .adopt = study_adopt,
    .measure = repeat_measure,
    .load = load,
    .judge = judge,
    .put_report = repeat_put_report,
    .results = repeat_results_json,
    .analysis = repeat_analysis_json,
    .findings = {offsetof(struct repeating, report.findings), REPEAT_FINDINGS},
    .figures = repeat_figures,
    .end = end,
    .told = &repeat_told,
};

#define FIELD(name) offsetof(struct repeat_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "EVENT",
     "count these: any events of perf_event, and SOURCE/CLASS/ of sources; unless given "
     "instructions:u where the CPU counts, page-faults, and the instructions of every source; may "
     "be repeated",
     FIELD(event), NULL},
    {0, "source", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "SOURCE",
     "count with these: perf_event, step, qemu, valgrind; unless given with all that are usable "
     "here and that the budget holds",
     FIELD(source), NULL, .words = ONE_OF("perf_event", "step", "qemu", "valgrind")},
    {'r', "runs", OPTION_OPTIONAL | OPTION_MEASURES | OPTION_BEGINS, "N",
     "executions of every setting, at least 2; unless given 12, with --quick 7", FIELD(runs), NULL},
    {0, "control", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "CONTROL",
     "control these alone: aslr, environment, argv0, directory, cpu, stack, stdin, hash-seeds, "
     "tunables, layout; all unless given",
     FIELD(control), NULL, .words = control_names, .only = true},
    {0, "no-control", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "CONTROL",
     "control all but these", FIELD(no_control), NULL, .words = control_names, .only = true},
    {0, "sweep", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "WHAT",
     "execute it with more and more bytes in its environment (env), with its stack lower and lower "
     "(stack), or with random addresses again and again (aslr), while all else is controlled",
     FIELD(sweep), NULL, .words = sweep_names + 1, .only = true},
    OPTION_ROW_KEEP(FIELD(keep)),
    OPTION_ROW_INPUT(FIELD(input)),
    OPTION_ROW_DIRECTORY(FIELD(directory)),
    OPTION_ROW_BRING(FIELD(bring)),
    {0, "suite", OPTION_FILES | OPTION_MEASURES | OPTION_BEGINS, "SUITE",
     "repeat the programs of an INI file instead of a command; `open` is the suite that comes with "
     "assay; may be repeated",
     FIELD(suite), NULL},
    {0, "install", OPTION_FLAG | OPTION_MEASURES | OPTION_BEGINS, NULL,
     "install the packages of the suite that are missing on this machine first", FIELD(install),
     NULL},
    {0, "no-subjects", OPTION_FLAG | OPTION_MEASURES | OPTION_BEGINS, NULL,
     "leave out the programs of the kit, which show what findings are about", FIELD(no_subjects),
     NULL},
    {0, "timeout", OPTION_DURATION | OPTION_BEGINS, "TIME",
     "end an execution that takes longer; sources may take longer by as much as they slow it down, "
     "but not longer than a quarter of the budget",
     FIELD(timeout), "60s"},
    {0, "show-output", OPTION_FLAG | OPTION_MEASURES | OPTION_BEGINS, NULL,
     "pass on what the first execution writes, to standard error", FIELD(show_output), NULL},
    OPTION_ROW_CPU(OPTION_BEGINS, FIELD(cpu)),
    {0, "quick", OPTION_FLAG | OPTION_MEASURES | OPTION_BEGINS, NULL,
     "fewer executions in less time", FIELD(quick), NULL},
    {0, "budget", OPTION_BUDGET | OPTION_MEASURES | OPTION_STAYS, "TIME",
     "spend about TIME, the least important executions are left out: 20s, 5m; unless given 2m, "
     "with --quick 20s; of suites 15m and 3m; on an emulated machine 5m and 90s",
     FIELD(study.budget), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every setting, source and reason, instead of summing up",
     FIELD(study.all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; several are judged together, "
     "which tells whether machines agree; may be repeated",
     FIELD(study.froms), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the executions from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_STORE(FIELD(study.store)),
    OPTION_ROW_RESUME(FIELD(study.resume)),
    {0},
};

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
        "on one CPU, hashes of Perl and Python are not seeded anew, and glibc does not choose by "
        "the CPU. Each control is also tried alone and left out alone, which tells which of them "
        "brought which part.\n\n"
        "Counters are those of perf_event, and sources that count by executing: step (every "
        "instruction by ptrace), qemu and valgrind. They are held against each other, with the "
        "reasons where they differ, and what page faults and interrupts add to a count is "
        "estimated and subtracted. Two executions are watched call by call, so that what parts "
        "them (the time, process ids, random numbers, threads) is named.\n\n"
        "Without a command it is the programs of the kit that are repeated: each shows one thing "
        "that the findings of Weaver and McKee are about. With a command they come last, as far as "
        "the budget goes. Suites are lists of real programs, whose inputs are made and brought "
        "along.\n\n"
        "The program never has the terminal: it reads nothing or a file, and what it writes is "
        "counted and dropped. Everything that it started has ended when its execution has. No "
        "shell is involved. Everything is stored, so that --from judges it again without the "
        "machine, and several stores together: does the same program count the same on every "
        "machine?",
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
    .study = &study,
};
