/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay repeat: is the same program counted the same? Programs and sources that are asked for, how
 * the command ended, options, and the entry. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/words.h"
#include "engine/claims.h"
#include "engine/command-line.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "output/output.h"
#include "studies/repeat/parts.h"
#include "studies/repeat/suite.h"

/* ----------------------------------------------------------------------------------------------
 * Who counts for `assay repeat`, and what: what was asked for held against what the machine has. */

/* Counters of the CPU that are opened unless events are named: more of them would take turns. */
#define MOST_OF_CPU 4u

/* Where nobody names events. Several count instructions: which of them agrees best with the truth
 * is one of the questions. */
static const char *const of_cpu[] = {"instructions:u",         "INSTRUCTION_RETIRED:u",
                                     "INST_RETIRED:ANY_P:u",   "INST_RETIRED:PREC_DIST:u",
                                     "RETIRED_INSTRUCTIONS:u", "branches:u"};
/* The first of these that opens. */
static const char *const of_faults[] = {"page-faults", "page-faults:u"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* --- which sources --- */

static bool has(const struct string_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], word) == 0)
            return true;
    return false;
}

static int lacking(const struct catalogue *catalogue, const char *source, struct failure *failure)
{
    const struct catalogue_absence *absence = absences_find(catalogue, "counter", source);
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < catalogue->counter_count; i++)
        text_printf(&known, "%s%s", i ? ", " : "", catalogue->counters[i].source);
    if (absence)
        return fail_with(failure, -ENODEV, "%.40s cannot count commands here: %.500s", source,
                         absence->reason);
    return fail_with(failure, -EINVAL,
                     "there is no source '%.40s' that counts commands; here there %s %.200s",
                     source, catalogue->counter_count ? "are" : "is",
                     known.length ? text_string(&known) : "none");
}

static int check_named(const struct repeating *run, struct failure *failure)
{
    const struct repeat_options *options = repeat_asked(run);
    const struct catalogue *catalogue = run->studying.catalogue;
    for (size_t i = 0; i < options->source.count; i++)
        if (!catalogue_counter(catalogue, options->source.items[i]))
            return lacking(catalogue, options->source.items[i], failure);
    for (size_t i = 0; i < options->event.count; i++) {
        const char *event = options->event.items[i], *source = command_source(event);
        if (!*source)
            return fail_with(failure, -EINVAL,
                             "%.60s is told of every execution: leave it out of --event", event);
        if (options->source.count && !has(&options->source, source))
            return fail_with(failure, -EINVAL,
                             "--event %.100s is counted by %s, which is not in --source", event,
                             source);
        if (!catalogue_counter(catalogue, source))
            return lacking(catalogue, source, failure);
    }
    return 0;
}

/* --- their events --- */

static int add_event(struct repeat_source *source, const char *event, struct failure *failure)
{
    for (size_t i = 0; i < source->count; i++)
        if (strcmp(source->events[i], event) == 0)
            return 0;
    if (source->count >= CELL_MAX_COUNTERS - 8)
        return fail_with(failure, -E2BIG, "at most %d events can be counted at once",
                         CELL_MAX_COUNTERS - 8);
    *memory_add(source->events, source->count) = memory_copy(event);
    return 0;
}

/* Events of a source need no opening: who has the class has the event. */
static int add_of_source(struct repeating *run, struct repeat_source *source,
                         const struct catalogue_counter *counter, const char *event,
                         struct failure *failure)
{
    char class[64] = "";
    const char *begin = event + strcspn(event, "/");
    if (*begin)
        snprintf(class, sizeof(class), "%.*s", (int)strcspn(begin + 1, "/"), begin + 1);
    if (!word_list_has(counter->classes, class))
        return fail_with(failure, -EINVAL,
                         "%s has no event '%.100s' for commands; it counts %.300s", source->name,
                         event, counter->classes);
    tried_add(&run->tried, &(struct tried_event){.name = (char *)(uintptr_t)event,
                                                 .kind = (char *)(uintptr_t) "source",
                                                 .class = class});
    return add_event(source, event, failure);
}

