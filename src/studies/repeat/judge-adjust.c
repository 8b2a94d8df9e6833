/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts less what the operating system added, and what is left of them beside the truth: of a
 * program of known length that, of any other what a source counted that executed the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Lays what runs count too many beside faults and interrupts, and draws the plane through it. */

const char *const disturbance_names[DISTURBANCES] = {"page-fault", "interrupt"};

/* Of what rounding to whole numbers leaves: 1 / sqrt(12). */
#define ROUNDING_STDEV 0.28867513459481287

/* One run. */
struct surplus {
    double events; /* counted, less what is known of its program or of its cell */
    double by[DISTURBANCES];
    size_t group; /* what all runs of a group have in common is no contribution of either */
};
struct surplus_list {
    struct surplus *list;
    size_t count, groups;
};

/* events = of its group + each · faults + each · interrupts, by least squares. Counts are whole
 * numbers: where runs scatter less than rounding would make them, the interval is that of rounding,
 * so that an exact 0 is no more certain than so many runs make it. */
struct surplus_fit {
    bool known[DISTURBANCES]; /* false: it did not vary, or there are too few runs */
    double each[DISTURBANCES], low[DISTURBANCES], high[DISTURBANCES];
    double residual; /* standard deviation that is left */
};

/* with_interrupts: else they take no part. */
static struct surplus_fit surplus_fit(const struct surplus_list *list, bool with_interrupts)
{
    const size_t disturbances = with_interrupts ? 2 : 1, width = list->groups + disturbances;
    struct surplus_fit fit = {0};
    if (list->count <= width)
        return fit;
    AUTO_MEMORY double *columns = memory_new(list->count * width, sizeof(*columns));
    double *events = memory_new(list->count, sizeof(*events));
    struct coefficient *found = memory_new(width, sizeof(*found));
    struct coefficient *errors = memory_new(width, sizeof(*errors));
    struct design design = {.columns = columns, .rows = list->count, .width = width, .y = events};
    struct least_squares least, unit;
    for (size_t row = 0; row < list->count; row++) {
        const struct surplus *surplus = &list->list[row];
        columns[row * width + surplus->group] = 1;
        for (size_t i = 0; i < disturbances; i++)
            columns[row * width + list->groups + i] = surplus->by[i];
        events[row] = surplus->events;
    }
    if (least_squares(&design, true, &least, found, NULL) < 0 || !least.df)
        return fit;
    /* Errors of coefficients for a residual standard deviation of 1, from numbers that no plane
     * goes through: how an error follows from the spread does not depend on what was counted, and
     * where that has no spread these tell it. */
    uint32_t state = 1;
    for (size_t i = 0; i < list->count; i++) {
        state = state * 1664525u + 1013904223u;
        events[i] = (double)(state >> 16);
    }
    if (least_squares(&design, true, &unit, errors, NULL) < 0)
        return fit;
    const double spread = fmax(least.residual_stdev, ROUNDING_STDEV);
    const double times = t_quantile(.975, (double)least.df) * spread;
    fit.residual = least.residual_stdev;
    for (size_t i = 0; i < disturbances; i++) {
        const struct coefficient *by = &found[list->groups + i];
        const double half = times * (errors[list->groups + i].error / unit.residual_stdev);
        fit.known[i] = !by->aliased && isfinite(half);
        fit.each[i] = by->value;
        fit.low[i] = by->value - half;
        fit.high[i] = by->value + half;
    }
    return fit;
}

const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance)
{
    for (size_t i = 0; i < report->contribution_count; i++) {
        const struct repeat_contribution *contribution = &report->contributions[i];
        if (contribution->known && contribution->machine == machine &&
            strcmp(contribution->event, event) == 0 && contribution->of == disturbance)
            return contribution;
    }
    return NULL;
}

/* Of what a page fault or an interrupt adds, what is certain to be there: 0 where the interval
 * holds 0, or where it may be what programs do themselves. */
static double contribution_certain(const struct repeat_contribution *contribution)
{
    const bool certain = contribution->low > 0 || contribution->high < 0;
    return certain && contribution->firm ? contribution->each : 0;
}

