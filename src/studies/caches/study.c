/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay caches: deduces lines, sizes, ways and the reach of TLBs from how long memory accesses
 * take, and sets them beside what the machine claims. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "output/output.h"
#include "studies/caches/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What is measured: ring after ring, as the samples so far ask for. */

#define MIB        (UINT64_C(1) << 20)
#define LEAST_RING (64 * MIB)
#define MOST_RING  (512 * MIB)
#define BEYOND     2u /* times the largest cache that is claimed */
#define MEMORY     8u /* a ring takes at most this part of the memory */

static struct caches_limits limits_of(const struct facts *facts)
{
    struct caches_claims claims;
    caches_claims(facts, &claims);
    uint64_t most = LEAST_RING;
    for (size_t i = 0; i < claims.count; i++)
        if (claims.list[i].bytes <= MOST_RING / BEYOND && claims.list[i].bytes * BEYOND > most)
            most = claims.list[i].bytes * BEYOND;
    long long kib = facts_number(facts, "memory.total_kib", 0);
    uint64_t memory = kib > 0 ? (uint64_t)kib * 1024 / MEMORY : most;
    return (struct caches_limits){.page = caches_page(facts),
                                  .huge = !caches_no_huge(facts),
                                  .most_bytes = most < memory ? most : memory};
}

static int check_cpu(void *kept, struct failure *failure)
{
    const struct caches_run *run = kept;
    const int64_t cpu = ((const struct caches_options *)run->studying.given)->cpu;
    return cpu < -1 || cpu > INT32_MAX
               ? fail_with(failure, -EINVAL, "--cpu must be the number of a CPU, or -1")
               : 0;
}

static int prepare(void *kept, struct failure *failure)
{
    struct caches_run *run = kept;
    const struct catalogue *catalogue = run->studying.catalogue;
    const bool path = catalogue_path(catalogue, "clock");
    const char *kind = path ? "specimen" : "path", *name = path ? "chase" : "clock";
    const struct catalogue_absence *absence = absences_find(catalogue, kind, name);
    (void)failure;
    run->unfit = caches_unfit(&catalogue->facts);
    if (!run->unfit && (!path || !catalogue_specimen(catalogue, "chase")))
        run->unfit = absence ? memory_format("%s %s: %s", kind, name, absence->reason)
                             : memory_format("the probe has no %s %s", kind, name);
    run->studying.idle = run->unfit;
    /* Cores of several kinds have several caches: a curve over both would show neither. */
    const char *cores = facts_get(&catalogue->facts, "pmu.core");
    const char *capacities = facts_get(&catalogue->facts, "cpu.capacities");
    bool mixed = (cores && strchr(cores, ',')) || (capacities && strchr(capacities, ','));
    run->cpu = (int32_t)((const struct caches_options *)run->studying.options)->cpu;
    if (run->cpu < 0 && mixed) {
        run->cpu = 0;
        deliver_remark(&run->studying.given->common,
                       "this machine has cores of several kinds: measuring on CPU 0; --cpu chooses "
                       "another");
    }
    return 0;
}

static int load(void *kept, struct store *store, struct failure *failure)
{
    struct caches_run *run = kept;
    return caches_load(store, &run->points, &run->progress, failure);
}

static int look(void *kept)
{
    struct caches_run *run = kept;
    struct failure failure = {0};
    return run->studying.complete && load(run, run->studying.store, &failure) < 0
               ? deliver_failure("caches", &failure, EXIT_FAILED)
               : EXIT_DONE;
}

/* Wishes for what is to be measured next; false: there is nothing more to learn. */
static bool plan_next(void *kept)
{
    struct caches_run *run = kept;
    const struct catalogue_path *path = catalogue_path(run->studying.catalogue, "clock");
    const struct caches_limits limits = limits_of(run->studying.facts);
    struct caches_points plan;
    caches_plan(&limits, &run->points, &plan);
    for (size_t i = 0; i < plan.count; i++) {
        const struct caches_point *point = &plan.list[i];
        const uint32_t processes = (uint32_t)point->count;
        /* Nothing is expected of its price: what the time does not hold waits for --resume. */
        const struct wish wish = {
            .processes = processes, .least = processes, .after = NO_WISH, .at_once = true};
        char specimen[CACHES_NAME], opt[WORD_LIST_WORD], link[WORD_LIST_WORD];
        caches_specimen(point, limits.page, specimen);
        word_list_prefer(path->opts, "O2", opt);
        word_list_prefer(path->links, "static", link);
        struct cell cell = plan_copy(&(struct cell){.events = {(char[]){"clock/ticks/"}},
                                                    .counters = 1,
                                                    .path = path->name,
                                                    .pattern = PATTERN_RR,
                                                    .specimen = specimen,
                                                    .n = caches_steps(point),
                                                    .opt = opt,
                                                    .link = link,
                                                    .runs = caches_runs(point),
                                                    .cpu = run->cpu});
        wishes_add(&run->studying.wishes, &wish, &cell);
    }
    return plan.count;
}

