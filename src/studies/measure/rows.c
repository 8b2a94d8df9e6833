/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers the rows of a measurement from its store. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "engine/wishes.h"
#include "output/table.h"
#include "studies/measure/study.h"

/* ----------------------------------------------------------------------------------------------
 * Brings what a store holds before the judgement. */

static int add_cell(void *context, const struct stored_cell *stored)
{
    struct replay *replay = context;
    struct replayed_cell *to = memory_add(replay->cells, replay->count);
    *to = (struct replayed_cell){.processes = stored->processes,
                                 .done = stored->done,
                                 .failed = stored->failed,
                                 .error = stored->error,
                                 .reason = memory_copy(stored->reason),
                                 .faults = {stored->has_faults, stored->faults},
                                 .switches = {stored->has_switches, stored->switches}};
    for (uint32_t i = 0; i < stored->cell.counters; i++) {
        const struct stored_counter *counter = &stored->counters[i];
        to->counters[i].truth = (struct maybe){counter->has_truth, counter->truth};
        to->counters[i].class = memory_copy(counter->class);
        to->counters[i].grade = memory_copy(counter->grade);
    }
    to->cell = plan_copy(&stored->cell);
    return 0;
}

/* The runs of one counter in the order they ran. */
struct readings {
    uint32_t counter;
    struct reading *list;
    size_t count;
};

static void cleanup_readings(struct readings *readings)
{
    memory_give_back(readings->list);
}
#define AUTO_READINGS __attribute__((cleanup(cleanup_readings)))

static int take_reading(void *context, const struct sample *sample)
{
    struct readings *readings = context;
    if (sample->counter == readings->counter)
        *memory_add(readings->list, readings->count) = (struct reading){.value = sample->value,
                                                                        .enabled = sample->enabled,
                                                                        .running = sample->running,
                                                                        .account = sample->account};
    return 0;
}

static const struct replayed_cell *overhead_cell(const struct replay *replay,
                                                 const struct replayed_cell *cell)
{
    for (size_t i = 0; i < replay->count; i++) {
        const struct replayed_cell *other = &replay->cells[i];
        if (other != cell && plan_is_overhead_cell(&other->cell) &&
            plan_same_way(&other->cell, &cell->cell))
            return other;
    }
    return NULL;
}

/* Of a null cell's account nothing is expected: what most runs show is the way's own. */
static struct expectation expectation_of(const struct replayed_cell *cell, uint32_t counter)
{
    struct expectation expected = {.truth = cell->counters[counter].truth};
    if (!plan_is_overhead_cell(&cell->cell)) {
        expected.faults = cell->faults;
        expected.switches = cell->switches;
    }
    return expected;
}

/* Reads and judges the runs of a counter, with the overhead that the matching null cell shows, if
 * there is one and it ran. */
