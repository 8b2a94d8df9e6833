/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every call of the case once, with its factors; and rows by what is wanted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/passes.h"

/* What a walk knows of the tour it is in. */
struct walk {
    const struct overhead_case *file;
    const struct overhead_tour *tour;
    struct overhead_passes passes;
    uint32_t *ordinals; /* [call]: how many-th of its operation in a pass, from 1 */
    uint32_t *of_pass;  /* [call]: how many of its operation a pass has */
    const struct overhead_timer **timers; /* [meter] */
    const struct overhead_gauge **gauges; /* [meter] */
    overhead_span_each *each;
    void *context;
};

static void release_walk(struct walk *walk)
{
    overhead_passes_release(&walk->passes);
    free(walk->ordinals);
    free(walk->of_pass);
    free(walk->timers);
    free(walk->gauges);
}

static int count_ordinals(struct walk *walk)
{
    const struct overhead_tour *tour = walk->tour;
    AUTO_FREE uint32_t *seen = calloc(walk->file->operation_count + 1, sizeof(*seen));
    walk->ordinals = calloc(tour->length + 1, sizeof(*walk->ordinals));
    walk->of_pass = calloc(tour->length + 1, sizeof(*walk->of_pass));
    if (!seen || !walk->ordinals || !walk->of_pass)
        return -ENOMEM;
    for (size_t call = 0; call < tour->length; call++)
        walk->ordinals[call] = ++seen[tour->calls[call]];
    for (size_t call = 0; call < tour->length; call++)
        walk->of_pass[call] = seen[tour->calls[call]];
    return 0;
}

static int enter_tour(struct walk *walk, const struct overhead_report *report)
{
    const struct overhead_tour *tour = walk->tour;
    walk->timers = calloc(tour->meter_count + 1, sizeof(*walk->timers));
    walk->gauges = calloc(tour->meter_count + 1, sizeof(*walk->gauges));
    if (!walk->timers || !walk->gauges)
        return -ENOMEM;
    for (uint32_t meter = 0; meter < tour->meter_count; meter++) {
        walk->timers[meter] = overhead_timer_of(report, tour->machine, &tour->meters[meter]);
        walk->gauges[meter] = overhead_gauge_of(report, tour->machine, &tour->meters[meter]);
    }
    int error = count_ordinals(walk);
    return error ? error : overhead_passes_open(walk->file, tour, &walk->passes);
}

static double cost_of(const struct overhead_timer *timer)
{
    return timer && timer->known ? timer->cost : 0;
}

/* By the gauge of any meter, or by the account. */
static bool is_disturbed(const struct walk *walk, size_t process, uint32_t pass)
{
    for (uint32_t meter = 0; meter < walk->tour->meter_count; meter++) {
        const struct overhead_gauge *gauge = walk->gauges[meter];
        if (gauge && gauge->known &&
            overhead_pass_gauge(&walk->passes, process, pass, meter) -
                    cost_of(walk->timers[meter]) >
                gauge->limit)
            return true;
    }
    return overhead_pass_unsettled(&walk->passes, process, pass);
}

static void name_predecessor(const struct overhead_tour *tour, size_t call,
                             struct overhead_span *span)
{
    size_t before = call ? call - 1 : tour->length - 1;
    bool none = call == 0 && span->pass == 0;
    span->predecessor = none ? -1 : (int32_t)tour->calls[before];
    span->predecessor_times = none ? 0 : tour->times[before];
}

static int walk_pass(const struct walk *walk, struct overhead_span *span)
{
    const struct overhead_tour *tour = walk->tour;
    size_t first = tour->begins[span->process] + span->pass * tour->length;
    span->disturbed = is_disturbed(walk, span->process, span->pass);
    for (size_t call = 0; call < tour->length; call++) {
        span->call = (uint32_t)call;
        span->operation = tour->calls[call];
        span->times = tour->times[call];
        span->position = span->pass * walk->of_pass[call] + walk->ordinals[call];
        span->account = tour->cold ? &tour->accounts[first + call] : NULL;
        name_predecessor(tour, call, span);
        for (span->meter = 0; span->meter < tour->meter_count; span->meter++) {
            span->raw = tour->values[(first + call) * tour->meter_count + span->meter];
            span->cost = (double)span->raw - cost_of(walk->timers[span->meter]);
            int result = walk->each(walk->context, span);
            if (result)
                return result;
        }
    }
    return 0;
}

static int walk_tour(struct walk *walk, uint32_t index)
{
    struct overhead_span span = {.tour = index, .machine = walk->tour->machine};
    for (uint32_t process = 0; process < walk->tour->processes; process++)
        for (uint32_t pass = 0; pass < walk->tour->passes[process]; pass++) {
            span.process = process;
            span.pass = pass;
            int result = walk_pass(walk, &span);
            if (result)
                return result;
        }
    return 0;
}

int overhead_each_span(const struct overhead_case *file, const struct overhead_report *report,
                       overhead_span_each *each, void *context)
{
    int result = 0;
    for (size_t i = 0; i < file->tour_count && result == 0; i++) {
        struct walk walk = {
            .file = file, .tour = &file->tours[i], .each = each, .context = context};
        result = enter_tour(&walk, report);
        if (result == 0)
            result = walk_tour(&walk, (uint32_t)i);
        release_walk(&walk);
    }
    return result;
}

/* --- rows by what is wanted --- */

static bool is_word(const char *wanted, const char *word)
{
    return !wanted || strcmp(wanted, word) == 0;
}

static bool is_predecessor(const struct overhead_case *file, const struct overhead_row *row,
                           const char *wanted)
{
    if (!wanted)
        return row->all_predecessors;
    return !row->all_predecessors && row->predecessor >= 0 &&
           strcmp(file->operations[row->predecessor].name, wanted) == 0;
}

static bool is_wanted(const struct overhead_case *file, const struct overhead_row *row,
                      const struct overhead_wanted *wanted)
{
    uint32_t position = wanted->position ? wanted->position : 1;
    return row->runs > 0 && row->machine == wanted->machine &&
           row->temperature == wanted->temperature && row->meter->unit == wanted->unit &&
           row->separate == wanted->separate && row->reads == (wanted->reads ? wanted->reads : 1) &&
           (!wanted->events || row->events == wanted->events) &&
           (row->temperature == TEMPERATURE_WARM || row->position == position) &&
           is_word(wanted->operation, file->operations[row->operation].name) &&
           is_word(wanted->variant, row->variant) && is_word(wanted->link, row->link) &&
           is_word(wanted->mode, row->meter->mode) &&
           is_predecessor(file, row, wanted->predecessor);
}

const struct overhead_row *overhead_find_row(const struct overhead_case *file,
                                             const struct overhead_report *report,
                                             const struct overhead_wanted *wanted)
{
    const struct overhead_row *best = NULL;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!is_wanted(file, row, wanted))
            continue;
        if (!best || row->events < best->events ||
            (row->events == best->events && row->predecessor_times < best->predecessor_times))
            best = row;
    }
    return best;
}
