/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay measure: counts events around specimens whose counts are known, one cell per combination
 * of factors, and says how far each count is from the truth. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/run-store.h"
#include "studies/caches/parts.h"
#include "studies/measure/study.h"

/* There is nothing to judge; programs get what was skipped. 0, for the driver. */
static int refuse(struct measuring *run, const struct failure *failure, int status)
{
    run->studying.refusal = memory_copy(failure->text);
    run->studying.idle = true;
    run->refused = status;
    return 0;
}

static int end(const void *kept, int status)
{
    const struct measuring *run = kept;
    return run->refused ? run->refused : status;
}

static int check(void *kept, struct failure *failure)
{
    const struct study_options *study = ((const struct measuring *)kept)->studying.given;
    const struct measure_options *options = (const void *)study;
    const char *wrong = NULL;
    if (!options->event.count && !study->resume && !study->from)
        wrong = "say what to count: --event page-faults, for example. `assay events` lists what "
                "can be counted here.";
    else if (options->runs.given &&
             (options->runs.value < 1 || options->runs.value > CELL_MAX_RUNS))
        wrong = "--runs must be from 1 to 1,000,000; more come from --processes";
    else if (options->processes < 1 || options->processes > CELL_MAX_RUNS)
        wrong = "--processes must be from 1 to 1,000,000";
    else if (options->cpu < -1 || options->cpu > INT32_MAX)
        wrong = "--cpu must be the number of a CPU, or -1";
    return wrong ? fail_with(failure, -EINVAL, "%s\nTry `assay measure --help`.", wrong) : 0;
}

/* ----------------------------------------------------------------------------------------------
 * Events. */

static void keep_event(struct measuring *run, const char *name, const char *kind, const char *class)
{
    *memory_add(run->events, run->event_count) = (struct counted_event){
        .name = memory_copy(name),
        .kind = memory_copy(kind),
        .class = class && *class ? memory_copy(class) : NULL,
    };
}

/* EXIT_DONE, or the exit code for a name that could not even be tried. */
static int try_event(struct measuring *run, const char *name, struct failure *failure)
{
    struct skips *skips = &run->studying.skips;
    struct listed_event event;
    int error = session_try_event(run->studying.session, name, &event, failure);
    if (error == -EACCES || error == -EPERM)
        skips_add(skips, name, failure->text, -error);
    else if (error < 0)
        return deliver_status_of_name(error);
    else if (event.openable)
        keep_event(run, event.name, event.kind, event.class);
    else {
        AUTO_TEXT struct text hint = {0};
        text_puts(&hint, ". `assay events");
        deliver_put_via(&run->studying.given->common, &hint);
        text_puts(&hint, "` lists what can be");
        fail_with(failure, -event.error, "%.200s cannot be counted here: %s%s", name, event.reason,
                  event.error == ENOENT ? text_string(&hint) : "");
        skips_add(skips, name, event.reason, event.error);
    }
    return EXIT_DONE;
}

/* Tries every event that was asked for; keeps those that open. */
static int find(void *kept, struct failure *failure)
{
    struct measuring *run = kept;
    const struct string_list *asked = &measure_asked(run)->event;
    int status = EXIT_DONE;
    for (size_t i = 0; i < asked->count && status == EXIT_DONE; i++)
        status = try_event(run, asked->items[i], failure);
    if (status == EXIT_DONE && !run->event_count)
        status = EXIT_LACKING;
    return status == EXIT_DONE ? 0 : refuse(run, failure, status);
}

/* ----------------------------------------------------------------------------------------------
 * The plan: cells from factors, or those of a run that is gone on with. */

/* Of a run that is gone on with, where its factors were given anew, too: both must agree. */
static int prepare(void *kept, struct failure *failure)
{
    struct measuring *run = kept;
    struct studying *studying = &run->studying;
    const bool anew = ((const struct measure_options *)studying->given)->event.count;
    struct geometry geometry = {0};
    if (studying->given->resume && anew)
        find(run, failure);
    run->processes = (uint32_t)measure_asked(run)->processes;
    if (studying->idle || (studying->given->resume && !anew))
        return 0;
    geometry_load(studying->catalogue, &studying->given->common, &geometry);
    run->geometry = &geometry;
    int status = measure_sweep(run, failure);
    run->geometry = NULL;
    return status == EXIT_DONE ? 0 : refuse(run, failure, status);
}

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct measuring *run = context;
    const struct cell cell = plan_copy(&stored->cell);
    plan_append(&run->cells, &run->cell_count, &cell);
    return 0;
}

