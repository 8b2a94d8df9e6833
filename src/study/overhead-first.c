/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tours of `assay overhead` in which every process counts once: first calls, when nothing was
 * bound or touched before; and whole commands. */
#include <string.h>

#include "studies/overhead/plan.h"
#include "study/word-list.h"

#define ROUNDS   4u  /* of start, reads and stop in a process */
#define READS    32u /* one after the other */
#define NOTHINGS 2u  /* before them: the meter's own code is warm then */
#define GAUGES   3u  /* behind them, where they disturb nothing: the first is cold itself */

static void add_timer(const struct overhead_study *study, const char *kind, uint32_t times,
                      struct wished_calls *calls)
{
    const struct catalogue *catalogue = study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (overhead_is_timer(operation) && strcmp(operation->kind, kind) == 0)
            for (uint32_t time = 0; time < times; time++)
                wished_calls_add(calls, operation, 1);
    }
}

/* --- first calls --- */

/* All calls of the path that have the effect; how many. */
static size_t add_effect(const struct overhead_wisher *wisher, const char *path, const char *link,
                         const char *effect, struct wished_calls *calls)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    size_t before = calls->count;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (strcmp(operation->path, path) == 0 && overhead_effect_is(operation, effect) &&
            overhead_uses(wisher->study, operation, link))
            wished_calls_add(calls, operation, 1);
    }
    return calls->count - before;
}

static void wish_switches(struct overhead_wisher *wisher, const char *path, const char *link)
{
    static const char *const effects[] = {"starts", "keeps", "stops"};
    struct wished_tour tour = overhead_cold_tour(wisher->study, link);
    struct wished_calls calls = {0};
    size_t found[3] = {0};
    add_timer(wisher->study, "nothing", NOTHINGS, &calls);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < 3; i++)
            found[i] = add_effect(wisher, path, link, effects[i], &calls);
    add_timer(wisher->study, "gauge", GAUGES, &calls);
    if (found[0] && found[2])
        overhead_wish_row(wisher, &tour, &calls);
    wished_calls_free(&calls);
}

static void wish_reads(struct overhead_wisher *wisher, const struct catalogue_operation *operation,
                       const char *link)
{
    struct wished_tour tour = overhead_cold_tour(wisher->study, link);
    struct wished_calls calls = {0};
    add_timer(wisher->study, "nothing", NOTHINGS, &calls);
    for (uint32_t read = 0; read < READS; read++)
        wished_calls_add(&calls, operation, 1);
    add_timer(wisher->study, "gauge", GAUGES, &calls);
    overhead_wish_row(wisher, &tour, &calls);
    wished_calls_free(&calls);
}

static bool is_first_of_path(const struct catalogue *catalogue, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(catalogue->operations[i].path, catalogue->operations[index].path) == 0)
            return false;
    return true;
}

/* How a library is linked matters for its first call; who calls none is measured once. */
static void wish_first(struct overhead_wisher *wisher, size_t index, const char *link)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    const struct catalogue_operation *operation = &catalogue->operations[index];
    if (!overhead_uses(wisher->study, operation, link) || overhead_is_command(operation))
        return;
    if (is_first_of_path(catalogue, index))
        wish_switches(wisher, operation->path, link);
    if (strcmp(operation->kind, "read") == 0)
        wish_reads(wisher, operation, link);
}

static void wish_cold(struct overhead_wisher *wisher, bool bare)
{
    static const char *const links[] = {"static", "lazy", "bind-now"};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
        for (size_t j = 0; j < catalogue->operation_count; j++) {
            const struct catalogue_operation *operation = &catalogue->operations[j];
            char usual[WORD_LIST_WORD];
            word_list_prefer(operation->links, "static", usual);
            if (overhead_is_bare(operation) == bare &&
                (operation->binds || strcmp(usual, links[i]) == 0))
                wish_first(wisher, j, links[i]);
        }
}

void overhead_wish_bare_cold(struct overhead_wisher *wisher)
{
    wish_cold(wisher, true);
}

void overhead_wish_cold(struct overhead_wisher *wisher)
{
    wish_cold(wisher, false);
}

/* --- whole commands --- */

/* A command takes as long as thousands of other calls, and a pass of all pairs would hardly ever be
 * undisturbed: in each order of the tour a command stands once, and all orders together have every
 * pair. The gauge comes last and repeatedly, because it is cold itself after a command. */
void overhead_wish_commands(struct overhead_wisher *wisher)
{
    const struct overhead_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct wished_tour tour = overhead_command_tour(study, "static");
    struct wished_calls calls = {0}, end = {0};
    if (!overhead_tells_time(wisher->meters))
        return; /* counters are of one process */
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_command(&catalogue->operations[i]) &&
            overhead_uses(study, &catalogue->operations[i], tour.link))
            wished_calls_add(&calls, &catalogue->operations[i], 1);
    if (calls.count) {
        add_timer(study, "nothing", 1, &calls);
        add_timer(study, "gauge", GAUGES, &end);
        overhead_wish_permutations(wisher, &tour, &calls, &end);
    }
    wished_calls_free(&calls);
    wished_calls_free(&end);
}
