/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay caches: deduces lines, sizes, ways and the reach of TLBs from how long memory accesses
 * take, and sets them beside what the machine claims. */
#include "studies/caches/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/deliver.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "cli/reach.h"
#include "output/output.h"

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
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strcmp(catalogue->absences[i].kind, kind) == 0 &&
            strcmp(catalogue->absences[i].name, name) == 0)
            snprintf(caching->unfit, sizeof(caching->unfit), "%s %s: %s", kind, name,
                     catalogue->absences[i].reason);
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

static int from_store(struct caching *caching)
{
    int status = caches_open_from(caching);
    if (status == EXIT_DONE)
        caches_claims(caching->facts, &caching->claims);
    return status;
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
        error = skips_add(&caching->skips, what, caching->failures.reason, 0);
    return finish_judged("caches", error, &failure);
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    caches_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return caches_results_json(&((const struct caching *)run)->report);
}

static json_t *analysis(const void *run)
{
    return caches_analysis_json(run);
}

static json_t *figures(const void *run)
{
    return caches_figures(run);
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
        .put_report = put_report,
        .results = results,
        .analysis = analysis,
        .figures = figures};
    return finish_show(&finish, EXIT_DONE);
}

static void release(struct caching *caching)
{
    store_close(caching->store);
    session_close(caching->session);
    for (size_t i = 0; i < caching->cell_count; i++)
        cell_release(&caching->cells[i]);
    free(caching->cells);
    caches_points_free(&caching->points);
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
    status = options->from ? from_store(&caching) : on_the_machine(&caching);
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