/* Faults or interrupts of a run; false: they were not told. */
static bool run_disturbances(const struct repeat_run *run, enum disturbance disturbance,
                             double *number)
{
    if (disturbance == DISTURBANCE_INTERRUPT) {
        *number = (double)run->interrupts;
        return run->has_interrupts;
    }
    *number = (double)run->account.minor_faults + (double)run->account.major_faults;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * What a page fault and an interrupt add to a count: from programs whose instructions are known,
 * and where none of them was counted, from what varies with either in programs that are otherwise
 * held constant. */

/* Classes whose events a program decides alone, so that more of them came from elsewhere. */
static const char decided[] = "instructions branches cond-branches loads stores calls returns";

/* An event of a machine, and how its contributions are looked for. */
struct asked {
    const struct repeat_case *file;
    size_t machine;
    const char *event;
    bool by_truth;     /* else what is common to a cell is taken away */
    bool interrupts;   /* only runs that tell them */
    uint32_t controls; /* without a truth only cells with these */
};

static bool counts_by_hardware(const struct repeat_cell *cell, size_t machine, const char *event)
{
    return cell->at.machine == machine && strcmp(cell->source, "perf_event") == 0 &&
           cell->detail == DETAIL_NONE && repeat_event(cell, event) >= 0;
}

/* Opcodes that are counted twice would be taken for faults. */
static bool is_of_use(const struct asked *asked, const struct repeat_cell *cell)
{
    const struct repeat_program *program = &asked->file->programs[cell->at.program];
    if (!counts_by_hardware(cell, asked->machine, asked->event) ||
        repeat_program_shows(program, "M2"))
        return false;
    if (asked->by_truth)
        return program->has_truth;
    return cell->controls == asked->controls && cell->sweep == SWEEP_NONE;
}

static void gather_cell(const struct asked *asked, const struct repeat_cell *cell,
                        struct surplus_list *list)
{
    const struct kept kept = kept_counts(cell, (uint32_t)repeat_event(cell, asked->event));
    const int64_t truth = asked->by_truth ? asked->file->programs[cell->at.program].truth : 0;
    const double level = asked->by_truth ? (double)(int64_t)(kept.base - (uint64_t)truth) : 0;
    const size_t group = asked->by_truth ? 0 : list->groups;
    for (size_t i = 0; i < kept.count; i++) {
        const struct repeat_run *run = &cell->list[kept.runs[i]];
        struct surplus surplus = {.events = kept.values[i] + level, .group = group};
        run_disturbances(run, DISTURBANCE_FAULT, &surplus.by[DISTURBANCE_FAULT]);
        if ((!run_disturbances(run, DISTURBANCE_INTERRUPT, &surplus.by[DISTURBANCE_INTERRUPT]) &&
             asked->interrupts) ||
            run->tasks > 1)
            continue;
        *memory_add(list->list, list->count) = surplus;
        list->groups = group + 1;
    }
}

/* Did sources that count nothing but the program find the same in every run of this setting? */
static bool is_constant(const struct asked *asked, const struct repeat_cell *cell)
{
    bool seen = false;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *other = &asked->file->cells[i];
        if (!is_same_place(&other->at, &cell->at) || other->controls != cell->controls ||
            other->sweep != SWEEP_NONE || strcmp(other->source, "perf_event") == 0)
            continue;
        for (uint32_t event = 0; event < other->events; event++) {
            if (!counts_instructions(other, event))
                continue;
            const struct kept kept = kept_counts(other, event);
            if (kept_distinct(&kept) > 1)
                return false;
            seen |= kept.count > 1;
        }
    }
    return seen;
}

static struct repeat_contribution *add(struct repeat_report *report, size_t machine,
                                       const char *event, enum disturbance disturbance)
{
    struct repeat_contribution *added =
        memory_add(report->contributions, report->contribution_count);
    *added = (struct repeat_contribution){.machine = machine,
                                          .event = event,
                                          .of = disturbance,
                                          .each = (double)NAN,
                                          .low = (double)NAN,
                                          .high = (double)NAN,
                                          .residual = (double)NAN};
    return added;
}

