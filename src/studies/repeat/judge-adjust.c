/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts less what the operating system added, and what is left of them beside the truth: of a
 * program of known length that, of any other what a source counted that executed the same. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/findings.h"
#include "stats/interval.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
#include "studies/repeat/judge.h"
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

/* -ENOMEM */
static int surplus_add(struct surplus_list *list, const struct surplus *surplus)
{
    if ((list->count & (list->count - 1)) == 0) { /* full at powers of two */
        const size_t room = list->count ? 2 * list->count : 1;
        struct surplus *larger = realloc(list->list, room * sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        list->list = larger;
    }
    list->list[list->count++] = *surplus;
    if (surplus->group >= list->groups)
        list->groups = surplus->group + 1;
    return 0;
}

static void surplus_release(struct surplus_list *list)
{
    free(list->list);
    *list = (struct surplus_list){0};
}

#define AUTO_SURPLUS __attribute__((cleanup(surplus_release)))

/* events = of its group + each · faults + each · interrupts, by least squares. Counts are whole
 * numbers: where runs scatter less than rounding would make them, the interval is that of rounding,
 * so that an exact 0 is no more certain than so many runs make it. */
struct surplus_fit {
    bool known[DISTURBANCES]; /* false: it did not vary, or there are too few runs */
    double each[DISTURBANCES], low[DISTURBANCES], high[DISTURBANCES];
    double residual; /* standard deviation that is left */
};

static void lay_out(const struct surplus_list *list, size_t disturbances, double *columns,
                    double *events)
{
    const size_t width = list->groups + disturbances;
    for (size_t row = 0; row < list->count; row++) {
        const struct surplus *surplus = &list->list[row];
        columns[row * width + surplus->group] = 1;
        for (size_t i = 0; i < disturbances; i++)
            columns[row * width + list->groups + i] = surplus->by[i];
        events[row] = surplus->events;
    }
}

/* Numbers that no plane goes through: how an error follows from the spread does not depend on what
 * was counted, and where that has no spread these tell it. */
static void scatter(double *events, size_t count)
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        events[i] = (double)(state >> 16);
    }
}

/* Errors of coefficients for a residual standard deviation of 1. */
static int unit_errors(struct design *design, double *events, struct coefficient *errors)
{
    struct least_squares fit;
    scatter(events, design->rows);
    const int error = least_squares(design, true, &fit, errors, NULL);
    for (size_t i = 0; i < design->width && !error; i++)
        errors[i].error /= fit.residual_stdev;
    return error;
}

static void take(const struct surplus_list *list, size_t disturbances,
                 const struct least_squares *least, const struct coefficient *coefficients,
                 const struct coefficient *errors, struct surplus_fit *fit)
{
    const double spread = fmax(least->residual_stdev, ROUNDING_STDEV);
    const double quantile = t_quantile(.975, (double)least->df);
    fit->residual = least->residual_stdev;
    for (size_t i = 0; i < disturbances; i++) {
        const struct coefficient *found = &coefficients[list->groups + i];
        const double half = quantile * spread * errors[list->groups + i].error;
        fit->known[i] = !found->aliased && isfinite(half);
        fit->each[i] = found->value;
        fit->low[i] = found->value - half;
        fit->high[i] = found->value + half;
    }
}

/* with_interrupts: else they take no part. -ENOMEM. */
static int surplus_fit(const struct surplus_list *list, bool with_interrupts,
                       struct surplus_fit *fit)
{
    const size_t disturbances = with_interrupts ? 2 : 1, width = list->groups + disturbances;
    *fit = (struct surplus_fit){0};
    if (list->count <= width)
        return 0;
    AUTO_FREE double *columns = calloc(list->count * width, sizeof(*columns));
    AUTO_FREE double *events = calloc(list->count, sizeof(*events));
    AUTO_FREE struct coefficient *found = calloc(2 * width, sizeof(*found));
    if (!columns || !events || !found)
        return -ENOMEM;
    struct design design = {.columns = columns, .rows = list->count, .width = width, .y = events};
    struct least_squares least;
    lay_out(list, disturbances, columns, events);
    int error = least_squares(&design, true, &least, found, NULL);
    if (!error && least.df > 0)
        error = unit_errors(&design, events, found + width);
    if (error)
        return error == -ENOMEM ? error : 0;
    if (least.df > 0)
        take(list, disturbances, &least, found, found + width, fit);
    return 0;
}

