/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From options and the machine to the study of clocks: which candidates were asked for, which a
 * person brought along, on which CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/absences.h"
#include "cli/clocks-run.h"
#include "engine/options.h"
#include "study/core-type.h"

#define MOST_OWN 8u

static int status_of(int error)
{
    return error == -ENODEV                      ? EXIT_LACKING
           : error == -EINVAL || error == -E2BIG ? EXIT_USAGE
                                                 : EXIT_FAILED;
}

static int refuse(int error, const struct failure *failure)
{
    if (!failure->text[0] || error == -ENOMEM)
        return clocks_out_of_memory();
    return clocks_fail(failure, status_of(error));
}

/* --- what --clock says --- */

static int take_own(struct watching *watching, const char *text, struct failure *failure)
{
    struct clocks_own own = {.text = text};
    int error = external_clock_parse(text, &own.clock, failure);
    if (error < 0)
        return error;
    for (size_t i = 0; i < watching->own_count; i++)
        if (strcmp(watching->own[i].clock.name, own.clock.name) == 0)
            return fail_with(failure, -EINVAL, "two clocks of --clock have the name '%s'",
                             own.clock.name);
    if (watching->own_count == MOST_OWN)
        return fail_with(failure, -EINVAL, "at most %u clocks can be brought along", MOST_OWN);
    struct clocks_own *grown = reallocarray(watching->own, watching->own_count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    watching->own = grown;
    grown[watching->own_count++] = own;
    return 0;
}

static int take_names(struct watching *watching, const char *text, struct failure *failure)
{
    struct external_clock clock;
    size_t before = watching->names.count;
    int error = string_list_add(&watching->names, text);
    if (error == -EINVAL)
        return fail_with(failure, error, "--clock has an empty name in '%.80s'", text);
    for (size_t i = before; i < watching->names.count && error == 0; i++)
        error = external_clock_parse(watching->names.items[i], &clock, failure);
    return error;
}

int clocks_read_options(struct watching *watching)
{
    const struct string_list *given = &watching->run.options->clock;
    struct failure failure = {0};
    int error = 0;
    /* A command may have commas in it, so they only part what is no clock of a person's own. */
    for (size_t i = 0; i < given->count && error == 0; i++)
        error = strchr(given->items[i], '=') ? take_own(watching, given->items[i], &failure)
                                             : take_names(watching, given->items[i], &failure);
    return error < 0 ? refuse(error, &failure) : EXIT_DONE;
}

/* --- what the machine says to it --- */

static void put_candidates(const struct catalogue *catalogue, struct text *out)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (clocks_is_candidate(&catalogue->clocks[i]))
            text_printf(out, "%s%s", out->length ? ", " : "", catalogue->clocks[i].name);
}

static int check_name(const struct catalogue *catalogue, const char *name, struct failure *failure)
{
    const struct catalogue_clock *clock = catalogue_clock(catalogue, name);
    const struct catalogue_absence *absence = absences_find(catalogue, "clock", name);
    if (clock && clocks_is_candidate(clock))
        return 0;
    if (clock)
        return fail_with(failure, -EINVAL,
                         "%.60s is read with every clock, but tells no time: there is nothing to "
                         "judge",
                         name);
    if (absence)
        return fail_with(failure, -ENODEV, "the clock %.60s is not to be had here: %.300s", name,
                         absence->reason);
    AUTO_TEXT struct text clocks = {0};
    put_candidates(catalogue, &clocks);
    return fail_with(failure, -EINVAL,
                     "there is no clock '%.60s'; here there are %.400s. One of your own is "
                     "NAME=object:FILE:SYMBOL, NAME=ask:COMMAND or NAME=run:COMMAND",
                     name, clocks.length ? text_string(&clocks) : "none");
}

static int check_names(const struct watching *watching, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < watching->names.count && error == 0; i++)
        error = check_name(watching->catalogue, watching->names.items[i], failure);
    for (size_t i = 0; i < watching->own_count && error == 0; i++) {
        const char *name = watching->own[i].clock.name;
        if (catalogue_clock(watching->catalogue, name) ||
            absences_find(watching->catalogue, "clock", name) || strcmp(name, "outside") == 0)
            error =
                fail_with(failure, -EINVAL,
                          "a clock of your own cannot be named '%s': another has that name", name);
    }
    return error;
}

static int check_workloads(const struct string_list *asked, struct failure *failure)
{
    for (size_t i = 0; i < asked->count; i++) {
        const char *const *known = clocks_workloads;
        while (*known && strcmp(*known, asked->items[i]) != 0)
            known++;
        if (*known)
            continue;
        AUTO_TEXT struct text list = {0};
        for (known = clocks_workloads; *known; known++)
            text_printf(&list, "%s%s", list.length ? ", " : "", *known);
        return fail_with(failure, -EINVAL, "there is no workload '%.60s', but %s", asked->items[i],
                         text_string(&list));
    }
    return 0;
}

/* --- the study --- */

static int find_cpus(struct watching *watching, struct failure *failure)
{
    free(watching->cpus);
    watching->cpus = NULL;
    int error = core_allowed(watching->run.facts, &watching->cpus, &watching->study.cpu_count);
    watching->study.cpus = watching->cpus;
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}

/* Where there are too many pairs of CPUs for the time it is said how many were chosen. */
static int tell_pairs(struct watching *watching)
{
    const struct clocks_plan *plan = &watching->plan;
    char what[120];
    if (plan->pairs == plan->all_pairs)
        return 0;
    snprintf(what, sizeof(what), "trips between %zu of %zu pairs of CPUs",
             plan->all_pairs - plan->pairs, plan->all_pairs);
    return skips_add(
        &watching->run.skips, what,
        "there are too many pairs for the time: a choice drawn from the seed, in which "
        "every CPU is, was made instead; a larger --budget holds more",
        0);
}

static int prepare(struct watching *watching, struct failure *failure)
{
    int error = check_names(watching, failure);
    if (error == 0)
        error = check_workloads(&watching->run.options->workload, failure);
    if (error == 0)
        error = find_cpus(watching, failure);
    return error;
}

static int plan(struct watching *watching, struct failure *failure)
{
    watching->study.own = watching->own;
    watching->study.own_count = watching->own_count;
    int error = clocks_plan_make(&watching->study, &watching->plan, failure);
    if (error == 0)
        error = tell_pairs(watching);
    if (error == 0)
        clocks_find_outside(watching);
    return error;
}

int clocks_prepare(struct watching *watching)
{
    const struct clocks_options *options = watching->run.options;
    struct failure failure = {0};
    watching->study =
        (struct clocks_study){.catalogue = watching->catalogue,
                              .names = watching->names.items,
                              .name_count = watching->names.count,
                              .workloads = options->workload.items,
                              .workload_count = options->workload.count,
                              .cpu = core_last(watching->run.facts),
                              .quick = options->quick,
                              .emulated = facts_get(watching->run.facts, "emulated") != NULL,
                              .budget = watching->run.budget,
                              .seed = watching->run.seed};
    int error = prepare(watching, &failure);
    if (error < 0)
        return refuse(error, &failure);
    int status = clocks_try_own(watching);
    if (status != EXIT_DONE)
        return status;
    error = plan(watching, &failure);
    return error < 0 ? refuse(error, &failure) : EXIT_DONE;
}
