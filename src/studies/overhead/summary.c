/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what calls cost. */
#include "base/memory.h"
#include "engine/told.h"
#include "output/field.h"
#include "studies/overhead/parts.h"

/* The advice, as it is. */
static void lead(const void *kept, struct lead *sentences)
{
    const struct overhead_report *report = &((const struct overhead_run *)kept)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        told_say_reasons(sentences, &report->advice[i].text);
}

static struct value advice_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct overhead_report *report = &((const struct overhead_run *)item)->report;
    return value_text(index < report->advice_count ? reasons_text(&report->advice[index].text)
                                                   : NULL);
}

static const struct field line = {"calls", VALUES(FIELD_TEXT, advice_at),
                                  "the advice of `assay overhead`", .nullable = true};

static void put_line(const void *kept, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &((const struct overhead_run *)kept)->report;
    if (report->advice_count)
        told_put_line("calls", reasons_text(&report->advice[0].text), 2, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * Calls of tours as quantities: what each operation costs in a process, apart for those that
 * follow themselves and those that follow another; of a cold tour the first call of each. */

enum follows { FOLLOWS_OTHER, FOLLOWS_ITSELF, FOLLOWS_NOTHING, FOLLOWS_COUNT };
static const char *const follow_words[FOLLOWS_COUNT] = {"warm, after another call",
                                                        "warm, after itself", "first call"};

struct touring {
    const struct compared *compared;
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

/* The median of each process. */
static void tours_add_processes(const struct touring *touring, uint32_t operation, uint32_t meter,
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
        if (!quantity) {
            AUTO_TEXT struct text factors = {0};
            text_printf(&factors, "%s, %s, %u counter%s of %s%s", follow_words[kind], tour->link,
                        tour->open, tour->open == 1 ? "" : "s", tour->counted,
                        tour->separate ? ", one by one" : "");
            struct compare_quantity like = {.event = tour->meters[meter].event,
                                            .subject = touring->file->operations[operation].name,
                                            .factors = factors.bytes};
            compared_classify(tour->meters[meter].event, &like);
            quantity = compared_quantity(touring->compared, &like);
        }

        compared_median(touring->compared, quantity, touring->values, count);
    }
}

static bool seen_before(const struct overhead_tour *tour, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (tour->calls[i] == tour->calls[place])
            return true;
    return false;
}

static void add_tour(struct touring *touring)
{
    const struct overhead_tour *tour = touring->tour;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->begins[i + 1] - tour->begins[i] > most ? tour->begins[i + 1] - tour->begins[i]
                                                            : most;
    AUTO_MEMORY double *values = memory_new(most, sizeof(*values));
    touring->values = values;
    for (size_t place = 0; place < tour->length; place++) {
        if (seen_before(tour, place))
            continue;
        for (uint32_t meter = 0; meter < tour->meter_count; meter++)
            for (int kind = 0; kind < FOLLOWS_COUNT; kind++)
                if ((kind == FOLLOWS_NOTHING) == tour->cold)
                    tours_add_processes(touring, tour->calls[place], meter, (enum follows)kind);
    }
}

static int load(struct store *store, const struct compared *compared, struct failure *failure)
{
    struct overhead_case file = {0};
    int error = overhead_load(store, &file, failure);
    for (size_t i = 0; error == 0 && i < file.tour_count; i++)
        add_tour(&(struct touring){.compared = compared, .file = &file, .tour = &file.tours[i]});
    return error;
}

const struct study_told overhead_told = {
    .title = "What the calls of measuring cost",
    .lead = lead,
    .line = {&line, 3, put_line},
    .part = {.turn = 4, 20, 120, 160, 3, 20, .rank = 2},
    .compared = {.load = load, .timed = true},
};
