/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay error: how many events measuring itself adds, by every way of measuring that a machine has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/skips.h"
#include "output/output.h"
#include "studies/error/parts.h"
#include "studies/error/plan.h"

/* ----------------------------------------------------------------------------------------------
 * How a failure of `assay error` is told. */

static int error_fail(const struct failure *failure, int status)
{
    return deliver_failure("error", failure, status);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay error` could not measure, by the reason. */

/* What the case says could not be measured becomes rows of `skips`, grouped by reason. */
static void collect_skips(struct erring *erring)
{
    const struct error_case *file = &erring->file;
    const bool for_programs = finish_is_for_programs(&erring->options->common);
    struct skip_groups absent = {.for_programs = true}, failed = {0};
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
    skip_groups_close(&absent, &erring->skips);
    skip_groups_close(&failed, &erring->skips);
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
static const char *const sources[] = {"step/instructions/", "clock/ticks/"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* --- trying --- */

/* What helps other events to be measured is no loss where it cannot be opened. */
static int try_helpers(struct erring *erring, const char *const *list, size_t count,
                       bool first_only, struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = erring->tried.count;
        int error = tried_try(&erring->tried, erring->session, list[i], false, failure);
        if (error < 0)
            return error;
        if (erring->tried.count == before)
            continue;
        if (erring->tried.list[before].error)
            tried_drop_last(&erring->tried);
        else if (first_only)
            return 0;
    }
    return 0;
}

/* Was the name without its mode refused for want of permission? */
static bool is_forbidden(const struct erring *erring, const char *name)
{
    size_t length = strlen(name) - strlen(":u");
    for (size_t i = 0; i < erring->tried.count; i++) {
        const struct tried_event *tried = &erring->tried.list[i];
        if (strlen(tried->name) == length && strncmp(tried->name, name, length) == 0)
            return tried->error == EACCES || tried->error == EPERM;
    }
    return false;
}

static bool is_of_cpu(const struct tried_event *tried)
{
    const struct error_event event = {.name = tried->name, .kind = tried->kind};
    return error_event_of_cpu(&event);
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

static int try_cpu_events(struct erring *erring, struct failure *failure)
{
    struct string_list names = {0};
    bool any = false;
    for (size_t i = 0; i < erring->tried.count; i++)
        any |= !erring->tried.list[i].error && is_of_cpu(&erring->tried.list[i]);
    if (!any || facts_get(erring->facts, "emulated"))
        return 0;
    int error = session_list_events(erring->session, NULL, keep_name, &names, failure);
    if (error == 0)
        error = try_helpers(erring, names.items, names.count, false, failure);
    string_list_free(&names);
    return error;
}

/* Which events open. */
static int find_events(struct erring *erring)
{
    const bool emulated = facts_get(erring->facts, "emulated"), usually = !erring->asked.count;
    struct failure failure = {0};
    int error = 0;
    for (size_t i = 0; i < erring->asked.count && error == 0; i++)
        error = tried_try(&erring->tried, erring->session, erring->asked.items[i], true, &failure);
    for (size_t i = 0; i < COUNT(usual) && error == 0 && usually; i++)
        if (!emulated || !is_one_of(usual[i], of_time, COUNT(of_time)))
            error = tried_try(&erring->tried, erring->session, usual[i], false, &failure);
    for (size_t i = 0; i < COUNT(permitted) && error == 0 && usually; i++)
        if (is_forbidden(erring, permitted[i]))
            error = tried_try(&erring->tried, erring->session, permitted[i], false, &failure);
    for (size_t i = 0; i < COUNT(sources) && error == 0; i++)
        error = tried_try(&erring->tried, erring->session, sources[i], false, &failure);
    if (error == 0)
        error = try_helpers(erring, interrupts, COUNT(interrupts), true, &failure);
    if (error == 0)
        error = try_helpers(erring, beside, COUNT(beside), false, &failure);
    if (error == 0 && usually)
        error = try_cpu_events(erring, &failure);
    return error == 0 ? EXIT_DONE : error_fail(&failure, deliver_status_of_name(error));
}

/* --- from events to the study --- */

static bool was_asked(const struct erring *erring, const char *name)
{
    return is_one_of(name, erring->asked.items, erring->asked.count);
}

/* Which events get every -O level and link mode: instructions where the CPU counts them, else what
 * tells time. */
static bool is_crossed(const struct erring *erring, const char *name)
{
    if (erring->asked.count)
        return was_asked(erring, name);
    if (tried_opens(&erring->tried, "instructions:u"))
        return strcmp(name, "instructions:u") == 0 ||
               (strcmp(name, "instructions:uk") == 0 && !erring->study.emulated);
    return strcmp(name, "msr/tsc/") == 0 || strncmp(name, "task-clock", 10) == 0 ||
           (strncmp(name, "page-faults", 11) == 0 && !tried_opens(&erring->tried, "msr/tsc/"));
}

static void add_event(struct erring *erring, const struct tried_event *tried)
{
    struct error_study *study = &erring->study;
    bool asked = was_asked(erring, tried->name);
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
        asked || (!erring->asked.count && (is_one_of(tried->name, usual, COUNT(usual)) ||
                                           is_one_of(tried->name, permitted, COUNT(permitted))));
    erring->events[study->event_count++] =
        (struct error_event){.name = tried->name,
                             .kind = tried->kind,
                             .class = tried->class,
                             .crossed = is_crossed(erring, tried->name),
                             .placed_only = !companion && !wanted,
                             .companion = companion};
}

static int check_paths(const struct erring *erring, struct failure *failure)
{
    const struct string_list *asked = &erring->options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (catalogue_path(erring->catalogue, asked->items[i]))
            continue;
        const struct catalogue_absence *absence =
            absences_find(erring->catalogue, "path", asked->items[i]);
        if (absence)
            return fail_with(failure, -ENODEV, "the path %s is not to be had here: %s",
                             asked->items[i], absence->reason);
        return fail_with(failure, -EINVAL, "there is no path '%.60s'", asked->items[i]);
    }
    return 0;
}

/* Does this study miss it? */
static bool is_missed(const struct catalogue_absence *absence)
{
    static const char *const specimens[] = {"null", "loop", "placed", "phases"};
    return strcmp(absence->kind, "path") == 0 ||
           (strcmp(absence->kind, "specimen") == 0 &&
            is_one_of(absence->name, specimens, COUNT(specimens)));
}

int error_prepare(struct erring *erring)
{
    const struct error_options *options = erring->options;
    struct error_study *study = &erring->study;
    struct failure failure = {0};
    int error = check_paths(erring, &failure);
    if (error < 0)
        return error_fail(&failure, error == -ENODEV ? EXIT_LACKING : EXIT_USAGE);
    *study = (struct error_study){
        .catalogue = erring->catalogue,
        .paths = options->path.items,
        .path_count = options->path.count,
        .processes = options->processes.given ? (uint32_t)options->processes.value : 0,
        .runs = options->runs.given ? (uint32_t)options->runs.value : 0,
        .full = options->full,
        .emulated = facts_get(erring->facts, "emulated") != NULL,
        .cpu = (int32_t)options->cpu};
    erring->events = memory_new(erring->tried.count, sizeof(*erring->events));
    if (!options->path.count)
        absences_skip(erring->catalogue, is_missed, &erring->skips);
    if (study->emulated)
        skips_add(&erring->skips, "placement, cycles and times",
                  "on an emulated machine time passes with every instruction alike", 0);
    for (size_t i = 0; i < erring->tried.count; i++)
        if (!erring->tried.list[i].error)
            add_event(erring, &erring->tried.list[i]);
    study->events = erring->events;
    return EXIT_DONE;
}

/* --- the whole --- */

#define USUAL_BUDGET_MS 85000u
#define LONG_BUDGET_MS  180000u /* on emulated machines */
#define MOST_RUNS       10000u
#define MOST_PROCESSES  10000u

#define FIELD(name) offsetof(struct error_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST, "EVENT",
     "measure the error of these events instead of the usual ones; may be repeated, and events may "
     "stand without the option",
     FIELD(event), NULL},
    {'p', "path", OPTION_LIST, "PATH",
     "measure these paths alone: perf-read, perf-syscall, papi-low, ...; all unless given",
     FIELD(path), NULL},
    {0, "runs", OPTION_OPTIONAL, "R", "runs of a null cell in each process; 20 unless given",
     FIELD(runs), NULL},
    {0, "processes", OPTION_OPTIONAL, "P",
     "fresh processes of a null cell, the replicates of the analysis; 20 unless given, on an "
     "emulated machine 3",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64, "CPU", "measure on this CPU; -1 leaves it to the scheduler", FIELD(cpu),
     "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important cells are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(budget), NULL},
    {0, "full", OPTION_FLAG, NULL,
     "cross every event, path, pattern, -O level, link mode and number of counters, and loop up to "
     "1,000,000,000 times, which may take hours",
     FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every cell and every reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, the machine is one "
     "more factor",
     FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

/* --- the command line --- */

static int check_options(const struct error_options *options, int argument_count)
{
    const bool named = argument_count || options->event.count || options->path.count;
    struct failure failure = {0};
    int error = 0;
    if (options->from.count && (options->resume || options->store))
        error = fail_with(&failure, -EINVAL,
                          "--from judges stored runs again: --store and --resume measure one");
    else if (options->from.count && named)
        error = fail_with(&failure, -EINVAL,
                          "--from judges everything that is stored: leave out events and --path");
    else if (options->resume &&
             (named || options->runs.given || options->processes.given || options->cpu != -1))
        error = fail_with(&failure, -EINVAL,
                          "--resume goes on with what the run began with: leave out events, "
                          "--path, --runs, --processes and --cpu");
    if (error == 0)
        error = options_check_number("runs", &options->runs, MOST_RUNS, &failure);
    if (error == 0)
        error = options_check_number("processes", &options->processes, MOST_PROCESSES, &failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error < 0)
        return error_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return error_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* Options and arguments alike name events. */
static int keep_asked(struct erring *erring, int argument_count, char **arguments)
{
    const struct string_list *named = &erring->options->event;
    int error = 0;
    for (size_t i = 0; i < named->count && error == 0; i++)
        error = string_list_push(&erring->asked, named->items[i], strlen(named->items[i]));
    for (int i = 0; i < argument_count && error == 0; i++)
        error = string_list_push(&erring->asked, arguments[i], strlen(arguments[i]));
    if (error == 0)
        return EXIT_DONE;
    struct failure failure = {0};
    fail_with(&failure, error, "an event has no name");
    return error_fail(&failure, EXIT_USAGE);
}

/* --- the way through --- */

static void release(struct erring *erring)
{

    store_close(erring->store);
    session_close(erring->session);
    tried_free(&erring->tried);

    string_list_free(&erring->asked);
    skips_free(&erring->skips);
    facts_free(&erring->stored_facts);
    options_release(&command_error, &erring->begun);
}

static int on_the_machine(struct erring *erring)
{
    int status =
        reach_machine("error", &erring->options->common, &erring->session, &erring->catalogue);
    if (status != EXIT_DONE)
        return status;
    erring->facts = &erring->catalogue->facts;
    memcpy(erring->fingerprint, erring->catalogue->fingerprint,
           sizeof(erring->catalogue->fingerprint));
    status = erring->options->resume ? error_reopen_store(erring) : find_events(erring);
    erring->budget = erring->options->budget;
    if (!erring->budget && !erring->options->full)
        erring->budget = facts_get(erring->facts, "emulated") ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
    if (status == EXIT_DONE && !erring->options->resume)
        status = error_prepare(erring);
    if (status == EXIT_DONE && !erring->options->resume)
        status = error_create_store(erring);
    return status == EXIT_DONE ? error_measure(erring) : status;
}

static int judge(void *study)
{
    struct erring *erring = study;
    struct failure failure = {0};
    int error = 0;
    /* Stored runs that are judged again were loaded when they were opened. */
    if (erring->store && !erring->options->from.count)
        error = error_load(erring->store, &erring->file, &failure);
    if (error == 0) {
        erring->report = error_judge(&erring->file, erring->seed);
        collect_skips(erring);
    }
    erring->seconds = (double)(monotonic_ms() - erring->started) / 1000;
    return finish_judged("error", error, &failure);
}

static int show(void *study, int status)
{
    const struct erring *erring = study;
    const struct finish finish = {.command = "error",
                                  .common = &erring->options->common,
                                  .seed = erring->seed,
                                  .facts = erring->facts,
                                  .fingerprint = erring->fingerprint,
                                  .skips = &erring->skips,
                                  .nothing =
                                      finish_nothing(erring->report.measurements, erring->complete),
                                  .run = erring,
                                  .put_report = error_put_report,
                                  .results = error_results_json,
                                  .analysis = error_analysis_json,
                                  .findings = error_findings_json,
                                  .figures = error_figures};
    return finish_show(&finish, status);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct error_options *options = parsed;
    struct erring erring = {.options = options, .started = monotonic_ms(), .complete = true};
    int status = check_options(options, argument_count);
    if (status == EXIT_DONE)
        status = keep_asked(&erring, argument_count, arguments);
    if (status == EXIT_DONE) {
        erring.seed = gather_seed(&options->seed);
        status = options->from.count ? error_open_from(&erring) : on_the_machine(&erring);
        status = finish_study(status, erring.store != NULL, &erring, judge, show);
    }
    release(&erring);
    return status;
}

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
    .run = run,
};
