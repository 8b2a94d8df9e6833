/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay error: how many events measuring itself adds, by every way of measuring that a machine has.
 * Its options, its events, and its entry in the driver of studies. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "studies/error/parts.h"

static const struct error_options *asked_of(const struct error_run *run)
{
    return (const struct error_options *)run->studying.options;
}

/* ----------------------------------------------------------------------------------------------
 * Which events `assay error` measures: those that were named, else the usual ones that open here.
 * What cannot be opened is kept with the reason. */

/* Wanted where nobody names an event. What opens is the machine's to say. */
static const char *const usual[] = {
    "instructions:u", "instructions:uk", "instructions:k", "cycles:u",    "cycles:uk",
    "cycles:k",       "msr/tsc/",        "task-clock",     "page-faults", "raw_syscalls:sys_enter",
};
/* Tried where the plain name is forbidden: of software events ordinary users may count their own.
 */
static const char *const permitted[] = {"task-clock:u", "page-faults:u"};
/* Of these, what means nothing on an emulated machine. */
static const char *const of_time[] = {"cycles:u", "cycles:uk", "cycles:k", "msr/tsc/",
                                      "task-clock"};
/* Wanted beside another event, where that cannot be counted twice. */
static const char *const beside[] = {"context-switches", "cpu-migrations", "minor-faults",
                                     "major-faults", "cpu-clock"};
static const char *const interrupts[] = {"irq_vectors:local_timer_entry", "irq:irq_handler_entry"};
static const char *const specimens[] = {"null", "loop", "placed", "phases"};
static const char *const sources[] = {"step/instructions/", "clock/ticks/"};
#define MOST_RUNS      10000u
#define MOST_PROCESSES 10000u
#define COUNT(list)    (sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* Options and arguments alike name events; NULL behind the last. */
static const char *named(const struct error_run *run, size_t i)
{
    const struct string_list *events = &asked_of(run)->event;
    if (i < events->count)
        return events->items[i];
    i -= events->count;
    return i < run->studying.argument_count ? run->studying.arguments[i] : NULL;
}

static bool was_named(const struct error_run *run, const char *name)
{
    size_t i = 0;
    while (named(run, i) && strcmp(named(run, i), name) != 0)
        i++;
    return named(run, i);
}

static int check(void *kept, struct failure *failure)
{
    const struct error_run *run = kept;
    const struct error_options *options = asked_of(run);
    int error = options_check_number("runs", &options->runs, MOST_RUNS, failure);
    if (error == 0)
        error = options_check_number("processes", &options->processes, MOST_PROCESSES, failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error == 0 && was_named(run, ""))
        error = fail_with(failure, -EINVAL, "an event has no name");
    return error;
}

/* --- trying --- */

/* What helps other events to be measured is no loss where it cannot be opened. */
enum { HELPING = 1, FIRST_ONLY = 2 };

static int try_all(struct error_run *run, const char *const *list, size_t count, unsigned how,
                   struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        const size_t before = run->tried.count;
        int error = tried_try(&run->tried, run->studying.session, list[i], false, failure);
        if (error < 0)
            return error;
        if (!(how & HELPING) || run->tried.count == before)
            continue;
        if (run->tried.list[before].error)
            tried_drop_last(&run->tried);
        else if (how & FIRST_ONLY)
            return 0;
    }
    return 0;
}

/* Was the name without its mode refused for want of permission? */
static bool is_forbidden(const struct error_run *run, const char *name)
{
    const struct tried_event *tried =
        tried_find(&run->tried, memory_format("%.*s", (int)(strlen(name) - strlen(":u")), name));
    return tried && (tried->error == EACCES || tried->error == EPERM);
}

/* --- every event of the CPU, for placement --- */

static int keep_name(void *context, const struct listed_event *event)
{
    struct string_list *names = context;
    AUTO_TEXT struct text name = {0};
    if (!event->openable ||
        (strcmp(event->kind, "hardware") != 0 && strcmp(event->kind, "cache") != 0))
        return 0;
    text_printf(&name, "%s%s", event->name, event_mode(event->name) ? "" : ":u");
    return string_list_push(names, text_string(&name), name.length);
}

