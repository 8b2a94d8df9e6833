/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the samples of a store to the rows of a measurement, cell by cell: the samples of one alone
 * are in memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "output/table.h"
#include "studies/measure/study.h"

/* The runs of one counter in the order they ran. */
struct readings {
    struct reading *list;
    size_t count;
};

struct load {
    struct measuring *run;
    bool nulls;   /* what null cells show is read first, because of the others it is expected */
    size_t cells; /* that were offered */
    bool only_overhead;
    size_t place;                                /* of the cell under way; READ_NOT: none yet */
    struct readings readings[CELL_MAX_COUNTERS]; /* of that */
};

/* ----------------------------------------------------------------------------------------------
 * What is expected of a cell. */

/* What the null cell of its way shows; NULL: there is none, or it did not run. */
static const struct summary *overhead_of(const struct measuring *run,
                                         const struct stored_cell *cell)
{
    for (size_t i = 0; i < run->measured_count; i++)
        if (run->overheads[i] && &run->measured[i] != cell &&
            plan_same_way(&run->measured[i].cell, &cell->cell))
            return run->overheads[i];
    return NULL;
}

/* Of a null cell's account nothing is expected: what most runs show is the way's own. nulls: what
 * the matching null cell shows. */
static void judge(const struct load *load, const struct stored_cell *cell, uint32_t counter,
                  const struct summary *nulls, struct summary *summary)
{
    const struct readings *readings = &load->readings[counter];
    const struct stored_counter *known = &cell->counters[counter];
    struct expectation expected = {.truth = {known->has_truth, known->truth}};
    if (!plan_is_overhead_cell(&cell->cell)) {
        expected.faults = (struct maybe){cell->has_faults, cell->faults};
        expected.switches = (struct maybe){cell->has_switches, cell->switches};
    }
    if (nulls)
        expectation_add_null(&expected, &nulls[counter]);
    measure_summarise(readings->list, readings->count, &expected, summary);
}

/* ----------------------------------------------------------------------------------------------
 * Rows. */

