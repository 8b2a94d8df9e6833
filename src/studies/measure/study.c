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
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/run-store.h"
#include "engine/wishes.h"
#include "output/output.h"
#include "studies/caches/parts.h"
#include "studies/measure/study.h"

/* ----------------------------------------------------------------------------------------------
 * Runs the visits a measurement's store still lacks. */

static int measure_execute(struct measuring *measuring)
{
    struct gathering gathering = {.command = "measure",
                                  .common = &measuring->options->common,
                                  .session = measuring->session,
                                  .store = measuring->store,
                                  .cells = measuring->cells,
                                  .cell_count = measuring->cell_count,
                                  .budget = measuring->options->budget,
                                  .resumed = measuring->options->resume};
    struct failure refusal = {0};
    int status = gather(&gathering, &measuring->complete, &refusal);
    return refusal.text[0] ? measure_refuse(measuring, &refusal, status) : status;
}

/* ----------------------------------------------------------------------------------------------
 * The store of an earlier measurement in the place of a machine: its events, and what its
 * specimens do. Stores of versions that kept neither are judged by what their cells say: only
 * limits of bounded truths are missing then. */

static void measure_keep_event(struct measuring *measuring, const char *name, const char *kind,
                               const char *class)
{
    *memory_add(measuring->events, measuring->event_count) = (struct counted_event){
        .name = memory_copy(name),
        .kind = memory_copy(kind),
        .class = class && *class ? memory_copy(class) : NULL,
    };
}

static int take_event(void *context, const struct stored_event *stored)
{
    struct measuring *measuring = context;
    if (stored->error)
        skips_add(&measuring->skips, stored->name, stored->reason ? stored->reason : "",
                  stored->error);
    else
        measure_keep_event(measuring, stored->name, stored->kind, stored->class);
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

/* --from: opens the store of an earlier run, with its events and specimens. */
static int measure_open_from(struct measuring *measuring)
{
    struct failure failure = {0};
    struct stored_run *stored = &measuring->stored;
    int error =
        stored_run_open(measuring->options->from, "measure", &measuring->store, stored, &failure);
    if (error == 0)
        error = store_each_event(measuring->store, take_event, measuring, &failure);
    if (error == 0)
        error =
            store_each_specimen_truth(measuring->store, take_truth, &measuring->known, &failure);
    if (error < 0)
        return run_store_refuse("measure", error, true, &failure);
    measuring->catalogue = &measuring->known;
    measuring->facts = &stored->facts;
    measuring->fingerprint = stored->info.fingerprint;
    measuring->seed = stored->info.seed;
    measuring->complete = stored->info.finished != NULL;
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * The store behind a measurement: a new one that begins with the plan and what it predicts, or an
 * unfinished one that is gone on with. */

static struct run_store whose(const struct measuring *measuring)
{
    return (struct run_store){.command = "measure",
                              .common = &measuring->options->common,
                              .catalogue = measuring->catalogue,
                              .path = measuring->options->store,
                              .seed = measuring->seed};
}

/* --- a new one --- */

static const struct counted_event *event_of(const struct measuring *measuring, const char *name)
{
    for (size_t i = 0; i < measuring->event_count; i++) {
        if (strcmp(measuring->events[i].name, name) == 0)
            return &measuring->events[i];
    }
    return NULL;
}

static int put_predictions(const struct measuring *measuring, const struct cell *cell,
                           struct failure *failure)
{
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++)
        error = run_store_put_truth(measuring->store, measuring->catalogue, cell, i,
                                    event_of(measuring, cell->events[i]), failure);
    return error < 0 ? error
                     : run_store_put_account(measuring->store, measuring->catalogue, cell, failure);
}

/* What was asked for and cannot be, too: events that do not open, paths that are not there, and
 * factors that do not go together. A store that is judged again says why they are missing. */
static int put_refused(const struct measuring *measuring, struct failure *failure)
{
    const struct string_list *asked = &measuring->options->event;
    int error = 0;
    for (size_t i = 0; i < measuring->skips.count && error == 0; i++) {
        const struct skip *skip = &measuring->skips.list[i];
        bool is_event = false;
        for (size_t j = 0; j < asked->count; j++)
            is_event |= strcmp(asked->items[j], skip->what) == 0;
        const struct stored_event event = {.name = skip->what,
                                           .kind = is_event ? "" : "combination",
                                           .error = skip->error ? skip->error : ENOTSUP,
                                           .reason = skip->reason};
        if (!event_of(measuring, skip->what))
            error = store_put_event(measuring->store, &event, failure);
    }
    return error;
}

static int put_events(const struct measuring *measuring, struct failure *failure)
{
    int error = put_refused(measuring, failure);
    for (size_t i = 0; i < measuring->event_count && error == 0; i++) {
        const struct stored_event event = {.name = measuring->events[i].name,
                                           .kind = measuring->events[i].kind,
                                           .class = measuring->events[i].class,
                                           .reason = ""};
        error = store_put_event(measuring->store, &event, failure);
    }
    return error;
}

/* Once for each, whatever parameters stand behind its name. */
static int put_specimens(const struct measuring *measuring, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < measuring->cell_count && error == 0; i++) {
        const struct catalogue_specimen *specimen =
            catalogue_specimen(measuring->catalogue, measuring->cells[i].specimen);
        bool first = specimen != NULL;
        for (size_t j = 0; j < i && first; j++)
            first =
                catalogue_specimen(measuring->catalogue, measuring->cells[j].specimen) != specimen;
        if (first)
            error = run_store_put_specimen(measuring->store, specimen, failure);
    }
    return error;
}