static int try_cpu_events(struct error_run *run, struct failure *failure)
{
    struct string_list names = {0};
    bool any = false;
    for (size_t i = 0; i < run->tried.count; i++) {
        const struct tried_event *tried = &run->tried.list[i];
        const struct error_event event = {.name = tried->name, .kind = tried->kind};
        any |= !tried->error && error_event_of_cpu(&event);
    }
    if (!any || facts_get(run->studying.facts, "emulated"))
        return 0;
    int error = session_list_events(run->studying.session, NULL, keep_name, &names, failure);
    if (error == 0)
        error = try_all(run, names.items, names.count, HELPING, failure);
    return error;
}

/* Which events open. */
static int find(void *kept, struct failure *failure)
{
    struct error_run *run = kept;
    const bool emulated = facts_get(run->studying.facts, "emulated"), usually = !named(run, 0);
    int error = 0;
    for (size_t i = 0; named(run, i) && error == 0; i++)
        error = tried_try(&run->tried, run->studying.session, named(run, i), true, failure);
    for (size_t i = 0; i < COUNT(usual) && error == 0 && usually; i++)
        if (!emulated || !is_one_of(usual[i], of_time, COUNT(of_time)))
            error = try_all(run, &usual[i], 1, 0, failure);
    for (size_t i = 0; i < COUNT(permitted) && error == 0 && usually; i++)
        if (is_forbidden(run, permitted[i]))
            error = try_all(run, &permitted[i], 1, 0, failure);
    if (error == 0)
        error = try_all(run, sources, COUNT(sources), 0, failure);
    if (error == 0)
        error = try_all(run, interrupts, COUNT(interrupts), HELPING | FIRST_ONLY, failure);
    if (error == 0)
        error = try_all(run, beside, COUNT(beside), HELPING, failure);
    return error == 0 && usually ? try_cpu_events(run, failure) : error;
}

/* --- from events to the study --- */

/* Which events get every -O level and link mode: instructions where the CPU counts them, else what
 * tells time. */
static bool is_crossed(const struct error_run *run, const char *name)
{
    if (named(run, 0))
        return was_named(run, name);
    if (tried_opens(&run->tried, "instructions:u"))
        return strcmp(name, "instructions:u") == 0 ||
               (strcmp(name, "instructions:uk") == 0 && !run->study.emulated);
    return strcmp(name, "msr/tsc/") == 0 || strncmp(name, "task-clock", 10) == 0 ||
           (strncmp(name, "page-faults", 11) == 0 && !tried_opens(&run->tried, "msr/tsc/"));
}

static void add_event(struct error_run *run, const struct tried_event *tried)
{
    struct error_study *study = &run->study;
    const bool asked = was_named(run, tried->name);
    if (strcmp(tried->kind, "source") == 0) {
        if (strncmp(tried->name, "step/", 5) == 0)
            study->stepped = tried->name;
        else if (strncmp(tried->name, "clock/", 6) == 0)
            study->clock = tried->name;
        return;
    }
    if (event_counts_interrupts(tried->name) && !study->interrupts)
        study->interrupts = tried->name;
    if (event_counts_interrupts(tried->name) && !asked)
        return;
    bool companion = !asked && is_one_of(tried->name, beside, COUNT(beside));
    bool wanted =
        asked || (!named(run, 0) && (is_one_of(tried->name, usual, COUNT(usual)) ||
                                     is_one_of(tried->name, permitted, COUNT(permitted))));
    *memory_add(run->events, study->event_count) =
        (struct error_event){.name = tried->name,
                             .kind = tried->kind,
                             .class = tried->class,
                             .crossed = is_crossed(run, tried->name),
                             .placed_only = !companion && !wanted,
                             .companion = companion};
}