static int add_usual_of_source(struct repeating *run, struct repeat_source *source,
                               const struct catalogue_counter *counter, struct failure *failure)
{
    static const char *const usual[] = {"instructions", "instructions-raw"};
    int error = 0;
    for (size_t i = 0; i < COUNT(usual) && error == 0; i++)
        if (word_list_has(counter->classes, usual[i]))
            error = add_of_source(run, source, counter,
                                  memory_format("%s/%s/", source->name, usual[i]), failure);
    return error;
}

static int try_event(struct repeating *run, struct repeat_source *source, const char *event,
                     bool named, struct failure *failure)
{
    int error = tried_find(&run->tried, event)
                    ? 0
                    : tried_try(&run->tried, run->studying.session, event, named, failure);
    if (error == 0 && tried_opens(&run->tried, event))
        error = add_event(source, event, failure);
    return error;
}

/* A machine without a PMU has none of them: the first tells why. */
static int add_usual_of_perf(struct repeating *run, struct repeat_source *source,
                             struct failure *failure)
{
    int error = try_event(run, source, of_cpu[0], false, failure);
    const bool pmu = error == 0 && source->count;
    for (size_t i = 1; i < COUNT(of_cpu) && pmu && error == 0 && source->count < MOST_OF_CPU; i++) {
        const bool known = tried_find(&run->tried, of_cpu[i]);
        error = try_event(run, source, of_cpu[i], false, failure);
        /* Nobody asked for it, so nobody misses it. */
        if (error == 0 && !known && !tried_opens(&run->tried, of_cpu[i]))
            tried_drop_last(&run->tried);
    }
    for (size_t i = 0; i < COUNT(of_faults) && error == 0; i++) {
        error = try_event(run, source, of_faults[i], false, failure);
        if (tried_opens(&run->tried, of_faults[i]))
            break;
    }
    return error;
}

static int add_events(struct repeating *run, struct repeat_source *source,
                      const struct catalogue_counter *counter, struct failure *failure)
{
    const struct string_list *named = &repeat_asked(run)->event;
    const bool perf = strcmp(source->name, "perf_event") == 0;
    bool any = false;
    int error = 0;
    for (size_t i = 0; i < named->count && error == 0; i++) {
        if (strcmp(command_source(named->items[i]), source->name) != 0)
            continue;
        any = true;
        error = perf ? try_event(run, source, named->items[i], true, failure)
                     : add_of_source(run, source, counter, named->items[i], failure);
    }
    if (error == 0 && !any)
        error = perf ? add_usual_of_perf(run, source, failure)
                     : add_usual_of_source(run, source, counter, failure);
    return error;
}

/* --- in order --- */

static int by_price(const void *left, const void *right)
{
    const struct repeat_source *a = left, *b = right;
    return (a->slower > b->slower) - (a->slower < b->slower);
}

static int add_source(struct repeating *run, const struct catalogue_counter *counter,
                      struct failure *failure)
{
    struct repeat_source *source = memory_add(run->study.sources, run->study.source_count);
    source->name = memory_copy(counter->source);
    source->code = word_list_has(counter->details, command_detail_names[DETAIL_CODE]);
    repeat_source_expect(source, run->study.emulated);
    /* Watching system calls is cheap as long as nobody asks for instructions. */
    if (word_list_has(counter->details, command_detail_names[DETAIL_CALLS]) &&
        word_list_has(counter->classes, "syscalls"))
        source->calls = memory_format("%s/syscalls/", source->name);
    const int error = add_events(run, source, counter, failure);
    for (size_t i = 0; i < source->count && !source->instructions; i++) {
        const struct tried_event *event = tried_find(&run->tried, source->events[i]);
        source->instructions = event && event->class && strcmp(event->class, "instructions") == 0;
    }
    if (error == 0 && !source->count) /* none of its events can be opened */
        run->study.source_count--;
    return error;
}