static int put_plan(struct measuring *measuring, struct failure *failure)
{
    AUTO_MEMORY struct visit *visits = NULL;
    size_t visit_count = 0;
    int error = plan_visits(measuring->cells, measuring->cell_count,
                            (uint32_t)measuring->options->processes, measuring->seed, &visits,
                            &visit_count);
    if (error < 0)
        return fail_with(failure, error, "the plan is too large: name fewer cells or processes");
    error = store_put_plan(measuring->store, measuring->cells, measuring->cell_count, visits,
                           visit_count, failure);
    for (size_t i = 0; i < measuring->cell_count && error == 0; i++)
        error = put_predictions(measuring, &measuring->cells[i], failure);
    if (error == 0)
        error = put_events(measuring, failure);
    if (error == 0)
        error = put_specimens(measuring, failure);
    return error < 0 ? error : store_commit(measuring->store, failure);
}

static int create(struct measuring *measuring, struct failure *failure)
{
    const struct run_store run = whose(measuring);
    int error = run_store_create(&run, &measuring->store, failure);
    return error < 0 ? error : put_plan(measuring, failure);
}

/* --- an unfinished one --- */

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct measuring *measuring = context;
    const struct cell cell = plan_copy(&stored->cell);
    plan_append(&measuring->cells, &measuring->cell_count, &cell);
    measuring->cells[measuring->cell_count - 1].id = stored->cell.id;
    return 0;
}

struct counting {
    uint32_t processes; /* asked for now */
    struct failure *failure;
};

static int same_processes(void *context, const struct stored_cell *stored)
{
    const struct counting *counting = context;
    if (stored->processes == counting->processes)
        return 0;
    return fail_with(counting->failure, -ESTALE,
                     "the store holds another plan: processes %u became %u. Resume with the "
                     "options it was started with, or start a new store.",
                     stored->processes, counting->processes);
}

/* The cells of the store become ours, unless the options named some: then they must be the same. */
static int adopt_plan(struct measuring *measuring, struct failure *failure)
{
    bool given = measuring->cell_count != 0;
    if (!given) {
        int error = store_each_cell(measuring->store, copy_cell, measuring, failure);
        if (error < 0)
            return error;
        if (!measuring->cell_count)
            return fail_with(failure, -EINVAL,
                             "the run in %s ended before its plan was stored: there is nothing to "
                             "go on with. Remove it and start anew",
                             store_path(measuring->store));
    }
    const struct run_store run = whose(measuring);
    int error = run_store_same_plan(&run, measuring->store, measuring->cells, measuring->cell_count,
                                    failure);
    struct counting counting = {(uint32_t)measuring->options->processes, failure};
    return error || !given ? error
                           : store_each_cell(measuring->store, same_processes, &counting, failure);
}

static int recall_skip(void *context, const struct stored_event *stored)
{
    struct measuring *measuring = context;
    if (stored->error)
        skips_add(&measuring->skips, stored->name, stored->reason ? stored->reason : "",
                  stored->error);
    return 0;
}

static int reopen(struct measuring *measuring, struct failure *failure)
{
    const struct run_store run = whose(measuring);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &measuring->store, &info, failure);
    if (error == 0 && !measuring->options->seed.given)
        measuring->seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = store_each_event(measuring->store, recall_skip, measuring, failure);
    return error < 0 ? error : adopt_plan(measuring, failure);
}

/* A new store with plan and predictions, or (--resume) an old one; then measuring->cells are those
 * of the store. */
static int measure_open_store(struct measuring *measuring)
{
    struct failure failure = {0};
    int error =
        measuring->options->resume ? reopen(measuring, &failure) : create(measuring, &failure);
    if (error == 0)
        return EXIT_DONE;
    return measure_refuse(measuring, &failure, run_store_exit(error, measuring->options->resume));
}

/* ----------------------------------------------------------------------------------------------
 * assay measure: counts events around specimens whose counts are known, one cell per combination
 * of factors, and says how far each count is from the truth. */