const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance)
{
    for (size_t i = 0; i < report->contribution_count; i++) {
        const struct repeat_contribution *contribution = &report->contributions[i];
        if (contribution->known && contribution->machine == machine &&
            strcmp(contribution->event, event) == 0 &&
            strcmp(contribution->of, disturbance_names[disturbance]) == 0)
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
static const char *const decided[] = {"instructions", "branches", "cond-branches", "loads",
                                      "stores",       "calls",    "returns",       NULL};

static bool is_decided(const char *class)
{
    for (const char *const *at = decided; *at; at++)
        if (strcmp(*at, class) == 0)
            return true;
    return false;
}

/* An event of a machine, and how its contributions are looked for. */
struct asked {
    const struct repeat_case *file;
    size_t machine;
    const char *event;
    bool by_truth;     /* else what is common to a cell is taken away */
    bool interrupts;   /* only runs that tell them */
    uint32_t controls; /* without a truth only cells with these */
};

static bool has_hardware_event(const struct repeat_cell *cell, const char *event)
{
    return strcmp(cell->source, "perf_event") == 0 && cell->detail == DETAIL_NONE &&
           repeat_event(cell, event) >= 0;
}

/* Opcodes that are counted twice would be taken for faults. */
static bool is_of_use(const struct asked *asked, const struct repeat_cell *cell)
{
    const struct repeat_program *program = &asked->file->programs[cell->program];
    if (cell->machine != asked->machine || !has_hardware_event(cell, asked->event) ||
        repeat_program_shows(program, "M2"))
        return false;
    if (asked->by_truth)
        return program->has_truth;
    return cell->controls == asked->controls && cell->sweep == SWEEP_NONE;
}

static int gather_cell(const struct asked *asked, const struct repeat_cell *cell,
                       struct surplus_list *list)
{
    AUTO_KEPT struct kept kept;
    const int64_t truth = asked->by_truth ? asked->file->programs[cell->program].truth : 0;
    const size_t group = asked->by_truth ? 0 : list->groups;
    if (kept_counts(cell, (uint32_t)repeat_event(cell, asked->event), &kept) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++) {
        const struct repeat_run *run = &cell->list[kept.runs[i]];
        struct surplus surplus = {.group = group};
        const double level = asked->by_truth ? (double)((int64_t)kept.base - truth) : 0;
        surplus.events = kept.values[i] + level;
        run_disturbances(run, DISTURBANCE_FAULT, &surplus.by[DISTURBANCE_FAULT]);
        if (!run_disturbances(run, DISTURBANCE_INTERRUPT, &surplus.by[DISTURBANCE_INTERRUPT]) &&
            asked->interrupts)
            continue;
        if (run->tasks <= 1 && surplus_add(list, &surplus) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Did sources that count nothing but the program find the same in every run of this setting? */
static int is_constant(const struct asked *asked, const struct repeat_cell *cell, bool *constant)
{
    bool seen = false;
    *constant = true;
    for (size_t i = 0; i < asked->file->cell_count && *constant; i++) {
        const struct repeat_cell *other = &asked->file->cells[i];
        for (uint32_t event = 0; event < other->events; event++) {
            AUTO_KEPT struct kept kept = {0};
            if (other->machine != cell->machine || other->program != cell->program ||
                other->controls != cell->controls || other->sweep != SWEEP_NONE ||
                strcmp(other->source, "perf_event") == 0 || !counts_instructions(other, event))
                continue;
            if (kept_counts(other, event, &kept) < 0)
                return -ENOMEM;
            seen |= kept.count > 1;
            *constant &= kept_distinct(&kept) <= 1;
        }
    }
    *constant &= seen;
    return 0;
}

static int gather(const struct asked *asked, struct surplus_list *list, size_t *programs,
                  bool *firm)
{
    *firm = true;
    size_t last = SIZE_MAX;
    *programs = 0;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *cell = &asked->file->cells[i];
        const size_t before = list->count;
        bool constant = asked->by_truth;
        if (!is_of_use(asked, cell))
            continue;
        if (gather_cell(asked, cell, list) < 0 ||
            (!constant && is_constant(asked, cell, &constant) < 0))
            return -ENOMEM;
        *firm &= constant || list->count == before;
        if (list->count > before && cell->program != last) {
            last = cell->program;
            ++*programs;
        }
    }
    return 0;
}

/* The setting under which most is controlled. */
static uint32_t most_controlled(const struct repeat_case *file, size_t machine, const char *event)
{
    uint32_t most = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (cell->machine == machine && has_hardware_event(cell, event) &&
            __builtin_popcount(cell->controls) > __builtin_popcount(most))
            most = cell->controls;
    }
    return most;
}

static struct repeat_contribution *add(struct repeat_report *report, size_t machine,
                                       const char *event, enum disturbance disturbance)
{
    struct repeat_contribution *larger = realloc(
        report->contributions, (report->contribution_count + 1) * sizeof(*report->contributions));
    if (!larger)
        return NULL;
    report->contributions = larger;
    struct repeat_contribution *added = &larger[report->contribution_count++];
    *added = (struct repeat_contribution){.machine = machine,
                                          .each = (double)NAN,
                                          .low = (double)NAN,
                                          .high = (double)NAN,
                                          .residual = (double)NAN};
    snprintf(added->event, sizeof(added->event), "%s", event);
    snprintf(added->of, sizeof(added->of), "%s", disturbance_names[disturbance]);
    return added;
}

/* Fills those that this way of asking answers and that are not known yet. */
static int ask(const struct asked *asked, struct repeat_contribution *found)
{
    AUTO_SURPLUS struct surplus_list list = {0};
    struct surplus_fit fit;
    size_t programs;
    bool firm;
    if (gather(asked, &list, &programs, &firm) < 0 ||
        surplus_fit(&list, asked->interrupts, &fit) < 0)
        return -ENOMEM;
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
    return 0;
}

static void say_why(const struct asked *asked, enum disturbance disturbance, char *why, size_t size)
{
    bool told = false;
    size_t runs = 0;
    for (size_t i = 0; i < asked->file->cell_count; i++) {
        const struct repeat_cell *cell = &asked->file->cells[i];
        if (cell->machine != asked->machine || !has_hardware_event(cell, asked->event))
            continue;
        for (size_t run = 0; run < cell->runs; run++, runs++)
            told = told || cell->list[run].has_interrupts;
    }
    if (disturbance == DISTURBANCE_INTERRUPT && !told)
        snprintf(why, size,
                 "no run tells its interrupts: it was not pinned to a CPU, or "
                 "/proc/interrupts cannot be read there");
    else
        snprintf(why, size,
                 "of %zu runs too few differ in it, and no program of known length was counted "
                 "that does",
                 runs);
}

/* Truths first, with interrupts beside faults and then without; then programs, in the same way. */
static int judge_event(const struct repeat_case *file, size_t machine, const char *event,
                       struct repeat_report *report)
{
    const uint32_t controls = most_controlled(file, machine, event);
    const size_t first = report->contribution_count;
    struct asked asked = {file, machine, event, false, false, controls};
    for (int i = 0; i < DISTURBANCES; i++)
        if (!add(report, machine, event, (enum disturbance)i))
            return -ENOMEM;
    struct repeat_contribution *found = &report->contributions[first];
    for (int way = 0; way < 4; way++) {
        asked.by_truth = way < 2;
        asked.interrupts = way % 2 == 0;
        if (ask(&asked, found) < 0)
            return -ENOMEM;
    }
    for (int i = 0; i < DISTURBANCES; i++)
        if (!found[i].known)
            say_why(&asked, (enum disturbance)i, found[i].why, sizeof(found[i].why));
    return 0;
}

static bool is_judged(const struct repeat_report *report, size_t machine, const char *event)
{
    for (size_t i = 0; i < report->contribution_count; i++)
        if (report->contributions[i].machine == machine &&
            strcmp(report->contributions[i].event, event) == 0)
            return true;
    return false;
}

static int judge_machine(const struct repeat_case *file, size_t machine,
                         struct repeat_report *report)
{
    int error = 0;
    for (size_t i = 0; i < file->cell_count && !error; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        for (uint32_t event = 0; event < cell->events && !error; event++)
            if (cell->machine == machine && has_hardware_event(cell, cell->event[event]) &&
                is_decided(cell->class[event]) && !is_judged(report, machine, cell->event[event]))
                error = judge_event(file, machine, cell->event[event], report);
    }
    return error;
}

/* Why the machine has no counter of instructions, where it was asked for one. */
static int say_none(const struct repeat_case *file, size_t machine, struct repeat_report *report)
{
    static const char event[] = "instructions:u";
    const char *reason = "no counter of the CPU counted instructions";
    for (size_t i = 0; i < file->absence_count; i++)
        if (strncmp(file->absences[i].what, "instructions", strlen("instructions")) == 0)
            reason = file->absences[i].reason;
    for (int i = 0; i < DISTURBANCES; i++) {
        struct repeat_contribution *added = add(report, machine, event, (enum disturbance)i);
        if (!added)
            return -ENOMEM;
        snprintf(added->why, sizeof(added->why), "%.*s", reason_first_sentence(reason), reason);
    }
    return 0;
}

int repeat_judge_contributions(const struct repeat_case *file, struct repeat_report *report)
{
    int error = 0;
    for (size_t machine = 0; machine < file->machine_count && !error; machine++) {
        const size_t before = report->contribution_count;
        error = judge_machine(file, machine, report);
        if (!error && report->contribution_count == before)
            error = say_none(file, machine, report);
    }
    return error;
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
    return &ranking->file->cells[ranking->report->rows[row].cell];
}

static bool is_of_class(const struct ranking *ranking, size_t row)
{
    const struct repeat_cell *cell = cell_of(ranking, row);
    return cell->machine == ranking->machine && cell->sweep == SWEEP_NONE &&
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
        if (cell->program != program || !is_of_class(ranking, i) || of_source != !event ||
            (event && strcmp(cell->event[row->event], event) != 0))
            continue;
        if (!best || __builtin_popcount(cell->controls) >
                         __builtin_popcount(ranking->file->cells[best->cell].controls))
            best = row;
    }
    return best;
}

/* What the program should count; NaN: nobody knows. */
static double truth_of(const struct ranking *ranking, size_t program)
{
    const struct repeat_program *known = &ranking->file->programs[program];
    if (known->has_truth && strcmp(ranking->class, "instructions") == 0)
        return (double)known->truth;
    const struct repeat_row *row = best_row(ranking, program, NULL);
    return row ? row->usual : (double)NAN;
}

/* Names of the events of perf_event of this class; how many. */
static size_t events_of(const struct ranking *ranking, const char **events)
{
    size_t count = 0;
    for (size_t i = 0; i < ranking->report->row_count; i++) {
        const struct repeat_cell *cell = cell_of(ranking, i);
        const char *event = cell->event[ranking->report->rows[i].event];
        bool known = strcmp(cell->source, "perf_event") != 0 || !is_of_class(ranking, i);
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(events[j], event) == 0;
        if (!known)
            events[count++] = event;
    }
    return count;
}

static void add_program(const struct ranking *ranking, size_t program, double truth,
                        const char *const *events, size_t count, struct repeat_rank *ranks)
{
    for (size_t i = 0; i < count; i++)
        if (!best_row(ranking, program, events[i]))
            return;
    for (size_t i = 0; i < count; i++) {
        const struct repeat_row *row = best_row(ranking, program, events[i]);
        ranks[i].off_percent += 100 * fabs(row->usual - truth) / truth;
        ranks[i].stdev_percent += row->stdev > 0 ? 100 * row->stdev / truth : 0;
        ranks[i].programs++;
    }
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

static int rank_class(const struct ranking *ranking, const char **events,
                      struct repeat_report *report)
{
    const size_t count = events_of(ranking, events);
    if (count < 2)
        return 0;
    struct repeat_rank *larger =
        realloc(report->ranks, (report->rank_count + count) * sizeof(*larger));
    if (!larger)
        return -ENOMEM;
    report->ranks = larger;
    struct repeat_rank *ranks = &larger[report->rank_count];
    for (size_t i = 0; i < count; i++) {
        ranks[i] = (struct repeat_rank){.machine = ranking->machine};
        snprintf(ranks[i].class, sizeof(ranks[i].class), "%s", ranking->class);
        snprintf(ranks[i].event, sizeof(ranks[i].event), "%s", events[i]);
    }
    for (size_t program = 0; program < ranking->file->program_count; program++) {
        const double truth = truth_of(ranking, program);
        if (truth > 0)
            add_program(ranking, program, truth, events, count, ranks);
    }
    if (!ranks[0].programs)
        return 0;
    for (size_t i = 0; i < count; i++) {
        ranks[i].off_percent /= (double)ranks[i].programs;
        ranks[i].stdev_percent /= (double)ranks[i].programs;
    }
    qsort(ranks, count, sizeof(*ranks), by_agreement);
    for (size_t i = 0; i < count; i++)
        ranks[i].place = (uint32_t)i + 1;
    report->rank_count += count;
    return 0;
}

/* Is it the first row of this class on this machine? */
static bool is_first(const struct ranking *ranking, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_of_class(ranking, i))
            return false;
    return true;
}

int repeat_rank_events(const struct repeat_case *file, struct repeat_report *report)
{
    const char **events = calloc(report->row_count + 1, sizeof(*events));
    int error = events ? 0 : -ENOMEM;
    for (size_t row = 0; !error && row < report->row_count; row++) {
        const struct repeat_cell *cell = &file->cells[report->rows[row].cell];
        const struct ranking ranking = {file, report, cell->machine,
                                        cell->class[report->rows[row].event]};
        if (ranking.class[0] && is_of_class(&ranking, row) && is_first(&ranking, row))
            error = rank_class(&ranking, events, report);
    }
    free(events);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Counts less what the operating system added, and what is left of them beside the truth: of a
 * program of known length that, of any other what a source counted that executed the same. */

struct adjusting {
    const struct repeat_case *file;
    struct repeat_report *report;
    struct repeat_row *row;
    const struct repeat_cell *cell;
    const struct repeat_contribution *by[DISTURBANCES];
};

/* What the run has too many. */
static double surplus_of(const struct adjusting *adjusting, const struct repeat_run *run)
{
    double surplus = 0, number;
    for (int i = 0; i < DISTURBANCES; i++)
        if (adjusting->by[i] && run_disturbances(run, (enum disturbance)i, &number))
            surplus += contribution_certain(adjusting->by[i]) * number;
    return surplus;
}

/* Half of the interval that the contributions leave open, over the runs of the row. */
static double doubt_of(const struct adjusting *adjusting, const struct kept *kept)
{
    double squares = 0, number;
    for (int i = 0; i < DISTURBANCES; i++) {
        const struct repeat_contribution *by = adjusting->by[i];
        double sum = 0;
        for (size_t run = 0; run < kept->count; run++)
            if (run_disturbances(&adjusting->cell->list[kept->runs[run]], (enum disturbance)i,
                                 &number))
                sum += number;
        if (by && contribution_certain(by) != 0)
            squares += pow((by->high - by->low) / 2 * sum / (double)kept->count, 2);
    }
    return sqrt(squares);
}

/* The truth of the program, or the mean of a source that counted the same setting exactly; false:
 * nobody knows. */
static bool reference_of(const struct adjusting *adjusting, double *reference, double *doubt)
{
    static const char *const sources[] = {"step", "qemu", "valgrind"};
    const struct repeat_cell *cell = adjusting->cell;
    const struct repeat_program *program = &adjusting->file->programs[cell->program];
    *doubt = 0;
    *reference = (double)program->truth;
    if (program->has_truth)
        return true;
    for (size_t source = 0; source < sizeof(sources) / sizeof(*sources); source++)
        for (size_t i = 0; i < adjusting->report->row_count; i++) {
            const struct repeat_row *row = &adjusting->report->rows[i];
            const struct repeat_cell *other = &adjusting->file->cells[row->cell];
            if (other->machine != cell->machine || other->program != cell->program ||
                other->controls != cell->controls || other->sweep != cell->sweep ||
                other->swept != cell->swept || strcmp(other->source, sources[source]) != 0 ||
                !counts_instructions(other, row->event) || row->runs < 2)
                continue;
            *reference = row->mean;
            *doubt = t_quantile(.975, (double)row->runs - 1) * row->stdev / sqrt((double)row->runs);
            return true;
        }
    return false;
}

static void hold_against_truth(const struct adjusting *adjusting, const struct kept *kept)
{
    struct repeat_row *row = adjusting->row;
    double reference, doubt;
    if (!counts_instructions(adjusting->cell, row->event) ||
        !reference_of(adjusting, &reference, &doubt))
        return;
    row->residual = row->adjusted_mean - reference;
    const double spread = fmax(row->adjusted_stdev, ROUNDING_STDEV) / sqrt((double)row->runs);
    const double half = row->runs > 1 ? t_quantile(.975, (double)row->runs - 1) * spread : INFINITY;
    const double whole = sqrt(half * half + doubt * doubt + pow(doubt_of(adjusting, kept), 2));
    row->residual_low = row->residual - whole;
    row->residual_high = row->residual + whole;
}

static int adjust_row(const struct adjusting *adjusting)
{
    AUTO_KEPT struct kept kept;
    struct repeat_row *row = adjusting->row;
    if (kept_counts(adjusting->cell, row->event, &kept) < 0)
        return -ENOMEM;
    if (!kept.count)
        return 0;
    AUTO_FREE double *values = calloc(kept.count, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++)
        values[i] = kept.values[i] - surplus_of(adjusting, &adjusting->cell->list[kept.runs[i]]);
    const struct moments moments = moments_of(values, kept.count);
    row->is_adjusted = true;
    row->adjusted_mean = (double)kept.base + moments.mean;
    row->adjusted_stdev = kept.count > 1 ? moments.stdev : (double)NAN;
    row->adjusted_cv_percent =
        row->adjusted_mean > 0 ? 100 * row->adjusted_stdev / row->adjusted_mean : (double)NAN;
    hold_against_truth(adjusting, &kept);
    return 0;
}

int repeat_adjust(const struct repeat_case *file, struct repeat_report *report)
{
    int error = 0;
    for (size_t i = 0; i < report->row_count && !error; i++) {
        struct adjusting adjusting = {.file = file, .report = report, .row = &report->rows[i]};
        adjusting.cell = &file->cells[adjusting.row->cell];
        const char *event = adjusting.cell->event[adjusting.row->event];
        for (int j = 0; j < DISTURBANCES; j++)
            adjusting.by[j] =
                contribution_of(report, adjusting.cell->machine, event, (enum disturbance)j);
        if (adjusting.by[DISTURBANCE_FAULT] || adjusting.by[DISTURBANCE_INTERRUPT])
            error = adjust_row(&adjusting);
    }
    return error;
}