static char *why_no_truth(const struct measuring *run, const struct stored_cell *cell,
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
    struct maybe known =
        predict_class(run->studying.catalogue, class, specimen, cell->cell.n, NULL);
    if (known.known && !event_counts_user_only(cell->cell.events[counter]))
        return memory_format("the specimen %s predicts %s of user mode alone: count with :u",
                             specimen, class);
    return memory_format("the specimen %s does not predict %s", specimen, class);
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
static void add_row(struct load *load, const struct stored_cell *cell, uint32_t counter,
                    const struct summary *nulls)
{
    struct measuring *run = load->run;
    struct readings *readings = &load->readings[counter];
    struct row *row = memory_add(run->rows, run->row_count);
    const struct cell *asked = &cell->cell;
    char n[NUMBER_SIZE];
    number_count(asked->n, n, sizeof(n));
    *row = (struct row){
        .cell = cell,
        .counter = counter,
        .factors = {asked->events[counter], asked->path, memory_copy(pattern_names[asked->pattern]),
                    asked->specimen, memory_copy(n),
                    memory_format("%u%s", asked->counters, asked->separate ? " separate" : ""),
                    asked->opt, asked->link},
        .why_no_truth = why_no_truth(run, cell, counter)};
    judge(load, cell, counter, nulls, &row->summary);
    /* The limits of a bounded truth. Of an event that nobody knows the least is said, as of a
     * processor's. */
    static char kind[] = "hardware";
    char *name = asked->events[counter];
    const struct counted_event unknown = {name, kind, cell->counters[counter].class};
    const struct counted_event *event = measure_event(run, name);
    const char *why = "";
    struct limits limits = predict_limits(run->studying.catalogue, event ? event : &unknown,
                                          asked->specimen, asked->n, &why);
    measure_limit(readings->list, readings->count, &limits, &row->summary);
    if (limits.known)
        row->why_no_truth = memory_format("only limits are known: %s", why);
    /* The further counters of the event. */
    for (uint32_t i = counter + 1; i < asked->counters; i++) {
        struct summary summary;
        if (strcmp(asked->events[i], name) != 0)
            continue;
        judge(load, cell, i, nulls, &summary);
        copies_add(&row->copies, &summary);
    }
    if (run->studying.given->common.retold && row->summary.judged)
        row_distribution(readings, &row->distribution);
    if (finish_is_for_programs(&run->studying.given->common)) {
        row->readings = readings->list;
        row->reading_count = readings->count;
        *readings = (struct readings){0};
    }
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

static const char *reason_of(const struct stored_cell *cell)
{
    if (cell->reason)
        return cell->reason;
    if (cell->done + cell->failed == cell->processes)
        return "no reason was given";
    return cell->done ? "incomplete: measuring ended before all of its processes had their turn"
                      : "measuring ended before it had its turn";
}

/* Did every cell with this event and path fail in the same words? Then they are one line. */
static bool path_is_to_blame(const struct measuring *run, const struct stored_cell *cell)
{
    for (size_t i = 0; i < run->measured_count; i++) {
        const struct stored_cell *other = &run->measured[i];
        if (strcmp(other->cell.path, cell->cell.path) == 0 &&
            strcmp(other->cell.events[0], cell->cell.events[0]) == 0 &&
            (other->done || strcmp(reason_of(other), reason_of(cell)) != 0))
            return false;
    }
    return true;
}

static void skip_cell(struct measuring *run, const struct stored_cell *cell)
{
    const struct cell *factors = &cell->cell;
    const char *what =
        path_is_to_blame(run, cell)
            ? memory_format("%s by %s", factors->events[0], factors->path)
            : memory_format("%s by %s, %s, specimen %s, N = %" PRIu64 ", %u counters, %s, %s",
                            factors->events[0], factors->path, pattern_names[factors->pattern],
                            factors->specimen, factors->n, factors->counters, factors->opt,
                            factors->link);
    skips_add(&run->studying.skips, what, reason_of(cell), cell->error);
}

/* ----------------------------------------------------------------------------------------------
 * What the reader hands over: all cells, then the samples of those that are wanted. */

static void add_cell(struct measuring *run, const struct stored_cell *stored)
{
    size_t at = run->measured_count;
    *memory_add(run->overheads, at) = NULL;
    struct stored_cell *to = memory_add(run->measured, run->measured_count);
    *to = *stored;
    to->cell = plan_copy(&stored->cell);
    to->reason = memory_copy(stored->reason);
    for (uint32_t i = 0; i < stored->cell.counters; i++) {
        to->counters[i].class = memory_copy(stored->counters[i].class);
        to->counters[i].grade = memory_copy(stored->counters[i].grade);
    }
    /* Of a run that has not finished the store has as many visits as had their turn. */
    if (to->processes < run->processes)
        to->processes = run->processes;
}

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct load *load = context;
    const bool null = plan_is_overhead_cell(&stored->cell);
    const size_t cell = load->cells++;
    if (load->nulls) {
        add_cell(load->run, stored);
        load->only_overhead &= null;
    }
    if (load->nulls ? null : !null || load->only_overhead)
        *place = cell;
    return 0;
}

static void end_cell(struct load *load)
{
    if (load->place == READ_NOT)
        return;
    const struct stored_cell *cell = &load->run->measured[load->place];
    const uint32_t counters = cell->cell.counters;
    const struct summary *nulls = load->nulls ? NULL : overhead_of(load->run, cell);
    struct summary *overheads = load->nulls ? memory_new(counters, sizeof(*overheads)) : NULL;
    for (uint32_t i = 0; i < counters; i++)
        if (load->nulls)
            judge(load, cell, i, NULL, &overheads[i]);
        else if (!is_copy(&cell->cell, i))
            add_row(load, cell, i, nulls);
    if (load->nulls)
        load->run->overheads[load->place] = overheads;
    for (uint32_t i = 0; i < counters; i++) {
        memory_give_back(load->readings[i].list);
        load->readings[i] = (struct readings){0};
    }
    load->place = READ_NOT;
}

static int begin_process(void *context, size_t place, uint32_t process)
{
    struct load *load = context;
    (void)process;
    if (place != load->place)
        end_cell(load);
    load->place = place;
    return 0;
}

static int take_run(void *context, const struct read_run *run)
{
    struct load *load = context;
    for (uint32_t i = 0; i < run->counters; i++) {
        struct readings *to = &load->readings[i];
        *memory_add(to->list, to->count) =
            (struct reading){run->values[i], run->enabled[i], run->running[i], run->account};
    }
    return 0;
}

static int read_cells(struct load *load, struct store *store, struct failure *failure)
{
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = load,
                            .cell = take_cell,
                            .begin = begin_process,
                            .run = take_run,
                            .by_cell = true,
                            .strict = true};
    load->cells = 0;
    load->place = READ_NOT;
    int error = reader_read(&reader);
    end_cell(load);
    return error;
}

int measure_load(void *kept, struct store *store, struct failure *failure)
{
    struct measuring *run = kept;
    struct load load = {.run = run, .nulls = true, .only_overhead = true};
    int error = read_cells(&load, store, failure);
    for (size_t i = 0; i < run->measured_count; i++)
        if (run->measured[i].done < run->measured[i].processes)
            skip_cell(run, &run->measured[i]);
    load.nulls = false;
    return error == 0 ? read_cells(&load, store, failure) : error;
}

bool rows_vary(const struct measuring *run, int factor)
{
    for (size_t i = 1; i < run->row_count; i++)
        if (strcmp(run->rows[i].factors[factor], run->rows[0].factors[factor]) != 0)
            return true;
    return false;
}