static int replay_judge(const struct replay *replay, const struct replayed_cell *cell,
                        struct readings *readings, struct summary *summary, struct failure *failure)
{
    const struct replayed_cell *null = overhead_cell(replay, cell);
    struct expectation expected = expectation_of(cell, readings->counter);
    if (null) {
        AUTO_READINGS struct readings of_null = {.counter = readings->counter};
        int error =
            store_each_sample(replay->store, null->cell.id, take_reading, &of_null, failure);
        if (error < 0)
            return error;
        struct expectation nothing = expectation_of(null, readings->counter);
        measure_summarise(of_null.list, of_null.count, &nothing, summary);
        expectation_add_null(&expected, summary);
    }
    int error = store_each_sample(replay->store, cell->cell.id, take_reading, readings, failure);
    if (error == 0)
        measure_summarise(readings->list, readings->count, &expected, summary);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Gathers the rows of a measurement from its store. */

static void name_factors(struct row *row)
{
    const struct cell *cell = &row->cell->cell;
    char n[NUMBER_SIZE];
    number_count(cell->n, n, sizeof(n));
    char *names[ROW_FACTORS] = {
        cell->events[row->counter],
        cell->path,
        memory_copy(pattern_names[cell->pattern]),
        cell->specimen,
        memory_copy(n),
        memory_format("%u%s", cell->counters, cell->separate ? " separate" : ""),
        cell->opt,
        cell->link,
    };
    memcpy(row->factors, names, sizeof(names));
}

static char *why_no_truth(const struct measuring *measuring, const struct replayed_cell *cell,
                          uint32_t counter)
{
    const char *class = cell->counters[counter].class, *specimen = cell->cell.specimen;
    if (!class && strstr(cell->cell.events[counter], "-raw/"))
        return memory_format(
            "it is what the tool itself sees, the repetitions of a repeated instruction "
            "counted one by one; compare with %.*s/instructions/",
            (int)strcspn(cell->cell.events[counter], "/"), cell->cell.events[counter]);
    if (!class)
        return memory_copy("what this event should count is not known");
    struct maybe known = predict_class(measuring->catalogue, class, specimen, cell->cell.n, NULL);
    if (known.known && !event_counts_user_only(cell->cell.events[counter]))
        return memory_format("the specimen %s predicts %s of user mode alone: count with :u",
                             specimen, class);
    return memory_format("the specimen %s does not predict %s", specimen, class);
}

/* The event of a counter. A resumed run knows its name alone, and asks the probe for its kind;
 * where that fails, or there is no probe, it is taken for a processor's, of which the least can be
 * said. The strings stay valid until the probe is asked again. */
static struct counted_event event_of(const struct measuring *measuring,
                                     const struct replayed_cell *cell, uint32_t counter)
{
    char *name = cell->cell.events[counter];
    for (size_t i = 0; i < measuring->event_count; i++) {
        if (strcmp(measuring->events[i].name, name) == 0)
            return measuring->events[i];
    }
    struct failure failure = {0};
    struct listed_event listed = {0};
    bool told =
        measuring->session && session_try_event(measuring->session, name, &listed, &failure) == 0;
    return (struct counted_event){.name = name,
                                  .kind = (char *)(uintptr_t)(told ? listed.kind : "hardware"),
                                  .class = cell->counters[counter].class};
}

const char *row_grade(const struct row *row)
{
    return row->summary.limits.known ? "bounded" : row->cell->counters[row->counter].grade;
}

void row_sentence(const struct row *row, struct text *out)
{
    measure_sentence(&row->summary, row->factors[ROW_EVENT], row->why_no_truth, out);
    copies_sentence(&row->copies, &row->summary, out);
}

/* Of the runs that got a counter. */
static void row_distribution(const struct readings *readings, struct distribution *distribution)
{
    AUTO_MEMORY double *values = memory_new(readings->count + 1, sizeof(*values));
    size_t counted = 0;
    for (size_t i = 0; i < readings->count; i++) {
        uint64_t value;
        if (reading_value(&readings->list[i], &value))
            values[counted++] = (double)value;
    }
    distribution_of(values, counted, distribution);
}

/* Of an event's first counter. */
static int add_row(struct rows *rows, const struct replayed_cell *cell, uint32_t counter,
                   struct failure *failure)
{
    AUTO_READINGS struct readings readings = {.counter = counter};
    struct row *row = memory_add(rows->list, rows->count);
    *row = (struct row){.cell = cell, .counter = counter};
    row->why_no_truth = why_no_truth(rows->measuring, cell, counter);
    name_factors(row);
    int error = replay_judge(&rows->replay, cell, &readings, &row->summary, failure);
    if (error < 0)
        return error;
    /* The limits of a bounded truth. */
    struct counted_event event = event_of(rows->measuring, cell, counter);
    const char *why = "";
    struct limits limits =
        predict_limits(rows->measuring->catalogue, &event, cell->cell.specimen, cell->cell.n, &why);
    measure_limit(readings.list, readings.count, &limits, &row->summary);
    if (limits.known)
        row->why_no_truth = memory_format("only limits are known: %s", why);
    /* The further counters of the event. */
    for (uint32_t i = counter + 1; i < cell->cell.counters; i++) {
        AUTO_READINGS struct readings others = {.counter = i};
        struct summary summary;
        if (strcmp(cell->cell.events[i], cell->cell.events[counter]) != 0)
            continue;
        error = replay_judge(&rows->replay, cell, &others, &summary, failure);
        if (error < 0)
            return error;
        copies_add(&row->copies, &summary);
    }
    if (rows->results)
        json_array_append_new(rows->results, row_json(row, readings.list, readings.count));
    if (rows->distributions && row->summary.judged)
        row_distribution(&readings, &row->distribution);
    return 0;
}

/* Was this event already shown, as an earlier counter of the same cell? */
static bool is_copy(const struct cell *cell, uint32_t counter)
{
    for (uint32_t i = 0; i < counter; i++) {
        if (strcmp(cell->events[i], cell->events[counter]) == 0)
            return true;
    }
    return false;
}

static const char *reason_of(const struct replayed_cell *cell)
{
    if (cell->reason)
        return cell->reason;
    if (cell->done + cell->failed == cell->processes)
        return "no reason was given";
    return cell->done ? "incomplete: measuring ended before all of its processes had their turn"
                      : "measuring ended before it had its turn";
}

/* Did every cell with this event and path fail in the same words? Then they are one line. */
static bool path_is_to_blame(const struct replay *replay, const struct replayed_cell *cell)
{
    for (size_t i = 0; i < replay->count; i++) {
        const struct replayed_cell *other = &replay->cells[i];
        if (strcmp(other->cell.path, cell->cell.path) == 0 &&
            strcmp(other->cell.events[0], cell->cell.events[0]) == 0 &&
            (other->done || strcmp(reason_of(other), reason_of(cell)) != 0))
            return false;
    }
    return true;
}

static void skip_cell(struct rows *rows, const struct replayed_cell *cell)
{
    const struct cell *factors = &cell->cell;
    const char *what =
        path_is_to_blame(&rows->replay, cell)
            ? memory_format("%s by %s", factors->events[0], factors->path)
            : memory_format("%s by %s, %s, specimen %s, N = %" PRIu64 ", %u counters, %s, %s",
                            factors->events[0], factors->path, pattern_names[factors->pattern],
                            factors->specimen, factors->n, factors->counters, factors->opt,
                            factors->link);
    skips_add(&rows->measuring->skips, what, reason_of(cell), cell->error);
}

int rows_gather(struct rows *rows, struct failure *failure)
{
    struct replay *replay = &rows->replay;
    bool only_overhead = true;
    replay->store = rows->measuring->store;
    int error = store_each_cell(replay->store, add_cell, replay, failure);
    for (size_t i = 0; i < replay->count; i++)
        only_overhead &= plan_is_overhead_cell(&replay->cells[i].cell);
    for (size_t i = 0; i < replay->count && error == 0; i++) {
        const struct replayed_cell *cell = &replay->cells[i];
        if (cell->done < cell->processes)
            skip_cell(rows, cell);
        if (!cell->done || (plan_is_overhead_cell(&cell->cell) && !only_overhead))
            continue;
        for (uint32_t counter = 0; counter < cell->cell.counters && error == 0; counter++) {
            if (!is_copy(&cell->cell, counter))
                error = add_row(rows, cell, counter, failure);
        }
    }
    return error;
}

bool rows_vary(const struct rows *rows, int factor)
{
    for (size_t i = 1; i < rows->count; i++)
        if (strcmp(rows->list[i].factors[factor], rows->list[0].factors[factor]) != 0)
            return true;
    return false;
}

void rows_release(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        json_decref(rows->list[i].distribution.density);
        json_decref(rows->list[i].distribution.samples);
    }
    json_decref(rows->results);
}
