/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay caches: deduces lines, sizes, ways and the reach of TLBs from how long memory accesses
 * take, and sets them beside what the machine claims. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/run-store.h"
#include "engine/wishes.h"
#include "output/output.h"
#include "studies/caches/parts.h"

struct caches_options {
    struct common_options common;
    const char *store, *from;
    bool resume;
    uint64_t budget;
    int64_t cpu;
    struct seed seed;
};

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay caches`: a new one that begins with the plan of rings, or an unfinished
 * one that is gone on with. */

#define MIB        (UINT64_C(1) << 20)
#define LEAST_RING (64 * MIB)
#define MOST_RING  (512 * MIB)
#define BEYOND     2u /* times the largest cache that is claimed */
#define MEMORY     8u /* a ring takes at most this part of the memory */

/* --- a new one --- */

static struct caches_limits limits_of(const struct caching *caching)
{
    const struct facts *facts = caching->facts;
    uint64_t most = LEAST_RING;
    for (size_t i = 0; i < caching->claims.count; i++)
        if (caching->claims.list[i].bytes <= MOST_RING / BEYOND &&
            caching->claims.list[i].bytes * BEYOND > most)
            most = caching->claims.list[i].bytes * BEYOND;
    long long kib = facts_number(facts, "memory.total_kib", 0);
    uint64_t memory = kib > 0 ? (uint64_t)kib * 1024 / MEMORY : most;
    return (struct caches_limits){.page = caches_page(facts),
                                  .huge = !caches_no_huge(facts),
                                  .most_bytes = most < memory ? most : memory};
}

/* The path's first word of a list such as "O0,O2", or the one that is preferred. */
static char *word_of(const char *list, const char *preferred)
{
    const char *found = strstr(list, preferred);
    const char *word = found ? preferred : list;
    return memory_format("%.*s", (int)strcspn(word, ","), word);
}

static void add_cell(struct caching *caching, const struct caches_point *point, uint64_t page)
{
    const struct catalogue_path *path = catalogue_path(caching->catalogue, "clock");
    char specimen[CACHES_NAME];
    caches_specimen(point, page, specimen);
    struct cell cell = {.events = {memory_copy("clock/ticks/")},
                        .counters = 1,
                        .path = path->name,
                        .pattern = PATTERN_RR,
                        .specimen = specimen,
                        .n = caches_steps(point),
                        .opt = word_of(path->opts, "O2"),
                        .link = word_of(path->links, "static"),
                        .runs = caches_runs(point),
                        .cpu = caching->cpu};
    cell = plan_copy(&cell);
    plan_append(&caching->cells, &caching->cell_count, &cell);
}

/* Appends what is to be measured next to the plan and to the store; *added is how many cells that
 * is. */
static int plan_next(struct caching *caching, const struct caches_points *points, size_t *added,
                     struct failure *failure)
{
    struct caches_limits limits = limits_of(caching);
    struct caches_points plan;
    size_t first = caching->cell_count, visit_count = 0;
    AUTO_MEMORY struct visit *visits = NULL;
    caches_plan(&limits, points, &plan);
    AUTO_MEMORY uint32_t *processes = memory_new(plan.count + 1, sizeof(*processes));
    for (size_t i = 0; i < plan.count; i++) {
        processes[i] = (uint32_t)plan.list[i].count;
        add_cell(caching, &plan.list[i], limits.page);
    }
    *added = caching->cell_count - first;
    if (!*added)
        return 0;
    /* Each plan draws its order from a seed of its own. */
    plan_rounds(caching->cells + first, *added, processes, caching->seed + first, &visits,
                &visit_count);
    int error = store_put_plan(caching->store, caching->cells + first, *added, visits, visit_count,
                               failure);
    return error < 0 ? error : store_commit(caching->store, failure);
}

static struct run_store whose(const struct caching *caching)
{
    return (struct run_store){.command = "caches",
                              .common = &caching->options->common,
                              .catalogue = caching->catalogue,
                              .path = caching->options->store,
                              .seed = caching->seed};
}

static int create(struct caching *caching, struct failure *failure)
{
    const struct run_store run = whose(caching);
    const struct caches_points nothing = {0};
    size_t added;
    int error = run_store_create(&run, &caching->store, failure);
    return error < 0 ? error : plan_next(caching, &nothing, &added, failure);
}

/* --- an unfinished one --- */

static int copy_cell(void *context, const struct stored_cell *stored)
{
    struct caching *caching = context;
    const struct cell copy = plan_copy(&stored->cell);
    plan_append(&caching->cells, &caching->cell_count, &copy);
    caching->cells[caching->cell_count - 1].id = stored->cell.id;
    return 0;
}

static int adopt_plan(struct caching *caching, struct failure *failure)
{
    int error = store_each_cell(caching->store, copy_cell, caching, failure);
    if (error < 0)
        return error;
    if (!caching->cell_count)
        return fail_with(failure, -EINVAL,
                         "the run in %s ended before its plan was stored: there is nothing to go "
                         "on with. Remove it and start anew",
                         store_path(caching->store));
    const struct run_store run = whose(caching);
    return run_store_same_plan(&run, caching->store, caching->cells, caching->cell_count, failure);
}

static int reopen(struct caching *caching, struct failure *failure)
{
    const struct run_store run = whose(caching);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &caching->store, &info, failure);
    if (error == 0)
        caching->seed = info.seed;
    store_info_release(&info);
    return error < 0 ? error : adopt_plan(caching, failure);
}

/* A new store with its plan, or (--resume) an old one. */
static int caches_open_store(struct caching *caching)
{
    struct failure failure = {0};
    int error = caching->options->resume ? reopen(caching, &failure) : create(caching, &failure);
    if (error == 0)
        return EXIT_DONE;
    return deliver_failure("caches", &failure, run_store_exit(error, caching->options->resume));
}

/* What is left of the budget; at least a moment, because 0 is no limit. */
static uint64_t budget_left(const struct caching *caching, int64_t started)
{
    uint64_t budget = caching->options->budget, used = (uint64_t)(monotonic_ms() - started);
    return !budget ? 0 : used < budget ? budget - used : 1;
}

/* Runs what is not yet in the store. */
static int caches_execute(struct caching *caching)
{
    struct gathering gathering = {.command = "caches",
                                  .common = &caching->options->common,
                                  .session = caching->session,
                                  .store = caching->store,
                                  .resumed = caching->options->resume,
                                  .more = true};
    struct failure failure = {0};
    int64_t started = monotonic_ms();
    if (run_store_is_finished(caching->store))
        gathering.more = false;
    for (;;) {
        gathering.cells = caching->cells;
        gathering.cell_count = caching->cell_count;
        gathering.budget = budget_left(caching, started);
        int status = gather(&gathering, &caching->complete, &failure);
        if (failure.code)
            return deliver_failure("caches", &failure, status);
        if (status != EXIT_DONE || !caching->complete || !gathering.more)
            return status;
        /* What do the samples so far ask for? */
        struct caches_points points = {0};
        size_t added = 0;
        int error = caches_load(caching->store, &points, &caching->failures, &failure);
        if (error == 0)
            error = plan_next(caching, &points, &added, &failure);
        if (error < 0)
            return deliver_failure("caches", &failure, EXIT_FAILED);
        gathering.resumed = false;
        gathering.more = added != 0; /* nothing more to learn: the store is finished */
    }
}

/* --- one that is judged again --- */

/* --from: opens the store of an earlier run. */
static int caches_open_from(struct caching *caching)
{
    struct failure failure = {0};
    struct stored_run *stored = &caching->stored;
    int error =
        stored_run_open(caching->options->from, "caches", &caching->store, stored, &failure);
    if (error == 0)
        error = store_each_cell(caching->store, copy_cell, caching, &failure);
    if (error < 0)
        return run_store_refuse("caches", error, true, &failure);
    caching->seed = stored->info.seed;
    caching->facts = &stored->facts;
    caches_claims(caching->facts, &caching->claims);
    caching->fingerprint = stored->info.fingerprint;
    caching->complete = stored->info.finished != NULL;
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * What `assay caches` did not get to within its budget, and the command that goes on: said in the
 * result itself, because whoever reads it later has no other place to learn it. */

#define SHAPES 4u

/* By enum chase_shape. */
static const char *const serves[SHAPES] = {[CHASE_DENSE] = "for sizes",
                                           [CHASE_PAGES] = "for TLBs",
                                           [CHASE_SETS] = "for ways",
                                           [CHASE_PAIRS] = "for lines"};

static const struct cell *cell_of(const struct caching *caching, uint32_t id)
{
    for (size_t i = 0; i < caching->cell_count; i++)
        if (caching->cells[i].id == id)
            return &caching->cells[i];
    return NULL;
}

/* "; missing of these: 12 for sizes, 3 for TLBs". */
static void put_missing(const struct caching *caching, struct text *out)
{
    AUTO_FREE struct visit *visits = NULL;
    struct failure ignored = {0};
    size_t count = 0, missing[SHAPES] = {0};
    if (store_visits(caching->store, true, &visits, &count, &ignored) < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        struct caches_point point;
        const struct cell *cell = cell_of(caching, visits[i].cell);
        if (cell && caches_from_specimen(cell->specimen, &point))
            missing[point.shape]++;
    }
    const char *before = "; missing of these: ";
    for (size_t i = 0; i < SHAPES; i++)
        if (missing[i]) {
            text_printf(out, "%s%zu %s", before, missing[i], serves[i]);
            before = ", ";
        }
}

void caches_put_unfinished(const struct caching *caching, struct text *out)
{
    const struct common_options *common = &caching->options->common;
    struct store_info info = {0};
    struct failure ignored = {0};
    const bool again = caching->options->from;
    text_puts(out, again ? "measuring ended before the plan did"
                         : "the budget ended before the plan did");
    if (store_info(caching->store, &info, &ignored) == 0)
        text_printf(out, ", after %" PRIu64 " of the %" PRIu64 " processes that it has so far",
                    info.visits_done, info.visits);
    store_info_release(&info);
    put_missing(caching, out);
    text_puts(out, ". The first level is measured first: what is null below it may only lack time");
    if (again)
        return;
    text_puts(out, ". Go on with `assay caches --resume --store ");
    text_put_shell(out, store_path(caching->store));
    deliver_put_via(common, out);
    text_puts(out, "`, or anew with a larger --budget");
}