static int check_paths(const struct error_run *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct string_list *asked = &asked_of(run)->path;
    for (size_t i = 0; i < asked->count; i++) {
        const struct catalogue_absence *absence = absences_find(catalogue, "path", asked->items[i]);
        if (catalogue_path(catalogue, asked->items[i]))
            continue;
        return absence ? fail_with(failure, -ENODEV, "the path %s is not to be had here: %s",
                                   asked->items[i], absence->reason)
                       : fail_with(failure, -EINVAL, "there is no path '%.60s'", asked->items[i]);
    }
    return 0;
}

/* Does this study miss it? */
static bool is_missed(const struct catalogue_absence *absence)
{
    return strcmp(absence->kind, "path") == 0 ||
           (strcmp(absence->kind, "specimen") == 0 &&
            is_one_of(absence->name, specimens, COUNT(specimens)));
}

static int prepare(void *kept, struct failure *failure)
{
    struct error_run *run = kept;
    struct studying *studying = &run->studying;
    struct error_study *study = &run->study;
    const struct error_options *options = asked_of(run);
    int error = check_paths(run, failure);
    if (error < 0)
        return error;
    *study = (struct error_study){
        .catalogue = studying->catalogue,
        .paths = options->path.items,
        .path_count = options->path.count,
        .processes = options->processes.given ? (uint32_t)options->processes.value : 0,
        .runs = options->runs.given ? (uint32_t)options->runs.value : 0,
        .full = options->full,
        .emulated = facts_get(studying->facts, "emulated") != NULL,
        .cpu = (int32_t)options->cpu};
    if (!options->path.count)
        absences_skip(studying->catalogue, is_missed, &studying->skips);
    if (study->emulated)
        skips_add(&studying->skips, "placement, cycles and times",
                  "on an emulated machine time passes with every instruction alike", 0);
    for (size_t i = 0; i < run->tried.count; i++)
        if (!run->tried.list[i].error)
            add_event(run, &run->tried.list[i]);
    study->events = run->events;
    studying->idle =
        !studying->given->resume && !study->event_count && !study->stepped && !study->clock;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * The store: everything that judging needs goes into it before the first sample. */

static int put(void *kept, struct failure *failure)
{
    struct error_run *run = kept;
    int error = tried_put(&run->tried, run->studying.store, failure);
    for (size_t i = 0; i < COUNT(specimens) && error == 0; i++) {
        const struct catalogue_specimen *specimen =
            catalogue_specimen(run->studying.catalogue, specimens[i]);
        if (specimen)
            error = run_store_put_specimen(run->studying.store, specimen, failure);
    }
    return error;
}

static int put_cell(void *kept, const struct cell *cell, struct failure *failure)
{
    const struct error_run *run = kept;
    struct store *store = run->studying.store;
    const struct catalogue *catalogue = run->studying.catalogue;
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const struct tried_event *tried = tried_find(&run->tried, cell->events[i]);
        if (!tried)
            continue;
        const struct counted_event event = {tried->name, tried->kind, tried->class};
        error = run_store_put_truth(store, catalogue, cell, i, &event, failure);
    }
    return error < 0 ? error : run_store_put_account(store, catalogue, cell, failure);
}