static int adopt(void *kept, struct failure *failure)
{
    struct measuring *run = kept;
    const struct studying *studying = &run->studying;
    const struct seed *seed = &studying->given->seed;
    const uint64_t asked = ((const struct measure_options *)studying->begun)->processes;
    const struct run_store whose = {.command = "measure",
                                    .catalogue = studying->catalogue,
                                    .seed = seed->given ? seed->value : studying->seed};
    int error = run->cell_count ? 0 : store_each_cell(studying->store, copy_cell, run, failure);
    if (error == 0 && !run->cell_count)
        error = fail_with(failure, -EINVAL,
                          "the run in %s ended before its plan was stored: there is nothing to go "
                          "on with. Remove it and start anew",
                          store_path(studying->store));
    if (error == 0)
        error = run_store_same_plan(&whose, studying->store, run->cells, run->cell_count, failure);
    if (error == 0 && run->processes != asked)
        error = fail_with(failure, -ESTALE,
                          "the store holds another plan: processes %llu became %u. Resume with the "
                          "options it was started with, or start a new store.",
                          (unsigned long long)asked, run->processes);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * What a new store holds before the first visit: the cells and what is predicted of them, events
 * and specimens. */

const struct counted_event *measure_event(const struct measuring *run, const char *name)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (strcmp(run->events[i].name, name) == 0)
            return &run->events[i];
    return NULL;
}

static int put_predictions(const struct measuring *run, const struct cell *cell,
                           struct failure *failure)
{
    struct store *store = run->studying.store;
    const struct catalogue *catalogue = run->studying.catalogue;
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++)
        error = run_store_put_truth(store, catalogue, cell, i, measure_event(run, cell->events[i]),
                                    failure);
    return error == 0 ? run_store_put_account(store, catalogue, cell, failure) : error;
}

/* What was asked for and cannot be, too: events that do not open, paths that are not there, and
 * factors that do not go together. A store that is judged again says why they are missing. */
static int put_refused(const struct measuring *run, struct failure *failure)
{
    const struct string_list *asked = &measure_asked(run)->event;
    const struct skips *skips = &run->studying.skips;
    int error = 0;
    for (size_t i = 0; i < skips->count && error == 0; i++) {
        const struct skip *skip = &skips->list[i];
        bool is_event = false;
        for (size_t j = 0; j < asked->count; j++)
            is_event |= strcmp(asked->items[j], skip->what) == 0;
        const struct stored_event event = {.name = skip->what,
                                           .kind = is_event ? "" : "combination",
                                           .error = skip->error ? skip->error : ENOTSUP,
                                           .reason = skip->reason};
        if (!measure_event(run, skip->what))
            error = store_put_event(run->studying.store, &event, failure);
    }
    return error;
}

/* Once for each, whatever parameters stand behind its name. */
static int put_specimens(const struct measuring *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    int error = 0;
    for (size_t i = 0; i < catalogue->specimen_count && error == 0; i++) {
        const struct catalogue_specimen *specimen = &catalogue->specimens[i];
        size_t cell = 0;
        while (cell < run->cell_count &&
               catalogue_specimen(catalogue, run->cells[cell].specimen) != specimen)
            cell++;
        if (cell < run->cell_count)
            error = run_store_put_specimen(run->studying.store, specimen, failure);
    }
    return error;
}

static int put(void *kept, struct failure *failure)
{
    const struct measuring *run = kept;
    int error = store_put_plan(run->studying.store, run->cells, run->cell_count, NULL, 0, failure);
    for (size_t i = 0; i < run->cell_count && error == 0; i++)
        error = put_predictions(run, &run->cells[i], failure);
    if (error == 0)
        error = put_refused(run, failure);
    for (size_t i = 0; i < run->event_count && error == 0; i++) {
        const struct stored_event event = {.name = run->events[i].name,
                                           .kind = run->events[i].kind,
                                           .class = run->events[i].class,
                                           .reason = ""};
        error = store_put_event(run->studying.store, &event, failure);
    }
    return error == 0 ? put_specimens(run, failure) : error;
}