/* ----------------------------------------------------------------------------------------------
 * assay caches: deduces lines, sizes, ways and the reach of TLBs from how long memory accesses
 * take, and sets them beside what the machine claims. */

#define FIELD(name) offsetof(struct caches_options, name)

static const struct option_spec specs[] = {
    {0, "cpu", OPTION_I64, "CPU",
     "measure on this CPU; -1 leaves it to the scheduler where all cores are alike, else takes CPU "
     "0",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "stop between two processes when TIME is over, and judge what was measured: 500ms, 60s, 5m",
     FIELD(budget), "25s"},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_FROM(FIELD(from)),
    OPTION_ROW_STORE(FIELD(store)),
    {0, "resume", OPTION_FLAG, NULL,
     "go on with an unfinished run: that of --store, else the latest of this machine",
     FIELD(resume), NULL},
    {0},
};

static int check_options(const struct caches_options *options, int argument_count, char **arguments)
{
    struct failure failure = {0};
    const struct beside_from beside[] = {{"--store", options->store},
                                         {"--resume", options->resume},
                                         {"--cpu", options->cpu != -1},
                                         {"--seed", options->seed.given}};
    if (argument_count)
        fail_with(&failure, -EINVAL,
                  "unexpected argument '%.200s': all caches are measured.\nTry `assay caches "
                  "--help`.",
                  arguments[0]);
    else if (options->cpu < -1 || options->cpu > INT32_MAX)
        fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    else
        stored_run_check(options->from, beside, sizeof(beside) / sizeof(*beside), &failure);
    if (failure.code)
        return deliver_failure("caches", &failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return deliver_failure("caches", &failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* Why the probe has no path clock or no specimen chase. */
static void explain_absence(struct caching *caching, const char *kind, const char *name)
{
    const struct catalogue *catalogue = caching->catalogue;
    snprintf(caching->unfit, sizeof(caching->unfit), "the probe has no %s %s", kind, name);
    const struct catalogue_absence *absence = absences_find(catalogue, kind, name);
    if (absence)
        snprintf(caching->unfit, sizeof(caching->unfit), "%s %s: %s", kind, name, absence->reason);
}

static void look_at_machine(struct caching *caching)
{
    const struct catalogue *catalogue = caching->catalogue;
    const char *unfit = caches_unfit(&catalogue->facts);
    if (unfit)
        snprintf(caching->unfit, sizeof(caching->unfit), "%s", unfit);
    else if (!catalogue_path(catalogue, "clock"))
        explain_absence(caching, "path", "clock");
    else if (!catalogue_specimen(catalogue, "chase"))
        explain_absence(caching, "specimen", "chase");
    /* Cores of several kinds have several caches: a curve over both would show neither. */
    const char *cores = facts_get(&catalogue->facts, "pmu.core");
    const char *capacities = facts_get(&catalogue->facts, "cpu.capacities");
    bool mixed = (cores && strchr(cores, ',')) || (capacities && strchr(capacities, ','));
    caching->cpu = (int32_t)caching->options->cpu;
    if (caching->cpu < 0 && mixed) {
        caching->cpu = 0;
        deliver_remark(&caching->options->common,
                       "this machine has cores of several kinds: measuring on CPU 0; --cpu chooses "
                       "another");
    }
}

static int on_the_machine(struct caching *caching)
{
    int status =
        reach_machine("caches", &caching->options->common, &caching->session, &caching->catalogue);
    if (status != EXIT_DONE)
        return status;
    caching->facts = &caching->catalogue->facts;
    caching->fingerprint = caching->catalogue->fingerprint;
    caches_claims(caching->facts, &caching->claims);
    look_at_machine(caching);
    if (caching->unfit[0])
        return EXIT_DONE;
    status = caches_open_store(caching);
    return status == EXIT_DONE ? caches_execute(caching) : status;
}

static int judge(struct caching *caching)
{
    const struct facts *facts = caching->facts;
    struct failure failure = {0};
    int error = 0;
    caching->failures = (struct caches_failures){0};
    if (caching->store)
        error = caches_load(caching->store, &caching->points, &caching->failures, &failure);
    struct caches_situation situation = {.page = caches_page(facts),
                                         .huge_page = caches_huge_page(facts),
                                         .claims = caching->claims.list,
                                         .claim_count = caching->claims.count,
                                         .unfit = caching->unfit[0] ? caching->unfit : NULL,
                                         .no_huge = caches_no_huge(facts),
                                         .seed = caching->seed};
    caches_judge(&caching->points, &situation, &caching->report);
    char what[64];
    snprintf(what, sizeof(what), "%" PRIu64 " processes", caching->failures.count);
    if (error == 0 && caching->failures.count)
        skips_add(&caching->skips, what, caching->failures.reason, 0);
    return finish_judged("caches", error, &failure);
}

/* Was anything timed? Points at which all processes failed have no times. */
static bool has_times(const struct caches_points *points)
{
    bool any = false;
    for (size_t i = 0; i < points->count; i++)
        any |= points->list[i].count > 0;
    return any;
}

static int show(const struct caching *caching)
{
    const struct finish finish = {
        .command = "caches",
        .common = &caching->options->common,
        .seed = caching->seed,
        .facts = caching->facts,
        .fingerprint = caching->fingerprint,
        .skips = &caching->skips,
        .nothing = finish_nothing(has_times(&caching->points), caching->complete),
        .run = caching,
        .put_report = caches_put_report,
        .results = caches_results_json,
        .analysis = caches_analysis_json,
        .figures = caches_figures};
    return finish_show(&finish, EXIT_DONE);
}

static void release(struct caching *caching)
{
    store_close(caching->store);
    session_close(caching->session);
    skips_free(&caching->skips);
    stored_run_release(&caching->stored);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct caches_options *options = parsed;
    struct caching caching = {.options = options, .complete = true};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    caching.seed = gather_seed(&options->seed);
    status = options->from ? caches_open_from(&caching) : on_the_machine(&caching);
    if (status == EXIT_DONE)
        status = judge(&caching);
    if (status == EXIT_DONE)
        status = show(&caching);
    release(&caching);
    return status;
}

const struct command command_caches = {
    .name = "caches",
    .group = GROUP_STUDY,
    .summary = "deduce caches and TLBs from how long memory takes, beside what is claimed",
    .synopsis = "[options]",
    .description =
        "Follows rings of pointers in random order through memory and times each step. From where "
        "steps get slower it deduces what every level of cache holds, the length of its lines, its "
        "ways, and how far TLBs reach, and sets that beside what the machine claims. A number "
        "stands only when random halves of the runs agree on it: that share is its confidence. "
        "What cannot be told has no number but a reason.\n\n"
        "Neighbours that use the same caches, and hypervisors that scatter memory pages, hide "
        "sizes; "
        "then the range is given in which steps get slower. Nothing is measured on an emulated "
        "machine, whose times say nothing of any cache.\n\n"
        "What was measured serves specimens that depend on caches, until the machine changes. "
        "Everything is stored, so that --from judges it again without the machine.",
    .examples = "# what are the caches of this machine really?\n"
                "assay caches\n"
                "# take more time on a loud machine\n"
                "assay caches --budget 2m\n"
                "# another machine, as JSON\n"
                "assay caches --via ssh:HOST --json -o caches.json\n"
                "# once more, from what was stored\n"
                "assay caches --from run.sqlite",
    .options = specs,
    .options_size = sizeof(struct caches_options),
    .run = run,
};