/* An unfinished one knows which events the run began with. */
static int recall(void *kept, struct failure *failure)
{
    struct error_run *run = kept;
    int error = tried_recall(&run->tried, run->studying.store, failure);
    if (error == 0 && !run->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its events, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(run->studying.store));
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Measuring: stage after stage. */

/* ms */
#define USUAL_BUDGET 85000u
#define LONG_BUDGET  180000u /* on emulated machines */
#define PORTIONS     4u

/* Percent of what is left that a stage may take, so that those after it get something. */
#define SHARES(of_duration)                                                                        \
    [STAGE_CROSSING] = 60, [STAGE_DURATION] = (of_duration), [STAGE_PLACEMENT] = 30,               \
    [STAGE_TOOL] = 25, [STAGE_CALIBRATE] = 20, [STAGE_MULTIPLEX] = 50, [STAGE_COUNTERS] = 95
static const unsigned shares[STAGE_COUNT] = {SHARES(35)};
/* No placement follows there, and long loops are dear. */
static const unsigned emulated_shares[STAGE_COUNT] = {SHARES(50)};

static uint64_t budget(const void *kept)
{
    const struct error_run *run = kept;
    const struct error_options *given = (const struct error_options *)run->studying.given;
    const struct error_options *options = asked_of(run);
    const uint64_t asked = given->full ? given->study.budget : options->study.budget;
    if (asked || options->full)
        return asked;
    return facts_get(run->studying.facts, "emulated") ? LONG_BUDGET : USUAL_BUDGET;
}

/* To the ns of all runs, and how many there are. */
static int add_time(void *context, const struct sample *sample)
{
    double *time = context;
    if (sample->counter == 0) {
        time[0] += (double)sample->enabled;
        time[1]++;
    }
    return 0;
}

/* What multiplexing wishes for follows from how long phases take: ns that one N of them does, by
 * the cell that calibrates it. */
static int begin(void *kept, unsigned stage)
{
    struct error_run *run = kept;
    struct wishes *wishes = &run->studying.wishes;
    for (size_t i = 0; i < wishes->cell_count && stage == STAGE_MULTIPLEX; i++) {
        const struct cell *cell = &wishes->cells[i];
        double time[2] = {0};
        struct failure failure = {0};
        if (strcmp(cell->specimen, "phases") != 0)
            continue;
        if (store_each_sample(run->studying.store, cell->id, add_time, time, &failure) < 0)
            return deliver_failure("error", &failure, EXIT_FAILED);
        if (time[1] > 0 && cell->n)
            run->study.phase_ns = time[0] / time[1] / (double)cell->n;
    }
    error_wish(&run->study, (enum error_stage)stage, wishes);
    return EXIT_DONE;
}

static int measure(void *kept)
{
    struct error_run *run = kept;
    const struct pacing pacing = {.all = "what was left out",
                                  .stage_names = error_stage_names,
                                  .stages = STAGE_COUNT,
                                  .unit = "cell",
                                  .longer = "give a larger --budget, or --full",
                                  .reserve = GATHER_RESERVE_MS,
                                  .portions = PORTIONS,
                                  .keeps = true,
                                  .shares = run->study.emulated ? emulated_shares : shares,
                                  .begin = begin,
                                  .put = put_cell};
    return study_measure(&run->studying, &pacing);
}

/* ----------------------------------------------------------------------------------------------
 * Judging. */

static int load(void *kept, struct store *store, struct failure *failure)
{
    return error_load(store, &((struct error_run *)kept)->file, failure);
}

/* Checks that say nothing of this study: it draws over address layouts on purpose, and counts
 * clocks and tracepoints only where they open. */
static const char *const unconcerned[] = {"aslr", "clocksource", "tracefs"};

static void take_checks(struct error_run *run)
{
    static const enum check_status urgency[] = {CHECK_BAD, CHECK_WARN};
    const struct facts *facts = run->studying.facts;
    for (size_t level = 0; facts && facts->count && level < COUNT(urgency); level++)
        for (size_t i = 0; check_registry[i]; i++) {
            struct error_check check = {.check = check_registry[i]};
            if (is_one_of(check.check->name, unconcerned, COUNT(unconcerned)))
                continue;
            check_judge(check.check, facts, &check.advice);
            if (check.advice.status == urgency[level])
                *memory_add(run->checks, run->check_count) = check;
        }
}

/* What the case says could not be measured becomes rows of `skips`, grouped by reason. */
static int judge(void *kept, struct failure *failure)
{
    struct error_run *run = kept;
    const struct error_case *file = &run->file;
    const bool for_programs = finish_is_for_programs(&run->studying.given->common);
    struct skip_groups absent = {.for_programs = true}, failed = {0};
    (void)failure;
    run->report = error_judge(file, run->studying.seed);
    take_checks(run);
    for (size_t i = 0; i < file->absence_count && for_programs; i++) {
        const struct error_absence *absence = &file->absences[i];
        skip_groups_add(&absent, absence->what, absence->reason, absence->error, false);
    }
    /* Cells of which no process measured anything. */
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->failed && !cell->runs && cell->reason)
            skip_groups_add(&failed, memory_format("%s by %s", cell->event, cell->path),
                            cell->reason, cell->error, true);
    }
    skip_groups_close(&absent, &run->studying.skips);
    skip_groups_close(&failed, &run->studying.skips);
    return 0;
}