static int measure(void *kept)
{
    static const struct pacing pacing = {
        .all = "all rings", .portions = 1, .keeps = true, .between = look, .further = plan_next};
    return study_measure(kept, &pacing);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay caches` did not get to within its budget, and the command that goes on: said in the
 * result itself, because whoever reads it later has no other place to learn it. */

void caches_put_unfinished(const struct caches_run *run, struct text *out)
{
    static const char *const serves[CHASE_SHAPES] = {[CHASE_DENSE] = "for sizes",
                                                     [CHASE_PAGES] = "for TLBs",
                                                     [CHASE_SETS] = "for ways",
                                                     [CHASE_PAIRS] = "for lines"};
    const struct caches_progress *progress = &run->progress;
    const char *before = "; missing of these: ";
    const bool again = run->studying.given->from;
    text_printf(out,
                "%s ended before the plan did, after %" PRIu64 " of the %" PRIu64
                " processes that it has so far",
                again || interrupted ? "measuring" : "the budget", progress->done,
                progress->planned);
    for (size_t i = 0; i < CHASE_SHAPES; i++)
        if (progress->missing[i]) {
            text_printf(out, "%s%" PRIu64 " %s", before, progress->missing[i], serves[i]);
            before = ", ";
        }
    text_puts(out, ". The first level is measured first: what is null below it may only lack time");
    if (again)
        return;
    text_puts(out, ". Go on with `assay caches --resume --store ");
    text_put_shell(out, run->studying.stored);
    deliver_put_via(&run->studying.given->common, out);
    text_puts(out, "`, or anew with a larger --budget");
}

/* ----------------------------------------------------------------------------------------------
 * Judging. */

static int judge(void *kept, struct failure *failure)
{
    struct caches_run *run = kept;
    const struct studying *studying = &run->studying;
    char what[64];
    (void)failure;
    caches_judge_on(studying->facts, run->unfit, studying->seed, &run->points, &run->claims,
                    &run->report);
    snprintf(what, sizeof(what), "%" PRIu64 " processes", run->progress.failed);
    if (run->progress.failed)
        skips_add(&run->studying.skips, what, run->progress.reason, 0);
    return 0;
}

static const char *nothing(const void *kept)
{
    const struct caches_run *run = kept;
    return finish_nothing(run->progress.done, run->studying.complete);
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

static const struct study study = {
    .size = sizeof(struct caches_run),
    .no_arguments = "all caches are measured.\nTry `assay caches --help`.",
    .check = check_cpu,
    .prepare = prepare,
    .adopt = study_adopt,
    .measure = measure,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = caches_put_report,
    .figures = caches_figures,
    .told = &caches_told,
};

#define FIELD(name) offsetof(struct caches_options, name)

static const struct option_spec specs[] = {
    {0, "cpu", OPTION_I64 | OPTION_MEASURES | OPTION_STAYS, "CPU",
     "measure on this CPU; -1 leaves it to the scheduler where all cores are alike, else takes CPU "
     "0",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "stop between two processes when TIME is over, and judge what was measured: 500ms, 60s, 5m",
     FIELD(study.budget), "25s"},
    {0, "seed", OPTION_SEED | OPTION_MEASURES, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    OPTION_ROW_STORE(FIELD(study.store)),
    {0, "resume", OPTION_FLAG | OPTION_MEASURES, NULL,
     "go on with an unfinished run: that of --store, else the latest of this machine",
     FIELD(study.resume), NULL},
    {0},
};

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
        "sizes; then the range is given in which steps get slower. Nothing is measured on an "
        "emulated machine, whose times say nothing of any cache.\n\n"
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
    .study = &study,
    .results = &caches_results,
    .analysis = &caches_analysis,
};
