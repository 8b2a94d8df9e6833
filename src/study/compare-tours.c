/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls of tours as quantities: what each operation costs in a process, apart for those that follow
 * themselves and those that follow another; of a cold tour the first call of each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "study/compare.h"
#include "engine/loading.h"
#include "study/overhead.h"

enum follows { FOLLOWS_OTHER, FOLLOWS_ITSELF, FOLLOWS_NOTHING, FOLLOWS_COUNT };
static const char *const follow_words[FOLLOWS_COUNT] = {"warm, after another call",
                                                        "warm, after itself", "first call"};

struct touring {
    const struct compare_loading *loading;
    const struct overhead_case *file;
    const struct overhead_tour *tour;
    double *values; /* room for the calls of any process */
};

/* Which of the three is call `call` of a process; FOLLOWS_COUNT: none of them. */
static enum follows follows(const struct overhead_tour *tour, size_t call)
{
    const size_t place = call % tour->length;
    const uint32_t operation = tour->calls[place];
    if (tour->cold) {
        for (size_t i = 0; i < call && i < tour->length; i++)
            if (tour->calls[i] == operation)
                return FOLLOWS_COUNT;
        return call < tour->length ? FOLLOWS_NOTHING : FOLLOWS_COUNT;
    }
    if (!call)
        return FOLLOWS_COUNT;
    const size_t before = place ? place - 1 : tour->length - 1;
    return tour->calls[before] == operation ? FOLLOWS_ITSELF : FOLLOWS_OTHER;
}

static struct compare_quantity *quantity_of(const struct touring *touring, uint32_t operation,
                                            uint32_t meter, enum follows kind)
{
    const struct overhead_tour *tour = touring->tour;
    AUTO_TEXT struct text factors = {0};
    text_printf(&factors, "%s, %s, %u counter%s of %s%s", follow_words[kind], tour->link,
                tour->open, tour->open == 1 ? "" : "s", tour->counted,
                tour->separate ? ", one by one" : "");
    struct compare_quantity like = {.study = (char *)touring->loading->study,
                                    .event = tour->meters[meter].event,
                                    .subject = touring->file->operations[operation].name,
                                    .factors = factors.bytes};
    compare_classify(tour->meters[meter].event, &like);
    return factors.failed ? NULL : compare_add_quantity(touring->loading->file, &like);
}

/* The median of each process. */
static int add_processes(const struct touring *touring, uint32_t operation, uint32_t meter,
                         enum follows kind)
{
    const struct overhead_tour *tour = touring->tour;
    struct compare_quantity *quantity = NULL;
    for (size_t process = 0; process < tour->processes; process++) {
        const size_t begin = tour->begins[process], calls = tour->begins[process + 1] - begin;
        size_t count = 0;
        for (size_t call = 0; call < calls; call++)
            if (tour->calls[call % tour->length] == operation &&
                tour->times[call % tour->length] == 1 && follows(tour, call) == kind)
                touring->values[count++] =
                    (double)tour->values[(begin + call) * tour->meter_count + meter];
        if (!count)
            continue;
        if (!quantity)
            quantity = quantity_of(touring, operation, meter, kind);
        if (!quantity ||
            compare_add_median(quantity, touring->loading->side, touring->values, count) < 0)
            return loading_no_memory(touring->loading->failure);
    }
    return 0;
}

static bool seen_before(const struct overhead_tour *tour, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (tour->calls[i] == tour->calls[place])
            return true;
    return false;
}

static int add_tour(struct touring *touring)
{
    const struct overhead_tour *tour = touring->tour;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->begins[i + 1] - tour->begins[i] > most ? tour->begins[i + 1] - tour->begins[i]
                                                            : most;
    AUTO_FREE double *values = calloc(most ? most : 1, sizeof(*values));
    if (!values)
        return loading_no_memory(touring->loading->failure);
    touring->values = values;
    int error = 0;
    for (size_t place = 0; place < tour->length && error == 0; place++) {
        if (seen_before(tour, place))
            continue;
        for (uint32_t meter = 0; meter < tour->meter_count && error == 0; meter++)
            for (int kind = 0; kind < FOLLOWS_COUNT && error == 0; kind++)
                if ((kind == FOLLOWS_NOTHING) == tour->cold)
                    error = add_processes(touring, tour->calls[place], meter, (enum follows)kind);
    }
    return error;
}

int compare_load_tours(const struct compare_loading *loading)
{
    struct overhead_case file = {0};
    int error = overhead_load(loading->store, &file, loading->failure);
    for (size_t i = 0; i < file.tour_count && error == 0; i++) {
        struct touring touring = {.loading = loading, .file = &file, .tour = &file.tours[i]};
        error = add_tour(&touring);
    }
    overhead_case_release(&file);
    return error;
}