/* Fills those that this way of asking answers and that are not known yet. */
static void ask(const struct asked *asked, struct repeat_contribution *found)
{
    struct surplus_list list = {0};
    size_t programs = 0, last = SIZE_MAX;
    bool firm = true;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *cell = &asked->file->cells[i];
        const size_t before = list.count;
        if (!is_of_use(asked, cell))
            continue;
        gather_cell(asked, cell, &list);
        if (list.count == before)
            continue;
        firm &= asked->by_truth || is_constant(asked, cell);
        programs += cell->at.program != last;
        last = cell->at.program;
    }
    const struct surplus_fit fit = surplus_fit(&list, asked->interrupts);
    for (int i = 0; i < DISTURBANCES; i++) {
        if (!fit.known[i] || found[i].known)
            continue;
        found[i].known = true;
        found[i].each = fit.each[i];
        found[i].low = fit.low[i];
        found[i].high = fit.high[i];
        found[i].residual = fit.residual;
        found[i].runs = list.count;
        found[i].programs = programs;
        found[i].firm = firm;
    }
}

/* Truths first, with interrupts beside faults and then without; then programs, in the same way. */
static void judge_event(const struct repeat_case *file, size_t machine, const char *event,
                        struct repeat_report *report)
{
    struct asked asked = {.file = file, .machine = machine, .event = event};
    size_t runs = 0;
    bool told = false;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (!counts_by_hardware(cell, machine, event))
            continue;
        /* The setting under which most is controlled. */
        if (__builtin_popcount(cell->controls) > __builtin_popcount(asked.controls))
            asked.controls = cell->controls;
        for (size_t run = 0; run < cell->runs; run++, runs++)
            told |= cell->list[run].has_interrupts;
    }
    for (int i = 0; i < DISTURBANCES; i++)
        add(report, machine, event, (enum disturbance)i);
    struct repeat_contribution *found =
        &report->contributions[report->contribution_count - DISTURBANCES];
    for (int way = 0; way < 4; way++) {
        asked.by_truth = way < 2;
        asked.interrupts = way % 2 == 0;
        ask(&asked, found);
    }
    for (int i = 0; i < DISTURBANCES; i++)
        if (!found[i].known && i == DISTURBANCE_INTERRUPT && !told)
            SAY(&found[i].why, SAYS_UNTOLD);
        else if (!found[i].known)
            SAY(&found[i].why, SAYS_FEW_DIFFER, runs);
}

void repeat_judge_contributions(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t machine = 0; machine < file->machine_count; machine++) {
        const size_t before = report->contribution_count;
        for (size_t i = 0; i < file->cell_count; i++) {
            const struct repeat_cell *cell = &file->cells[i];
            for (uint32_t event = 0; event < cell->events; event++) {
                const char *name = cell->event[event];
                bool asks = counts_by_hardware(cell, machine, name) &&
                            has_word(decided, cell->class[event]);
                for (size_t j = before; j < report->contribution_count && asks; j++)
                    asks = strcmp(report->contributions[j].event, name) != 0;
                if (asks)
                    judge_event(file, machine, name, report);
            }
        }
        if (report->contribution_count > before)
            continue;
        /* Why the machine has no counter of instructions, where it was asked for one. */
        const char *reason = NULL;
        for (size_t i = 0; i < file->absence_count; i++)
            if (strncmp(file->absences[i].what, "instructions", strlen("instructions")) == 0)
                reason = file->absences[i].reason;
        for (int i = 0; i < DISTURBANCES; i++) {
            struct repeat_contribution *added =
                add(report, machine, "instructions:u", (enum disturbance)i);
            if (reason)
                SAY(&added->why, SAYS_ABSENT, reason);
            else
                SAY(&added->why, SAYS_NO_COUNTER);
        }
    }
}

/* ----------------------------------------------------------------------------------------------
 * The proper counter: events of one class by agreement with the truth, over programs that all of
 * them counted. A class with one event needs no choice. */

struct ranking {
    const struct repeat_case *file;
    const struct repeat_report *report;
    size_t machine;
    const char *class;
};

static const struct repeat_cell *cell_of(const struct ranking *ranking, size_t row)
{
    return ranking->report->rows[row].cell;
}

static bool is_of_class(const struct ranking *ranking, size_t row)
{
    const struct repeat_cell *cell = cell_of(ranking, row);
    return cell->at.machine == ranking->machine && cell->sweep == SWEEP_NONE &&
           ranking->report->rows[row].runs > 0 &&
           strcmp(cell->class[ranking->report->rows[row].event], ranking -> class) == 0;
}