static int find_sources(struct repeating *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct repeat_options *options = repeat_asked(run);
    struct repeat_study *study = &run->study;
    int error = check_named(run, failure);
    for (size_t i = 0; i < catalogue->counter_count && error == 0; i++) {
        /* Does somebody want this one? By name; or because one of its events was named; or nobody
         * named anything. */
        const char *source = catalogue->counters[i].source;
        bool wanted = options->source.count ? has(&options->source, source) : !options->event.count;
        for (size_t j = 0; !options->source.count && j < options->event.count && !wanted; j++)
            wanted = strcmp(command_source(options->event.items[j]), source) == 0;
        if (wanted)
            error = add_source(run, &catalogue->counters[i], failure);
    }
    if (error == 0 && study->source_count)
        qsort(study->sources, study->source_count, sizeof(*study->sources), by_price);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * How the user's command ended: the exit code of `assay repeat`, and a sentence where it could not
 * be executed, never ended, or ended now this way and now that. */

/* How often it ended in one way. */
struct ending {
    uint64_t status;
    size_t times;
};
struct endings {
    struct ending *list;
    size_t count;
    const struct repeat_cell *failed; /* a cell none of whose executions could be counted */
};

/* Those of the first cell come first: it is the command as it is. */
static struct endings collect(const struct repeating *run)
{
    const struct repeat_case *file = &run->file;
    struct endings endings = {0};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        /* That its time was over says less of a program that is slowed down. */
        const bool slowed =
            cell->source && *cell->source && strcmp(cell->source, "perf_event") != 0;
        if (strcmp(file->programs[cell->at.program].words, run->joined) != 0 ||
            cell->detail != DETAIL_NONE)
            continue;
        if (!cell->runs && cell->failed && !endings.failed)
            endings.failed = cell;
        for (size_t j = 0; j < cell->runs; j++) {
            const uint64_t status = cell->list[j].status;
            size_t at = 0;
            if (slowed && status >= STATUS_TIMEOUT)
                continue;
            while (at < endings.count && endings.list[at].status != status)
                at++;
            if (at == endings.count)
                memory_add(endings.list, endings.count)->status = status;
            endings.list[at].times++;
        }
    }
    return endings;
}

/* --- sentences --- */

/* A file of this machine that another one has not is easily brought. */
static void put_bring(const struct repeating *run, struct text *out)
{
    AUTO_WORDS char **words = NULL;
    struct failure ignored = {0};
    if (strcmp(run->studying.given->common.via, "local") == 0 ||
        words_split(run->joined, &words, &ignored) <= 0 || !strchr(words[0], '/') ||
        access(words[0], X_OK) < 0)
        return;
    text_puts(out, ". It is a file of this machine, which can be brought to the other: --bring ");
    text_put_shell(out, words[0]);
    text_printf(out, " -- " PLACE_BROUGHT "/%s", strrchr(words[0], '/') + 1);
}

static void say_endless(const struct repeating *run)
{
    char ending[160];
    command_ending((uint64_t)run->status, repeat_asked(run)->timeout, ending, sizeof(ending));
    deliver_message(
        "repeat",
        memory_format("%s %s. It was not executed again: it may wait for something that never "
                      "comes (its standard input is %s), or need a longer --timeout",
                      run->study.programs[0].name, ending, run->input ? "a file" : "empty"));
}

/* "perl did not always end alike: 20 times it ended with status 0, 4 times it was killed by …" */
static void say_different(const struct repeating *run, const struct endings *endings)
{
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%s did not always end alike:", run->study.programs[0].name);
    for (size_t i = 0; i < endings->count; i++) {
        char ending[160];
        command_ending(endings->list[i].status, repeat_asked(run)->timeout, ending, sizeof(ending));
        text_printf(&message, "%s it %s in %zu execution%s", i ? "," : "", ending,
                    endings->list[i].times, endings->list[i].times == 1 ? "" : "s");
    }
    text_puts(&message, "; the first decides on the exit status");
    deliver_remark(&run->studying.given->common, "%s", text_string(&message));
}