#define FIELD(name) offsetof(struct measure_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST, "EVENT",
     "what to count; repeat it or use commas for several, which are then counted together as one "
     "group",
     FIELD(event), NULL},
    {0, "each", OPTION_FLAG, NULL, "give every event a cell of its own instead of one group",
     FIELD(each), NULL},
    {0, "separate", OPTION_FLAG, NULL,
     "open the events of a cell one by one instead of as one group", FIELD(separate), NULL},
    {'p', "path", OPTION_LIST, "PATH",
     "the way from code to count: perf-read, perf-syscall, ...; perf-read unless given, or the one "
     "that goes with an event of a source",
     FIELD(path), NULL},
    {0, "pattern", OPTION_LIST, "PATTERN",
     "what opens and closes the window: ar start-read, ao start-stop, rr read-read, ro read-stop; "
     "ao unless given, or rr where the path has no ao",
     FIELD(pattern), NULL},
    {'s', "specimen", OPTION_LIST, "NAME",
     "the code to count; auto takes the one whose truth for the event grows with N, else loop",
     FIELD(specimen), "auto"},
    {'n', "n", OPTION_LIST, "N",
     "how often the specimen does its work; all is 1, 10, ... 1000000, which takes minutes with "
     "dear specimens",
     FIELD(n), "1000"},
    {'c', "counters", OPTION_LIST, "K",
     "count every event with K counters at once; its first is shown, and the others where they "
     "differ",
     FIELD(counters), "1"},
    {'O', "opt", OPTION_LIST, "LEVEL",
     "how the code around the window was compiled, O0 to O3 or 0 to 3; O2 unless given", FIELD(opt),
     NULL},
    {0, "link", OPTION_LIST, "MODE",
     "how it was linked: static, lazy or bind-now; static unless given", FIELD(link), NULL},
    {'r', "runs", OPTION_OPTIONAL, "R",
     "runs of the window in each process; 100 unless given, or what suits the source", FIELD(runs),
     NULL},
    {0, "processes", OPTION_U64, "P", "fresh processes for each cell", FIELD(processes), "1"},
    {0, "cpu", OPTION_I64, "CPU", "pin to this CPU; -1 leaves it to the scheduler", FIELD(cpu),
     "-1"},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and "
     "reported unless given",
     FIELD(seed), NULL},
    {0, "no-overhead", OPTION_FLAG, NULL, "leave out the null cells that measure the overhead",
     FIELD(no_overhead), NULL},
    {0, "budget", OPTION_BUDGET, "TIME",
     "stop between two processes when TIME is over: 500ms, 60s, 5m", FIELD(budget), NULL},
    OPTION_ROW_FROM(FIELD(from)),
    OPTION_ROW_STORE(FIELD(store)),
    {0, "resume", OPTION_FLAG, NULL,
     "go on with an unfinished run: that of --store, else the latest of this machine",
     FIELD(resume), NULL},
    {0},
};

/* --- what the options say of each other --- */

static int usage(const char *text)
{
    struct failure failure = {0};
    fail_with(&failure, -EINVAL, "%s\nTry `assay measure --help`.", text);
    return deliver_failure("measure", &failure, EXIT_USAGE);
}

/* Is the list other than what it is where nobody says anything? */
static bool is_given(const struct string_list *list, const char *initial)
{
    return list->count > 1 || (list->count && strcmp(list->items[0], initial) != 0);
}

static int check_from(const struct measure_options *options, struct failure *failure)
{
    const struct beside_from beside[] = {{"--event", options->event.count},
                                         {"--each", options->each},
                                         {"--separate", options->separate},
                                         {"--path", options->path.count},
                                         {"--pattern", options->pattern.count},
                                         {"--specimen", is_given(&options->specimen, "auto")},
                                         {"--n", is_given(&options->n, "1000")},
                                         {"--counters", is_given(&options->counters, "1")},
                                         {"--opt", options->opt.count},
                                         {"--link", options->link.count},
                                         {"--runs", options->runs.given},
                                         {"--processes", options->processes != 1},
                                         {"--cpu", options->cpu != -1},
                                         {"--seed", options->seed.given},
                                         {"--no-overhead", options->no_overhead},
                                         {"--budget", options->budget},
                                         {"--store", options->store},
                                         {"--resume", options->resume}};
    return stored_run_check(options->from, beside, sizeof(beside) / sizeof(*beside), failure);
}