/* The program's row of this event, or of any source (event NULL), that is most controlled. */
static const struct repeat_row *best_row(const struct ranking *ranking, size_t program,
                                         const char *event)
{
    const struct repeat_row *best = NULL;
    for (size_t i = 0; i < ranking->report->row_count; i++) {
        const struct repeat_row *row = &ranking->report->rows[i];
        const struct repeat_cell *cell = cell_of(ranking, i);
        const bool of_source = strcmp(cell->source, "perf_event") != 0;
        if (cell->at.program != program || !is_of_class(ranking, i) || of_source != !event ||
            (event && strcmp(cell->event[row->event], event) != 0))
            continue;
        if (!best || __builtin_popcount(cell->controls) > __builtin_popcount(best->cell->controls))
            best = row;
    }
    return best;
}

static int by_agreement(const void *left, const void *right)
{
    const struct repeat_rank *one = left;
    const struct repeat_rank *other = right;
    const double off = one->off_percent - other->off_percent;
    const double spread = one->stdev_percent - other->stdev_percent;
    if (fabs(off) > 0)
        return off > 0 ? 1 : -1;
    if (fabs(spread) > 0)
        return spread > 0 ? 1 : -1;
    return strcmp(one->event, other->event);
}

static void rank_class(const struct ranking *ranking, struct repeat_report *report)
{
    const size_t first = report->rank_count;
    /* The events of perf_event of this class. */
    for (size_t i = 0; i < report->row_count; i++) {
        const struct repeat_cell *cell = cell_of(ranking, i);
        const char *event = cell->event[report->rows[i].event];
        bool known = strcmp(cell->source, "perf_event") != 0 || !is_of_class(ranking, i);
        for (size_t j = first; j < report->rank_count && !known; j++)
            known = strcmp(report->ranks[j].event, event) == 0;
        if (known)
            continue;
        struct repeat_rank *rank = memory_add(report->ranks, report->rank_count);
        *rank = (struct repeat_rank){
            .machine = ranking->machine, .class = ranking->class, .event = event};
    }
    const size_t count = report->rank_count - first;
    if (count < 2) {
        report->rank_count = first;
        return;
    }
    struct repeat_rank *ranks = report->ranks + first;
    const struct repeat_row **rows = memory_new(count, sizeof(*rows));
    for (size_t program = 0; program < ranking->file->program_count; program++) {
        /* What the program should count, where anybody knows it. */
        const struct repeat_program *known = &ranking->file->programs[program];
        const bool told = known->has_truth && strcmp(ranking->class, "instructions") == 0;
        const struct repeat_row *exact = told ? NULL : best_row(ranking, program, NULL);
        const double truth = told ? (double)known->truth : exact ? exact->usual : (double)NAN;
        bool all = truth > 0;
        for (size_t i = 0; i < count && all; i++)
            all = (rows[i] = best_row(ranking, program, ranks[i].event));
        for (size_t i = 0; i < count && all; i++) {
            ranks[i].off_percent += 100 * fabs(rows[i]->usual - truth) / truth;
            ranks[i].stdev_percent += rows[i]->stdev > 0 ? 100 * rows[i]->stdev / truth : 0;
            ranks[i].programs++;
        }
    }
    if (!ranks[0].programs) {
        report->rank_count = first;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ranks[i].off_percent /= (double)ranks[i].programs;
        ranks[i].stdev_percent /= (double)ranks[i].programs;
    }
    qsort(ranks, count, sizeof(*ranks), by_agreement);
    for (size_t i = 0; i < count; i++)
        ranks[i].place = (uint32_t)i + 1;
}

void repeat_rank_events(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t row = 0; row < report->row_count; row++) {
        const struct repeat_cell *cell = report->rows[row].cell;
        const struct ranking ranking = {file, report, cell->at.machine,
                                        cell->class[report->rows[row].event]};
        /* The first row of this class on this machine speaks for all. */
        bool first = ranking.class[0] && is_of_class(&ranking, row);
        for (size_t i = 0; i < row && first; i++)
            first = !is_of_class(&ranking, i);
        if (first)
            rank_class(&ranking, report);
    }
}