static const char *nothing(const void *kept)
{
    const struct error_run *run = kept;
    return finish_nothing(run->report.measurements, run->studying.complete);
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

static const struct study study = {
    .size = sizeof(struct error_run),
    .check = check,
    .recall = recall,
    .find = find,
    .budget = budget,
    .prepare = prepare,
    .put = put,
    .adopt = study_adopt,
    .measure = measure,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = error_put_report,
    .findings = {offsetof(struct error_run, report.findings), ERROR_FINDINGS},
    .figures = error_figures,
    .told = &error_told,
};

#define FIELD(name) offsetof(struct error_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "EVENT",
     "measure the error of these events instead of the usual ones; may be repeated, and events may "
     "stand without the option",
     FIELD(event), NULL},
    {'p', "path", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "PATH",
     "measure these paths alone: perf-read, perf-syscall, papi-low, ...; all unless given",
     FIELD(path), NULL},
    {0, "runs", OPTION_OPTIONAL | OPTION_BEGINS, "R",
     "runs of a null cell in each process; 20 unless given", FIELD(runs), NULL},
    {0, "processes", OPTION_OPTIONAL | OPTION_BEGINS, "P",
     "fresh processes of a null cell, the replicates of the analysis; 20 unless given, on an "
     "emulated machine 3",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64 | OPTION_BEGINS, "CPU",
     "measure on this CPU; -1 leaves it to the scheduler", FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET | OPTION_STAYS, "TIME",
     "spend about TIME, the least important cells are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(study.budget), NULL},
    {0, "full", OPTION_FLAG | OPTION_STAYS, NULL,
     "cross every event, path, pattern, -O level, link mode and number of counters, and loop up to "
     "1,000,000,000 times, which may take hours",
     FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every path, event and reason, instead of summing up",
     FIELD(study.all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, the machine is one "
     "more factor",
     FIELD(study.froms), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_STORE(FIELD(study.store)),
    OPTION_ROW_RESUME(FIELD(study.resume)),
    {0},
};

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing can be measured here, and the reasons were said"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_error = {
    .name = "error",
    .group = GROUP_STUDY,
    .summary = "what measuring itself adds to a count, by every way of measuring",
    .synopsis = "[options] [EVENT...]",
    .description =
        "Counts a window with nothing in it: whatever is reported there is error, and belongs to "
        "the way of measuring. Every path, pattern, -O level and link mode that the machine has is "
        "measured in fresh processes, in random order; then numbers and choices of counters, loops "
        "of growing length, one loop at many places in memory, and more events than counters.\n\n"
        "On machines whose CPU offers counters the events are instructions and cycles in user "
        "mode, in the operating system's, and in both; on every machine what can be opened of "
        "ticks, task-clock, system calls and page faults. The same windows are executed step by "
        "step, which gives the exact number of instructions in user mode on any machine that "
        "can be stepped, with or without a counter.\n\n"
        "The result says which pattern of each path errs least, what to subtract, which factors "
        "matter and which do not, whether the error grows with time or with counters, and how the "
        "findings of Zaparanuks, Jovic and Hauswirth (ISPASS 2009) fare on this machine.\n\n"
        "Everything is stored, so that --from judges it again without the machine.",
    .examples = "# which way of measuring should be used here, and what does it add?\n"
                "assay error\n"
                "# a first look\n"
                "assay error --budget 20s\n"
                "# one event, through two paths\n"
                "assay error page-faults --path perf-read,papi-low\n"
                "# an emulated machine, whose counter and stepping must agree\n"
                "assay error --via lab:aarch64\n"
                "# does the machine matter? Two stored runs together\n"
                "assay error --from here.sqlite --from there.sqlite",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct error_options),
    .study = &study,
    .results = &error_results,
    .analysis = &error_analysis,
};
