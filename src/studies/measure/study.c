/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay measure: counts events around specimens whose counts are known, one cell per combination
 * of factors, and says how far each count is from the truth. */
#include "studies/measure/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/deliver.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "cli/geometry.h"
#include "cli/reach.h"
#include "output/output.h"

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

int measure_keep_event(struct measuring *measuring, const struct counted_event *event)
{
    struct counted_event *grown =
        realloc(measuring->events, (measuring->event_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    measuring->events = grown;
    struct counted_event *kept = &grown[measuring->event_count++];
    *kept = (struct counted_event){
        .name = strdup(event->name),
        .kind = strdup(event->kind),
        .class = event->class && *event->class ? strdup(event->class) : NULL,
    };
    return kept->name && kept->kind ? 0 : -ENOMEM;
}

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
        error = skips_add(&measuring->skips, name, failure->text, -error);
        return error < 0 ? EXIT_FAILED : EXIT_DONE;
    }
    if (error < 0)
        return name_status(error);
    const struct counted_event opens = {(char *)(uintptr_t)event.name,
                                        (char *)(uintptr_t)event.kind,
                                        (char *)(uintptr_t)event.class};
    if (event.openable)
        return measure_keep_event(measuring, &opens) < 0 ? EXIT_FAILED : EXIT_DONE;
    AUTO_TEXT struct text hint = {0};
    text_puts(&hint, ". `assay events");
    deliver_put_via(&measuring->options->common, &hint);
    text_puts(&hint, "` lists what can be");
    fail_with(failure, -event.error, "%.200s cannot be counted here: %s%s", name, event.reason,
              event.error == ENOENT ? text_string(&hint) : "");
    return skips_add(&measuring->skips, name, event.reason, event.error) < 0 ? EXIT_FAILED
                                                                             : EXIT_DONE;
}

int measure_try_events(struct measuring *measuring)
{
    const struct string_list *asked = &measuring->options->event;
    struct failure failure = {0};
    for (size_t i = 0; i < asked->count; i++) {
        int status = try_event(measuring, asked->items[i], &failure);
        if (status != EXIT_DONE) {
            if (!failure.text[0])
                fail_with(&failure, -ENOMEM, "out of memory");
            return measure_refuse(measuring, &failure, status);
        }
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
    for (size_t i = 0; i < measuring->event_count; i++) {
        free(measuring->events[i].name);
        free(measuring->events[i].kind);
        free(measuring->events[i].class);
    }
    for (size_t i = 0; i < measuring->cell_count; i++)
        cell_release(&measuring->cells[i]);
    free(measuring->events);
    free(measuring->cells);
    skips_free(&measuring->skips);
    measure_release_known(&measuring->known);
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
