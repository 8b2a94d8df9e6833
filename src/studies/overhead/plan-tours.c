/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The warm tours that `assay overhead` wishes for: reads side by side, the switches of every
 * instrument, more counters, several reads in one span. */
#include <string.h>

#include "studies/overhead/plan.h"
#include "study/word-list.h"

#define MOST_OPEN      8u
#define FULL_MOST_OPEN 16u

/* Dynamic linking last: who has no time should know the plain calls. */
static const char *const links[] = {"static", "lazy", "bind-now"};
#define LINKS (sizeof(links) / sizeof(*links))

static const char *usual_link(const struct catalogue_operation *operation)
{
    for (size_t i = 0; i < LINKS; i++)
        if (word_list_has(operation->links, links[i]))
            return links[i];
    return links[0];
}

/* Nothing of it calls a library: then one link mode tells of all. */
static bool is_usual(const struct wished_calls *calls, const char *link)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->operations[i]->binds ||
            (!overhead_is_timer(calls->operations[i]) && usual_link(calls->operations[i]) == link))
            return true;
    return false;
}

/* --- reads --- */

static bool reads(const struct catalogue_operation *operation)
{
    return overhead_effect_is(operation, "keeps") && !operation->alone &&
           !overhead_is_command(operation) && overhead_is_warm(operation) &&
           strcmp(operation->when, "stopped") != 0;
}

void overhead_wish_reads(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < LINKS; i++) {
        struct wished_tour tour = overhead_main_tour(wisher->study, OVERHEAD_READS, links[i]);
        struct wished_calls calls = {0};
        for (size_t j = 0; j < catalogue->operation_count; j++)
            if (reads(&catalogue->operations[j]) &&
                overhead_uses(wisher->study, &catalogue->operations[j], links[i]))
                wished_calls_add(&calls, &catalogue->operations[j], 1);
        if (calls.count && is_usual(&calls, links[i])) {
            wished_calls_add_timer(wisher->study, &calls);
            overhead_wish_pairs(wisher, &tour, &calls);
        }
        wished_calls_free(&calls);
    }
}

/* --- instruments: whatever shares counters --- */

static bool is_first_of_instrument(const struct catalogue *catalogue, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(catalogue->operations[i].instrument, catalogue->operations[index].instrument) ==
            0)
            return false;
    return true;
}

/* Calls of the instrument; path: only those of it, NULL: all. Reads by a mapped page are not among
 * them: starting and stopping a counter whose page is mapped costs more, and most programs have
 * none. */
static void add_instrument(const struct overhead_wisher *wisher, const char *instrument,
                           const char *path, const char *link, struct wished_calls *calls)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (strcmp(operation->instrument, instrument) == 0 && overhead_is_warm(operation) &&
            overhead_uses(wisher->study, operation, link) && !*operation->page &&
            (!path || strcmp(operation->path, path) == 0))
            wished_calls_add(calls, operation, 1);
    }
}

/* What a read costs depends on whether the counters run, so that it is read while they do; and once
 * right after each stop, as programs do that start, stop and read. */
static void add_reads_after_stops(struct wished_calls *calls)
{
    size_t count = calls->count;
    calls->running = true;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && overhead_effect_is(calls->operations[i], "stops"); j++)
            if (strcmp(calls->operations[i]->path, calls->operations[j]->path) == 0 &&
                strcmp(calls->operations[j]->kind, "read") == 0 &&
                strcmp(calls->operations[j]->when, "running") != 0)
                wished_calls_add_pair(calls, calls->operations[i], calls->operations[j]);
}

static bool has_effect(const struct wished_calls *calls, const char *effect)
{
    for (size_t i = 0; i < calls->count; i++)
        if (overhead_effect_is(calls->operations[i], effect))
            return true;
    return false;
}

/* A tour needs both: reads alone stand in the tour of reads. */
static bool is_switched(const struct wished_calls *calls)
{
    return has_effect(calls, "starts") && has_effect(calls, "stops");
}

static bool has_several_switches(const struct wished_calls *calls)
{
    const char *first = NULL;
    for (size_t i = 0; i < calls->count; i++) {
        const struct catalogue_operation *operation = calls->operations[i];
        if (!overhead_effect_is(operation, "starts"))
            continue;
        if (first && strcmp(first, operation->path) != 0)
            return true;
        first = operation->path;
    }
    return false;
}