/* ----------------------------------------------------------------------------------------------
 * The visits: all of them in one order that the seed gives, of which the store has as many as
 * had their turn. */

/* Those that the store does not have yet. */
static int draw_rest(const struct measuring *run, struct visit **rest, size_t *count,
                     struct failure *failure)
{
    const uint32_t processes = run->processes;
    const size_t all = run->cell_count * processes;
    AUTO_FREE struct visit *stored = NULL;
    size_t stored_count = 0, kept = 0;
    if (all > MEASURE_MOST_PROCESSES)
        return fail_with(failure, -EOVERFLOW, "the plan of the run is too large");
    plan_visits(run->cells, run->cell_count, processes, run->studying.seed, rest, count);
    int error = run->studying.given->resume
                    ? store_visits(run->studying.store, false, &stored, &stored_count, failure)
                    : 0;
    AUTO_MEMORY bool *has = memory_new(all, sizeof(*has));
    for (size_t i = 0; i < stored_count; i++)
        if (stored[i].cell && stored[i].cell <= run->cell_count && stored[i].process < processes)
            has[(stored[i].cell - 1) * (size_t)processes + stored[i].process] = true;
    for (size_t i = 0; i < all; i++)
        if (!has[((*rest)[i].cell - 1) * (size_t)processes + (*rest)[i].process])
            (*rest)[kept++] = (*rest)[i];
    *count = kept;
    return error;
}

static int measure(void *kept)
{
    struct measuring *run = kept;
    struct studying *studying = &run->studying;
    AUTO_MEMORY struct visit *rest = NULL;
    const int64_t started = monotonic_ms();
    struct planned planned = {.gathering = {.command = "measure",
                                            .common = &studying->given->common,
                                            .session = studying->session,
                                            .store = studying->store,
                                            .resumed = studying->given->resume},
                              .complete = &studying->complete};
    int error = draw_rest(run, &rest, &planned.gathering.rest_count, &planned.failure);
    if (error < 0)
        return planned_failed(&planned);
    planned.gathering.rest = rest;
    /* Drawing a plan of millions takes a part of the budget; something is measured in any case. */
    const uint64_t left = gather_time_left(started, studying->budget, 0);
    return planned_run(&planned, run->cells, run->cell_count, left == UINT64_MAX ? 0 : left + !left,
                       false);
}

/* ----------------------------------------------------------------------------------------------
 * The store of a run in the place of a machine: its events, and what its specimens do. Stores of
 * versions that kept neither are judged by what their cells say: only limits of bounded truths are
 * missing then. */

static int take_event(void *context, const struct stored_event *stored)
{
    struct measuring *run = context;
    if (stored->error)
        skips_add(&run->studying.skips, stored->name, stored->reason ? stored->reason : "",
                  stored->error);
    else
        keep_event(run, stored->name, stored->kind, stored->class);
    return 0;
}

static int take_truth(void *context, const struct stored_truth *stored)
{
    struct catalogue *known = context;
    size_t at = 0;
    while (at < known->specimen_count && strcmp(known->specimens[at].name, stored->specimen) != 0)
        at++;
    if (at == known->specimen_count)
        memory_add(known->specimens, known->specimen_count)->name = memory_copy(stored->specimen);
    struct catalogue_specimen *specimen = &known->specimens[at];
    *memory_add(specimen->truths, specimen->truth_count) =
        (struct catalogue_truth){.class = memory_copy(stored->class),
                                 .base = stored->base,
                                 .each = stored->each,
                                 .high_base = stored->high_base,
                                 .high_each = stored->high_each,
                                 .grade = memory_copy(stored->grade),
                                 .why = memory_copy(stored->why ? stored->why : "")};
    return 0;
}

/* --resume */
static int recall(void *kept, struct failure *failure)
{
    struct measuring *run = kept;
    int error = store_each_event(run->studying.store, take_event, run, failure);
    /* Given anew, they are tried anew. */
    if (((const struct measure_options *)run->studying.given)->event.count)
        run->event_count = 0;
    return error;
}