static int check_options(const struct measure_options *options, int argument_count,
                         char **arguments)
{
    struct failure failure = {0};
    if (argument_count) {
        fail_with(&failure, -EINVAL, "unexpected argument '%.200s': events are named with --event",
                  arguments[0]);
        return deliver_failure("measure", &failure, EXIT_USAGE);
    }
    if (check_from(options, &failure) < 0)
        return deliver_failure("measure", &failure, EXIT_USAGE);
    if (!options->event.count && !options->resume && !options->from)
        return usage("say what to count: --event page-faults, for example. `assay events` lists "
                     "what can be counted here.");
    if (options->runs.given && (options->runs.value < 1 || options->runs.value > CELL_MAX_RUNS))
        return usage("--runs must be from 1 to 1,000,000; more come from --processes");
    if (options->processes < 1 || options->processes > CELL_MAX_RUNS)
        return usage("--processes must be from 1 to 1,000,000");
    if (options->cpu < -1 || options->cpu > INT32_MAX)
        return usage("--cpu must be the number of a CPU, or -1");
    if (output_check(options->common.output, &failure) < 0)
        return deliver_failure("measure", &failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- events --- */

/* The exit code for a name that could not even be tried. */
static int name_status(int error)
{
    switch (error) {
    case -EINVAL:
    case -ENOENT:
        return EXIT_USAGE;
    case -EACCES:
    case -EPERM:
        return EXIT_LACKING;
    case -EINTR:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_FAILED;
    }
}

static int try_event(struct measuring *measuring, const char *name, struct failure *failure)
{
    struct listed_event event;
    int error = session_try_event(measuring->session, name, &event, failure);
    if (error == -EACCES || error == -EPERM) {
        skips_add(&measuring->skips, name, failure->text, -error);
        return EXIT_DONE;
    }
    if (error < 0)
        return name_status(error);
    if (event.openable) {
        measure_keep_event(measuring, event.name, event.kind, event.class);
        return EXIT_DONE;
    }
    AUTO_TEXT struct text hint = {0};
    text_puts(&hint, ". `assay events");
    deliver_put_via(&measuring->options->common, &hint);
    text_puts(&hint, "` lists what can be");
    fail_with(failure, -event.error, "%.200s cannot be counted here: %s%s", name, event.reason,
              event.error == ENOENT ? text_string(&hint) : "");
    skips_add(&measuring->skips, name, event.reason, event.error);
    return EXIT_DONE;
}

/* Tries every event that was asked for; keeps those that open. */
static int measure_try_events(struct measuring *measuring)
{
    const struct string_list *asked = &measuring->options->event;
    struct failure failure = {0};
    for (size_t i = 0; i < asked->count; i++) {
        int status = try_event(measuring, asked->items[i], &failure);
        if (status != EXIT_DONE)
            return measure_refuse(measuring, &failure, status);
    }
    return measuring->event_count ? EXIT_DONE : measure_refuse(measuring, &failure, EXIT_LACKING);
}

static json_t *nothing(const void *run)
{
    (void)run;
    return NULL;
}

static void put_nothing(const void *run, const struct style *style, struct text *out)
{
    (void)run, (void)style, (void)out;
}

int measure_refuse(struct measuring *measuring, const struct failure *failure, int status)
{
    const struct common_options *common = &measuring->options->common;
    deliver_failure("measure", failure, status);
    if (!common->json && !common->retold)
        return status;
    const struct finish finish = {.command = "measure",
                                  .common = common,
                                  .seed = measuring->seed,
                                  .facts = measuring->facts,
                                  .fingerprint = measuring->fingerprint,
                                  .skips = &measuring->skips,
                                  .run = measuring,
                                  .put_report = put_nothing,
                                  .results = nothing,
                                  .analysis = nothing};
    return finish_show(&finish, status);
}

/* --- the way through --- */

static void release(struct measuring *measuring)
{
    store_close(measuring->store);
    session_close(measuring->session);
    skips_free(&measuring->skips);
    stored_run_release(&measuring->stored);
}

static int on_the_machine(struct measuring *measuring)
{
    const struct measure_options *options = measuring->options;
    int status =
        reach_machine("measure", &options->common, &measuring->session, &measuring->catalogue);
    if (status != EXIT_DONE)
        return status;
    measuring->facts = &measuring->catalogue->facts;
    measuring->fingerprint = measuring->catalogue->fingerprint;
    if (options->event.count)
        status = measure_try_events(measuring);
    struct geometry geometry = {0};
    measuring->geometry = &geometry;
    if (status == EXIT_DONE && options->event.count) {
        geometry_load(measuring->catalogue, &options->common, &geometry);
        status = measure_sweep(measuring);
    }
    measuring->geometry = NULL;
    if (status == EXIT_DONE)
        status = measure_open_store(measuring);
    return status == EXIT_DONE ? measure_execute(measuring) : status;
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct measure_options *options = parsed;
    struct measuring measuring = {.options = options};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    measuring.seed = gather_seed(&options->seed);
    status = options->from ? measure_open_from(&measuring) : on_the_machine(&measuring);
    if (status == EXIT_DONE)
        status = measure_show(&measuring);
    release(&measuring);
    return status;
}

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
    .run = run,
};