static void find_ending(struct repeating *run)
{
    if (!run->joined)
        return;
    const struct endings endings = collect(run);
    const struct repeat_cell *failed = endings.failed;
    run->ending = EXIT_OURS;
    if (endings.count) {
        run->status = (int)endings.list[0].status;
        run->ending = command_exit(endings.list[0].status);
        if (endings.count > 1)
            say_different(run, &endings);
        else if (endings.list[0].status >= STATUS_TIMEOUT)
            say_endless(run);
    } else if (failed) {
        struct text message = {0};
        text_puts(&message, failed->reason ? failed->reason : strerror(failed->error));
        if (failed->error == ENOENT)
            put_bring(run, &message);
        run->studying.refusal = memory_text(&message);
        run->ending = command_exit_of_error(failed->error);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The programs that `assay repeat` is asked for, and the files that they need on the machine under
 * test. Suites are read, what is missing installed or left out by name, and their inputs brought.
 */

static void say(const char *line)
{
    deliver_message("repeat", line);
}

static void say_nothing(const char *line)
{
    (void)line;
}

static int take_suite(struct repeating *run, const char *name, struct failure *failure)
{
    const struct repeat_options *options = repeat_asked(run);
    const struct common_options *common = &run->studying.given->common;
    struct suite suite;
    int error = suite_read(name, &suite, failure);
    if (error == 0 && options->install && !run->studying.given->resume)
        error =
            strcmp(common->via, "local") != 0
                ? fail_with(failure, -EINVAL,
                            "--install installs packages on this machine, not on one behind "
                            "--via: install them there yourself")
                : suite_install(&suite, &interrupted, common->quiet ? say_nothing : say, failure);
    /* Those that are there; the others are left out by name, with the package that brings them. */
    for (size_t i = 0; i < suite.count && error == 0; i++) {
        const struct workload *workload = &suite.list[i];
        error = suite_lacks(workload, run->studying.session, failure);
        if (error == 0)
            *memory_add(run->study.programs, run->study.program_count) =
                (struct repeat_wanted){.name = workload->name,
                                       .words = workload->command,
                                       .input = *workload->input ? workload->input : NULL};
        if (error != -ENOENT)
            continue;
        skips_add(&run->studying.skips, workload->name, failure->text, ENOENT);
        *failure = (struct failure){0};
        error = 0;
    }
    return error < 0 ? error : suite_bring(&suite, run->studying.session, failure);
}

static int add_command(struct repeating *run, struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    int count = words_split(run->joined, &words, failure);
    if (count <= 0)
        return count < 0 ? count : fail_with(failure, -EINVAL, "the command is empty");
    *memory_add(run->study.programs, run->study.program_count) =
        (struct repeat_wanted){.name = command_line_name(words[0]),
                               .words = run->joined,
                               .input = run->input,
                               .directory = run->directory,
                               .user = true};
    return 0;
}

static int find_programs(struct repeating *run, struct failure *failure)
{
    const struct repeat_options *options = repeat_asked(run);
    const struct studying *studying = &run->studying;
    const char *via = studying->given->common.via;
    int error = 0;
    if (!run->joined && studying->argument_count)
        error =
            command_line_join(studying->arguments, studying->argument_count, &run->joined, failure);
    if (error == 0)
        error = command_line_bring(studying->session, &options->bring, failure);
    /* A resumed run has these of its store; but another machine has lost what was brought. */
    const char *begun = run->input;
    const bool resume = studying->given->resume;
    if (error == 0 &&
        (!resume || (strcmp(via, "local") != 0 && !run_store_is_finished(studying->store))))
        error = command_line_input(studying->session, via, options->input, &run->input, failure);
    if (error == 0 && begun && strcmp(begun, run->input) != 0)
        error =
            fail_with(failure, -ENOENT,
                      "--input %.300s is not in this folder, and has to be brought again: go on "
                      "in the folder where the run began",
                      options->input);
    if (error == 0 && !resume)
        error = command_line_directory(via, options->directory, &run->directory, failure);
    if (error == 0 && run->joined)
        error = add_command(run, failure);
    for (size_t i = 0; i < options->suite.count && error == 0; i++)
        error = take_suite(run, options->suite.items[i], failure);
    if (error == 0 && options->suite.count && !run->study.program_count)
        error = fail_with(failure, -ENODEV,
                          "none of the programs of the suite is installed on the machine under "
                          "test: %s",
                          studying->skips.count ? studying->skips.list[0].reason : "it has none");
    return error;
}

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
    int error = find_programs(run, failure);
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
    error = find_sources(run, failure);
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
    find_ending(run);
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
    .results = &repeat_results,
    .analysis = &repeat_analysis,
    .study = &study,
};