/* --from: how many processes each cell was to have, which the visits in the store do not tell
 * where the run has not finished. */
static int accept(void *kept, const char *path, const struct store_info *info,
                  struct failure *failure)
{
    struct measuring *run = kept;
    struct measure_options begun = {0};
    struct string_list arguments = {0};
    struct failure unread = {0};
    (void)failure;
    if (!info->finished &&
        run_store_recall(run->studying.command, path, info->argv, &begun, &arguments, &unread) == 0)
        run->processes = (uint32_t)begun.processes;
    return 0;
}

static int load(void *kept, struct store *store, struct failure *failure)
{
    struct measuring *run = kept;
    int error = 0;
    if (!run->studying.session) {
        run->studying.catalogue = &run->known;
        error = store_each_event(store, take_event, run, failure);
        if (error == 0)
            error = store_each_specimen_truth(store, take_truth, &run->known, failure);
    }
    return error == 0 ? measure_load(run, store, failure) : error;
}

/* Everything was tried and nothing could run: the machine lacks it. */
static int judge(void *kept, struct failure *failure)
{
    struct measuring *run = kept;
    const struct skips *skips = &run->studying.skips;
    if (run->row_count || !run->studying.complete)
        return 0;
    fail_with(failure, -ENOTSUP, "nothing could be measured. %.300s: %.600s",
              skips->count ? skips->list[skips->count - 1].what : "The plan",
              skips->count ? skips->list[skips->count - 1].reason : "no cell ran");
    return refuse(run, failure, EXIT_LACKING);
}

/* Where not one row got a counter, the machine lacks what was asked. */
static const char *nothing(const void *kept)
{
    const struct measuring *run = kept;
    bool counted = run->studying.refusal != NULL;
    for (size_t i = 0; i < run->row_count; i++)
        counted |= run->rows[i].summary.judged != 0;
    return finish_nothing(counted, run->studying.complete);
}

