/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers the rows of a measurement from its store. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/loading.h"
#include "engine/wishes.h"
#include "output/table.h"
#include "studies/measure/study.h"

/* ----------------------------------------------------------------------------------------------
 * Brings what a store holds before the judgement. */

static void release_cell(struct replayed_cell *cell)
{
    for (uint32_t i = 0; i < CELL_MAX_COUNTERS; i++) {
        free(cell->counters[i].class);
        free(cell->counters[i].grade);
    }
    free(cell->reason);
    cell_release(&cell->cell);
}

/* False when out of memory. */
static bool copy_string(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static int copy_cell(struct replayed_cell *to, const struct stored_cell *stored)
{
    *to = (struct replayed_cell){.processes = stored->processes,
                                 .done = stored->done,
                                 .failed = stored->failed,
                                 .error = stored->error,
                                 .faults = {stored->has_faults, stored->faults},
                                 .switches = {stored->has_switches, stored->switches}};
    bool copied = copy_string(&to->reason, stored->reason);
    for (uint32_t i = 0; i < stored->cell.counters && copied; i++) {
        const struct stored_counter *counter = &stored->counters[i];
        to->counters[i].truth = (struct maybe){counter->has_truth, counter->truth};
        copied = copy_string(&to->counters[i].class, counter->class) &&
                 copy_string(&to->counters[i].grade, counter->grade);
    }
    int error = copied ? cell_copy(&to->cell, &stored->cell) : -ENOMEM;
    if (error < 0)
        release_cell(to);
    return error;
}

static int add_cell(void *context, const struct stored_cell *stored)
{
    struct replay *replay = context;
    struct replayed_cell *grown = realloc(replay->cells, (replay->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    replay->cells = grown;
    int error = copy_cell(&grown[replay->count], stored);
    replay->count += error == 0;
    return error;
}

static int replay_open(struct replay *replay, struct store *store, struct failure *failure)
{
    *replay = (struct replay){.store = store};
    int error = store_each_cell(store, add_cell, replay, failure);
    return error == -ENOMEM ? fail_with(failure, error, "out of memory") : error;
}

static void replay_close(struct replay *replay)
{
    for (size_t i = 0; i < replay->count; i++)
        release_cell(&replay->cells[i]);
    free(replay->cells);
    *replay = (struct replay){0};
}

struct gathering {
    uint32_t counter;
    struct reading *readings;
    size_t count, capacity;
};

static int gather(void *context, const struct sample *sample)
{
    struct gathering *gathering = context;
    if (sample->counter != gathering->counter)
        return 0;
    if (gathering->count == gathering->capacity) {
        size_t capacity = gathering->capacity ? 2 * gathering->capacity : 128;
        struct reading *grown = realloc(gathering->readings, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        gathering->readings = grown;
        gathering->capacity = capacity;
    }
    gathering->readings[gathering->count++] = (struct reading){.value = sample->value,
                                                               .enabled = sample->enabled,
                                                               .running = sample->running,
                                                               .account = sample->account};
    return 0;
}

/* The runs of one counter in the order they ran; the caller frees *readings. */
static int replay_readings(const struct replay *replay, const struct replayed_cell *cell,
                           uint32_t counter, struct reading **readings, size_t *count,
                           struct failure *failure)
{
    struct gathering gathering = {.counter = counter};
    int error = store_each_sample(replay->store, cell->cell.id, gather, &gathering, failure);
    if (error < 0) {
        free(gathering.readings);
        return error == -ENOMEM ? fail_with(failure, error, "out of memory") : error;
    }
    *readings = gathering.readings;
    *count = gathering.count;
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

/* Adds what the null cell says, if there is one and it ran. */
static int add_overhead(const struct replay *replay, const struct replayed_cell *cell,
                        uint32_t counter, struct expectation *expected, struct failure *failure)
{
    const struct replayed_cell *null = overhead_cell(replay, cell);
    if (!null)
        return 0;
    AUTO_FREE struct reading *readings = NULL;
    size_t count = 0;
    int error = replay_readings(replay, null, counter, &readings, &count, failure);
    if (error < 0)
        return error;
    struct expectation nothing = expectation_of(null, counter);
    struct summary summary;
    if (measure_summarise(readings, count, &nothing, &summary) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    expectation_add_null(expected, &summary);
    return 0;
}

/* Judges them, with the overhead that the matching null cell shows. */
static int replay_judge(const struct replay *replay, const struct replayed_cell *cell,
                        uint32_t counter, const struct reading *readings, size_t count,
                        struct summary *summary, struct failure *failure)
{
    struct expectation expected = expectation_of(cell, counter);
    int error = add_overhead(replay, cell, counter, &expected, failure);
    if (error < 0)
        return error;
    if (measure_summarise(readings, count, &expected, summary) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Gathers the rows of a measurement from its store. */

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *pattern, ...)
{
    va_list arguments;
    va_start(arguments, pattern);
    char *text = NULL;
    if (vasprintf(&text, pattern, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return text;
}

static bool name_factors(struct row *row)
{
    const struct cell *cell = &row->cell->cell;
    char n[NUMBER_SIZE];
    number_count(cell->n, n, sizeof(n));
    char *names[ROW_FACTORS] = {strdup(cell->events[row->counter]),
                                strdup(cell->path),
                                strdup(pattern_names[cell->pattern]),
                                strdup(cell->specimen),
                                strdup(n),
                                format("%u%s", cell->counters, cell->separate ? " separate" : ""),
                                strdup(cell->opt),
                                strdup(cell->link)};
    memcpy(row->factors, names, sizeof(names));
    for (int i = 0; i < ROW_FACTORS; i++) {
        if (!names[i])
            return false;
    }
    return true;
}

static char *why_no_truth(const struct measuring *measuring, const struct replayed_cell *cell,
                          uint32_t counter)
{
    const char *class = cell->counters[counter].class, *specimen = cell->cell.specimen;
    if (!class && strstr(cell->cell.events[counter], "-raw/"))
        return format("it is what the tool itself sees, the repetitions of a repeated instruction "
                      "counted one by one; compare with %.*s/instructions/",
                      (int)strcspn(cell->cell.events[counter], "/"), cell->cell.events[counter]);
    if (!class)
        return strdup("what this event should count is not known");
    struct maybe known = predict_class(measuring->catalogue, class, specimen, cell->cell.n, NULL);
    if (known.known && !event_counts_user_only(cell->cell.events[counter]))
        return format("the specimen %s predicts %s of user mode alone: count with :u", specimen,
                      class);
    return format("the specimen %s does not predict %s", specimen, class);
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

/* Sets the runs against the limits of a bounded truth. */
static int judge_limits(const struct rows *rows, struct row *row, const struct reading *readings,
                        size_t count)
{
    struct counted_event event = event_of(rows->measuring, row->cell, row->counter);
    const char *why = "";
    struct limits limits = predict_limits(rows->measuring->catalogue, &event,
                                          row->cell->cell.specimen, row->cell->cell.n, &why);
    measure_limit(readings, count, &limits, &row->summary);
    if (!limits.known)
        return 0;
    free(row->why_no_truth);
    row->why_no_truth = format("only limits are known: %s", why);
    return row->why_no_truth ? 0 : -ENOMEM;
}

/* The further counters of the row's event. */
static int judge_copies(const struct rows *rows, struct row *row, struct failure *failure)
{
    const struct cell *cell = &row->cell->cell;
    int error = 0;
    for (uint32_t i = row->counter + 1; i < cell->counters && error == 0; i++) {
        if (strcmp(cell->events[i], cell->events[row->counter]) != 0)
            continue;
        AUTO_FREE struct reading *readings = NULL;
        size_t count = 0;
        struct summary summary;
        error = replay_readings(&rows->replay, row->cell, i, &readings, &count, failure);
        if (error == 0)
            error = replay_judge(&rows->replay, row->cell, i, readings, count, &summary, failure);
        if (error == 0)
            copies_add(&row->copies, &summary);
    }
    return error;
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
static int row_distribution(const struct reading *readings, size_t count,
                            struct distribution *distribution)
{
    AUTO_FREE double *values = calloc(count + 1, sizeof(*values));
    size_t counted = 0;
    for (size_t i = 0; values && i < count; i++) {
        uint64_t value;
        if (reading_value(&readings[i], &value))
            values[counted++] = (double)value;
    }
    return values ? distribution_of(values, counted, distribution) : -ENOMEM;
}

static int add_row(struct rows *rows, const struct replayed_cell *cell, uint32_t counter,
                   struct failure *failure)
{
    AUTO_FREE struct reading *readings = NULL;
    size_t count = 0;
    struct row *grown = realloc(rows->list, (rows->count + 1) * sizeof(*grown));
    if (!grown)
        return fail_with(failure, -ENOMEM, "out of memory");
    rows->list = grown;
    struct row *row = &grown[rows->count++];
    *row = (struct row){.cell = cell, .counter = counter};
    row->why_no_truth = why_no_truth(rows->measuring, cell, counter);
    if (!name_factors(row) || !row->why_no_truth)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = replay_readings(&rows->replay, cell, counter, &readings, &count, failure);
    if (error == 0)
        error = replay_judge(&rows->replay, cell, counter, readings, count, &row->summary, failure);
    if (error == 0 && judge_limits(rows, row, readings, count) < 0)
        error = fail_with(failure, -ENOMEM, "out of memory");
    if (error == 0)
        error = judge_copies(rows, row, failure);
    if (error == 0 && rows->results)
        json_array_append_new(rows->results, row_json(row, readings, count));
    if (error == 0 && rows->distributions && row->summary.judged &&
        row_distribution(readings, count, &row->distribution) < 0)
        error = fail_with(failure, -ENOMEM, "out of memory");
    return error;
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

static int skip_cell(struct rows *rows, const struct replayed_cell *cell)
{
    const struct cell *factors = &cell->cell;
    AUTO_FREE char *what =
        path_is_to_blame(&rows->replay, cell)
            ? format("%s by %s", factors->events[0], factors->path)
            : format("%s by %s, %s, specimen %s, N = %" PRIu64 ", %u counters, %s, %s",
                     factors->events[0], factors->path, pattern_names[factors->pattern],
                     factors->specimen, factors->n, factors->counters, factors->opt, factors->link);
    return what ? skips_add(&rows->measuring->skips, what, reason_of(cell), cell->error) : -ENOMEM;
}

static int judge_cells(struct rows *rows, struct failure *failure)
{
    bool only_overhead = true;
    for (size_t i = 0; i < rows->replay.count; i++)
        only_overhead &= plan_is_overhead_cell(&rows->replay.cells[i].cell);
    int error = 0;
    for (size_t i = 0; i < rows->replay.count && error == 0; i++) {
        const struct replayed_cell *cell = &rows->replay.cells[i];
        if (cell->done < cell->processes && skip_cell(rows, cell) < 0)
            error = fail_with(failure, -ENOMEM, "out of memory");
        if (!cell->done || (plan_is_overhead_cell(&cell->cell) && !only_overhead))
            continue;
        for (uint32_t counter = 0; counter < cell->cell.counters && error == 0; counter++) {
            if (!is_copy(&cell->cell, counter))
                error = add_row(rows, cell, counter, failure);
        }
    }
    return error;
}

int rows_gather(struct rows *rows, struct failure *failure)
{
    int error = replay_open(&rows->replay, rows->measuring->store, failure);
    return error < 0 ? error : judge_cells(rows, failure);
}

void rows_release(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        for (int j = 0; j < ROW_FACTORS; j++)
            free(rows->list[i].factors[j]);
        free(rows->list[i].why_no_truth);
        json_decref(rows->list[i].distribution.density);
        json_decref(rows->list[i].distribution.samples);
    }
    free(rows->list);
    json_decref(rows->results);
    replay_close(&rows->replay);
}