static void wish_instrument(struct overhead_wisher *wisher, const char *instrument,
                            const char *link, bool shared)
{
    struct wished_calls calls = {0};
    add_instrument(wisher, instrument, NULL, link, &calls);
    if (is_switched(&calls) && is_usual(&calls, link) && has_several_switches(&calls) == shared) {
        struct wished_tour tour =
            overhead_main_tour(wisher->study, shared ? OVERHEAD_SWITCHES : OVERHEAD_SINGLES, link);
        add_reads_after_stops(&calls);
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
    wished_calls_free(&calls);
}

static bool is_switching(const struct catalogue_operation *operation)
{
    return !overhead_is_timer(operation) && !overhead_is_command(operation);
}

void overhead_wish_instruments(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (int shared = 1; shared >= 0; shared--)
        for (size_t link = 0; link < LINKS; link++)
            for (size_t i = 0; i < catalogue->operation_count; i++)
                if (is_switching(&catalogue->operations[i]) && is_first_of_instrument(catalogue, i))
                    wish_instrument(wisher, catalogue->operations[i].instrument, links[link],
                                    shared);
}

/* --- more counters --- */

/* The path by which it is switched: one that calls a library, if there is one. */
static const char *switching_path(const struct wished_calls *calls)
{
    const char *path = NULL;
    for (size_t i = 0; i < calls->count; i++)
        if (overhead_effect_is(calls->operations[i], "starts") &&
            (!path || calls->operations[i]->binds))
            path = calls->operations[i]->path;
    return path;
}

static struct wished_tour counters_tour(const struct overhead_wisher *wisher, uint32_t open,
                                        bool separate)
{
    struct wished_tour tour = overhead_sweep_tour(wisher->study, OVERHEAD_EVENTS, links[0]);
    tour.open = open;
    tour.separate = separate;
    return tour;
}

/* Reads by mapped pages: nothing is switched beside them. */
static void wish_pages(struct overhead_wisher *wisher, const char *instrument, uint32_t open,
                       bool separate)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    struct wished_calls calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        if (*operation->page && strcmp(operation->instrument, instrument) == 0 &&
            overhead_is_warm(operation) && overhead_uses(wisher->study, operation, tour.link))
            wished_calls_add(&calls, operation, 1);
    }
    if (calls.count) {
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
    wished_calls_free(&calls);
}

static void wish_counters(struct overhead_wisher *wisher, const char *instrument, uint32_t open,
                          bool separate)
{
    struct wished_calls all = {0}, calls = {0};
    struct wished_tour tour = counters_tour(wisher, open, separate);
    add_instrument(wisher, instrument, NULL, tour.link, &all);
    if (is_switched(&all)) {
        add_instrument(wisher, instrument, switching_path(&all), tour.link, &calls);
        add_reads_after_stops(&calls);
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
    }
    wished_calls_free(&all);
    wished_calls_free(&calls);
}

static uint32_t most_counters(const struct overhead_study *study)
{
    uint32_t usual = study->full ? FULL_MOST_OPEN : MOST_OPEN;
    return study->most_open && study->most_open < usual ? study->most_open : usual;
}

static void wish_both_layouts(struct overhead_wisher *wisher, const char *instrument, uint32_t open)
{
    wish_counters(wisher, instrument, open, false);
    wish_counters(wisher, instrument, open, true);
    wish_pages(wisher, instrument, open, false);
    wish_pages(wisher, instrument, open, true);
}

void overhead_wish_events(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (overhead_is_bare(&catalogue->operations[i]) && is_first_of_instrument(catalogue, i))
            for (uint32_t open = 1; open <= most_counters(wisher->study); open++)
                wish_both_layouts(wisher, catalogue->operations[i].instrument, open);
}

/* libassay makes the calls of others: a few numbers do. PAPI counts an event once in a set, and
 * what stands alone is switched as a whole: neither takes copies. */
void overhead_wish_more_events(struct overhead_wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (strcmp(catalogue->operations[i].instrument, "assay") == 0 &&
            is_first_of_instrument(catalogue, i))
            for (uint32_t open = 1; open <= most_counters(wisher->study);
                 open += wisher->study->full ? 1 : open)
                wish_both_layouts(wisher, catalogue->operations[i].instrument, open);
}

/* --- several reads in one span --- */

void overhead_wish_repeats(struct overhead_wisher *wisher)
{
    static const uint32_t times[] = {1, 2, 4, 8, 16, 32};
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        const char *link = usual_link(operation);
        struct wished_tour tour = overhead_sweep_tour(wisher->study, OVERHEAD_REPEATS, link);
        struct wished_calls calls = {0};
        if (!reads(operation) || strcmp(operation->kind, "read") != 0 ||
            !overhead_uses(wisher->study, operation, link))
            continue;
        for (size_t j = 0; j < sizeof(times) / sizeof(*times); j++)
            wished_calls_add(&calls, operation, times[j]);
        wished_calls_add_timer(wisher->study, &calls);
        overhead_wish_pairs(wisher, &tour, &calls);
        wished_calls_free(&calls);
    }
}