static void release(void *kept)
{
    struct measuring *run = kept;
    for (size_t i = 0; i < run->row_count; i++) {
        json_decref(run->rows[i].distribution.density);
        json_decref(run->rows[i].distribution.samples);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

static const struct study study = {
    .size = sizeof(struct measuring),
    .whole = true, /* who interrupts it is told how it goes on, and nothing else */
    .no_arguments = "events are named with --event",
    .check = check,
    .recall = recall,
    .find = find,
    .prepare = prepare,
    .put = put,
    .adopt = adopt,
    .measure = measure,
    .accept = accept,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = measure_put_report,
    .figures = measure_figures,
    .end = end,
    .release = release,
    .told = &measure_told,
};

#define FIELD(name) offsetof(struct measure_options, name)
/* Given anew with --resume, it must lead to the plan of the run. */
#define STAYS (OPTION_MEASURES | OPTION_STAYS)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST | STAYS, "EVENT",
     "what to count; repeat it or use commas for several, which are then counted together as one "
     "group",
     FIELD(event), NULL},
    {0, "each", OPTION_FLAG | STAYS, NULL,
     "give every event a cell of its own instead of one group", FIELD(each), NULL},
    {0, "separate", OPTION_FLAG | STAYS, NULL,
     "open the events of a cell one by one instead of as one group", FIELD(separate), NULL},
    {'p', "path", OPTION_LIST | STAYS, "PATH",
     "the way from code to count: perf-read, perf-syscall, ...; perf-read unless given, or the one "
     "that goes with an event of a source",
     FIELD(path), NULL},
    {0, "pattern", OPTION_LIST | STAYS, "PATTERN",
     "what opens and closes the window: ar start-read, ao start-stop, rr read-read, ro read-stop; "
     "ao unless given, or rr where the path has no ao",
     FIELD(pattern), NULL, .words = ONE_OF("ar", "ao", "rr", "ro")},
    {'s', "specimen", OPTION_LIST | STAYS, "NAME",
     "the code to count; auto takes the one whose truth for the event grows with N, else loop",
     FIELD(specimen), "auto"},
    {'n', "n", OPTION_LIST | STAYS, "N",
     "how often the specimen does its work; all is 1, 10, ... 1000000, which takes minutes with "
     "dear specimens",
     FIELD(n), "1000"},
    {'c', "counters", OPTION_LIST | STAYS, "K",
     "count every event with K counters at once; its first is shown, and the others where they "
     "differ",
     FIELD(counters), "1"},
    {'O', "opt", OPTION_LIST | STAYS, "LEVEL",
     "how the code around the window was compiled, O0 to O3 or 0 to 3; O2 unless given", FIELD(opt),
     NULL, .words = ONE_OF("O0", "O1", "O2", "O3")},
    {0, "link", OPTION_LIST | STAYS, "MODE",
     "how it was linked: static, lazy or bind-now; static unless given", FIELD(link), NULL,
     .words = ONE_OF("static", "lazy", "bind-now")},
    {'r', "runs", OPTION_OPTIONAL | STAYS, "R",
     "runs of the window in each process; 100 unless given, or what suits the source", FIELD(runs),
     NULL},
    {0, "processes", OPTION_U64 | STAYS, "P", "fresh processes for each cell", FIELD(processes),
     "1"},
    {0, "cpu", OPTION_I64 | STAYS, "CPU", "pin to this CPU; -1 leaves it to the scheduler",
     FIELD(cpu), "-1"},
    {0, "seed", OPTION_SEED | STAYS, "SEED",
     "draw the order of the processes from SEED; drawn and "
     "reported unless given",
     FIELD(study.seed), NULL},
    {0, "no-overhead", OPTION_FLAG | STAYS, NULL,
     "leave out the null cells that measure the overhead", FIELD(no_overhead), NULL},
    {0, "budget", OPTION_BUDGET | OPTION_MEASURES, "TIME",
     "stop between two processes when TIME is over: 500ms, 60s, 5m", FIELD(study.budget), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    OPTION_ROW_STORE(FIELD(study.store)),
    {0, "resume", OPTION_FLAG | OPTION_MEASURES, NULL,
     "go on with an unfinished run: that of --store, else the latest of this machine",
     FIELD(study.resume), NULL},
    {0},
};

const struct command command_measure = {
    .name = "measure",
    .group = GROUP_STUDY,
    .summary = "count events around code whose counts are known",
    .synopsis = "--event EVENT [options]",
    .description =
        "Opens events, runs a specimen (code whose counts are known for every N) inside the "
        "window in which they count, and sets the reported count against the truth. The overhead "
        "of counting is measured on the null specimen in processes of its own.\n\n"
        "--path, --pattern, --specimen, --n, --counters, --opt and --link take one value, several "
        "with commas, or `all`; the cells are all combinations. Combinations that a path does not "
        "support are left out and listed with the reason.\n\n"
        "Sources count by executing the code instead of with a counter; their events are written "
        "SOURCE/CLASS/, step/instructions/ for example, and `assay events '*/'` lists them. They "
        "need no counter and no privilege, and they are slow. A cell counts with one source.\n\n"
        "Specimens that depend on caches take their geometry from the latest run of `assay caches` "
        "on this machine, and where that knows nothing from what the machine claims; parameters "
        "written behind a specimen's name win: l1d-chase/l1d=32768/.\n\n"
        "Samples are stored as they arrive. An interrupted run keeps what was measured, and "
        "--resume goes on with the rest; --from judges a stored run again, without the machine.",
    .examples = "# is the page-fault counter exact?\n"
                "assay measure --event page-faults --n 1000\n"
                "# how does the error depend on the way of reading?\n"
                "assay measure -e raw_syscalls:sys_enter --path all --pattern all --runs 20\n"
                "# one group of two events, as JSON\n"
                "assay measure -e task-clock,page-faults --json -o counts.json\n"
                "# without any counter: every instruction is executed under ptrace\n"
                "assay measure -e step/instructions/,step/syscalls/ --specimen loop --n 1000\n"
                "# another user, through any program that starts programs\n"
                "assay measure -e page-faults:u --via 'exec:sudo -u nobody'",
    .options = specs,
    .options_size = sizeof(struct measure_options),
    .results = &measure_results,
    .analysis = &measure_analysis,
    .study = &study,
};
