/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay clocks`: clocks and absences go into it before the first sample, so that
 * it can be judged without its machine; an unfinished one is gone on with as it began. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/absences.h"
#include "cli/clocks-run.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "study/clocks.h"

static struct run_store whose(const struct watching *watching)
{
    return (struct run_store){.command = "clocks",
                              .common = &watching->run.options->common,
                              .catalogue = watching->catalogue,
                              .path = watching->run.options->store,
                              .seed = watching->run.seed};
}

static int refuse(const struct watching *watching, int error, const struct failure *failure)
{
    const struct clocks_options *options = watching->run.options;
    return run_store_refuse("clocks", error, options->resume || options->from, failure);
}

/* --- a new one --- */

static bool is_watched(const struct watching *watching, const char *column)
{
    const struct wishes *wishes = &watching->plan.wishes;
    for (size_t i = 0; i < wishes->count; i++)
        for (uint32_t j = 0; j < wishes->list[i].cells[0].counters; j++)
            if (strcmp(wishes->list[i].cells[0].events[j], column) == 0)
                return true;
    return false;
}

static int put_clocks(struct watching *watching, struct failure *failure)
{
    const struct catalogue *catalogue = watching->catalogue;
    int error = 0;
    for (size_t i = 0; i < catalogue->clock_count && error == 0; i++) {
        const struct catalogue_clock *known = &catalogue->clocks[i];
        const struct stored_clock clock = {.name = known->name,
                                           .kind = known->kind,
                                           .way = known->way,
                                           .hardware = known->hardware,
                                           .claim = known->claim,
                                           .note = known->note,
                                           .hz = known->hz,
                                           .resolution_ps = known->resolution_ps,
                                           .slow = known->slow,
                                           .steered = known->steered};
        if (is_watched(watching, known->name))
            error = store_put_clock(watching->store, &clock, failure);
    }
    return error;
}

static int put_own(struct watching *watching, struct failure *failure)
{
    static const char *const ways[] = {
        [EXTERNAL_OBJECT] = "object", [EXTERNAL_ASK] = "ask", [EXTERNAL_RUN] = "run"};
    int error = 0;
    for (size_t i = 0; i < watching->own_count && error == 0; i++) {
        const struct external_clock *own = &watching->own[i].clock;
        const struct stored_clock clock = {.name = own->name,
                                           .kind = "wall",
                                           .way = ways[own->way],
                                           .hardware = "external",
                                           .claim = own->hz ? "whoever brought it along" : "",
                                           .note = "",
                                           .hz = own->hz,
                                           .slow = watching->own[i].pace != PACE_QUICK};
        error = store_put_clock(watching->store, &clock, failure);
    }
    return error;
}

static int put_outside(struct watching *watching, struct failure *failure)
{
    static const struct stored_clock outside = {
        .name = "outside",
        .kind = "wall",
        .way = "controller",
        .hardware = "outside",
        .claim = "the controller's operating system",
        .note = "CLOCK_MONOTONIC_RAW of the machine that asks, before and after it was answered",
        .hz = 1000000000};
    return watching->outside ? store_put_clock(watching->store, &outside, failure) : 0;
}

/* Who asked for some clocks does not miss the others. */
static int put_absences(struct watching *watching, struct failure *failure)
{
    const struct clocks_plan *plan = &watching->plan;
    int error = 0;
    if (!watching->names.count)
        error = absences_put(watching->catalogue, "clock", watching->store, failure);
    for (size_t i = 0; i < plan->absence_count && error == 0; i++) {
        const struct stored_event event = {
            .name = plan->absences[i].what,
            .kind = "watch",
            .error = plan->absences[i].error ? plan->absences[i].error : ENOTSUP,
            .reason = plan->absences[i].reason};
        error = store_put_event(watching->store, &event, failure);
    }
    return error;
}

static int create(struct watching *watching, struct failure *failure)
{
    const struct run_store run = whose(watching);
    int error = run_store_create(&run, &watching->store, failure);
    if (error == 0)
        error = put_clocks(watching, failure);
    if (error == 0)
        error = put_own(watching, failure);
    if (error == 0)
        error = put_outside(watching, failure);
    if (error == 0)
        error = put_absences(watching, failure);
    return error < 0 ? error : store_commit(watching->store, failure);
}

int clocks_create_store(struct watching *watching)
{
    struct failure failure = {0};
    /* Nothing to measure: no store. */
    if (!watching->plan.wishes.count)
        return EXIT_DONE;
    int error = create(watching, &failure);
    if (error == 0)
        watching->run.stored = store_path(watching->store);
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}

/* --- an unfinished one --- */

/* Clocks, workloads and whether it is quick are those that the run began with; the time it may take
 * as well, unless another is given. */
static void go_on_like(struct watching *watching)
{
    const struct clocks_options *begun = &watching->begun;
    struct clocks_options *resumed = &watching->resumed;
    *resumed = *watching->run.options;
    resumed->clock = begun->clock;
    resumed->workload = begun->workload;
    resumed->quick = begun->quick;
    if (!resumed->budget)
        resumed->budget = begun->budget;
    watching->run.options = resumed;
}

/* Clocks that began anew, and what was read of them before, have no common zero: whatever looks at
 * the beginning and at the end of a run would take that for their rate. */
static int check_boot(struct watching *watching, struct failure *failure)
{
    const char *now = facts_get(watching->run.facts, "boot.id");
    AUTO_FACTS struct facts facts = {0};
    int error = store_facts(watching->store, &facts, failure);
    const char *then = error == 0 ? facts_get(&facts, "boot.id") : NULL;
    if (error < 0 || !now || !then || strcmp(now, then) == 0 ||
        run_store_is_finished(watching->store))
        return error;
    return fail_with(failure, -ESTALE,
                     "the machine was booted since %.300s was begun, so its clocks began anew and "
                     "the run cannot go on: judge what there is with --from, or begin another one",
                     store_path(watching->store));
}

static int reopen(struct watching *watching, struct failure *failure)
{
    const struct run_store run = whose(watching);
    struct store_info info = {0};
    struct string_list none = {0};
    int error = run_store_reopen(&run, &watching->store, &info, failure);
    if (error == 0)
        error = run_store_recall(&command_clocks, store_path(watching->store), info.argv,
                                 &watching->begun, &none, failure);
    string_list_free(&none);
    watching->run.seed = info.seed;
    store_info_release(&info);
    if (error == 0)
        error = check_boot(watching, failure);
    if (error == 0)
        go_on_like(watching);
    return error;
}

int clocks_reopen_store(struct watching *watching)
{
    struct failure failure = {0};
    int error = reopen(watching, &failure);
    if (error < 0)
        return refuse(watching, error, &failure);
    watching->run.stored = store_path(watching->store);
    return EXIT_DONE;
}

/* Is it the cell of looks from outside, with the clocks that can be looked at now? */
static bool is_outside(const struct watching *watching, const struct cell *cell)
{
    bool same = cell->watch.kind == WATCH_OUTSIDE && cell->counters == watching->outside_count + 2;
    for (size_t i = 0; i < watching->outside_count && same; i++)
        same = strcmp(cell->events[i + 1], watching->outside_look[i]) == 0;
    return same;
}

int clocks_adopt_store(struct watching *watching)
{
    const struct run_store run = whose(watching);
    struct wishes *wishes = &watching->plan.wishes;
    struct failure failure = {0};
    int error = wishes_adopt(wishes, watching->store, &failure);
    if (error == 0)
        error =
            run_store_same_plan(&run, watching->store, wishes->cells, wishes->cell_count, &failure);
    for (size_t i = 0; i < wishes->cell_count; i++)
        if (is_outside(watching, &wishes->cells[i]))
            watching->outside_cell = (ptrdiff_t)i;
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}

/* --- a finished one --- */

int clocks_open_from(struct watching *watching)
{
    struct failure failure = {0};
    struct store_info info = {0};
    struct clocks_run *run = &watching->run;
    int error =
        run_store_open_from(run->options->from, "clocks", &watching->store, &info, &failure);
    if (error == 0)
        error = store_facts(watching->store, &watching->stored_facts, &failure);
    if (error == 0) {
        run->seed = info.seed;
        snprintf(run->fingerprint, sizeof(run->fingerprint), "%s", info.fingerprint);
        run->facts = &watching->stored_facts;
        run->complete = info.finished != NULL;
        run->stored = store_path(watching->store);
    }
    store_info_release(&info);
    return error == 0 ? EXIT_DONE : refuse(watching, error, &failure);
}