/* --- and what is left --- */

struct adjusting {
    const struct repeat_case *file;
    struct repeat_report *report;
    struct repeat_row *row;
    const struct repeat_cell *cell;
    const struct repeat_contribution *by[DISTURBANCES];
};

/* The truth of the program, or the mean of a source that counted the same setting exactly; false:
 * nobody knows. */
static bool reference_of(const struct adjusting *adjusting, double *reference, double *doubt)
{
    static const char *const sources[] = {"step", "qemu", "valgrind"};
    const struct repeat_cell *cell = adjusting->cell;
    const struct repeat_program *program = &adjusting->file->programs[cell->at.program];
    *doubt = 0;
    *reference = (double)program->truth;
    if (program->has_truth)
        return true;
    for (size_t source = 0; source < sizeof(sources) / sizeof(*sources); source++)
        for (size_t i = 0; i < adjusting->report->row_count; i++) {
            const struct repeat_row *row = &adjusting->report->rows[i];
            const struct repeat_cell *other = row->cell;
            if (!is_same_place(&other->at, &cell->at) || other->controls != cell->controls ||
                other->sweep != cell->sweep || other->swept != cell->swept ||
                strcmp(other->source, sources[source]) != 0 ||
                !counts_instructions(other, row->event) || row->runs < 2)
                continue;
            *reference = row->mean;
            *doubt = t_quantile(.975, (double)row->runs - 1) * row->stdev / sqrt((double)row->runs);
            return true;
        }
    return false;
}

static void adjust_row(const struct adjusting *adjusting)
{
    struct repeat_row *row = adjusting->row;
    const struct kept kept = kept_counts(adjusting->cell, row->event);
    double *surplus = memory_new(kept.count, sizeof(*surplus)), squares = 0, reference, doubt;
    if (!kept.count)
        return;
    for (int i = 0; i < DISTURBANCES; i++) {
        const struct repeat_contribution *by = adjusting->by[i];
        const double certain = by ? contribution_certain(by) : 0;
        double sum = 0, number;
        for (size_t run = 0; run < kept.count; run++)
            if (run_disturbances(&adjusting->cell->list[kept.runs[run]], (enum disturbance)i,
                                 &number)) {
                sum += number;
                surplus[run] += certain * number;
            }
        /* Half of the interval that the contributions leave open, over the runs of the row. */
        if (by && certain != 0)
            squares += pow((by->high - by->low) / 2 * sum / (double)kept.count, 2);
    }
    for (size_t run = 0; run < kept.count; run++)
        kept.values[run] -= surplus[run];
    const struct moments moments = moments_of(kept.values, kept.count);
    row->is_adjusted = true;
    row->adjusted_mean = (double)kept.base + moments.mean;
    row->adjusted_stdev = kept.count > 1 ? moments.stdev : (double)NAN;
    row->adjusted_cv_percent =
        row->adjusted_mean > 0 ? 100 * row->adjusted_stdev / row->adjusted_mean : (double)NAN;
    if (!counts_instructions(adjusting->cell, row->event) ||
        !reference_of(adjusting, &reference, &doubt))
        return;
    row->residual = row->adjusted_mean - reference;
    const double spread = fmax(row->adjusted_stdev, ROUNDING_STDEV) / sqrt((double)row->runs);
    const double half = row->runs > 1 ? t_quantile(.975, (double)row->runs - 1) * spread : INFINITY;
    const double open = sqrt(squares);
    const double whole = sqrt(half * half + doubt * doubt + pow(open, 2));
    row->residual_low = row->residual - whole;
    row->residual_high = row->residual + whole;
}

void repeat_adjust(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        struct adjusting adjusting = {.file = file, .report = report, .row = &report->rows[i]};
        adjusting.cell = adjusting.row->cell;
        const char *event = adjusting.cell->event[adjusting.row->event];
        for (int j = 0; j < DISTURBANCES; j++)
            adjusting.by[j] =
                contribution_of(report, adjusting.cell->at.machine, event, (enum disturbance)j);
        if (adjusting.by[DISTURBANCE_FAULT] || adjusting.by[DISTURBANCE_INTERRUPT])
            adjust_row(&adjusting);
    }
}
