/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the things that the code does make the errors: sparse regression over all points of an
 * event, and the cause that each thing found stands for (docs/causes.md). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/select.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Columns for the regression, from what the points say of their code. */

struct candidates {
    const struct error_point **rows; /* the points that take part */
    size_t row_count;
    struct candidate *list;
    size_t count;
};

static bool knows_opcodes(const struct point *point)
{
    for (size_t i = 0; i < point->trait_count; i++)
        if (point->traits[i].kind == TRAIT_OPCODE)
            return true;
    return false;
}

/* Are the opcodes of all points known (2), of some (1), of none (0)? */
static int opcodes_known(const struct errors *errors)
{
    size_t known = 0, all = 0;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i])) {
            all++;
            known += knows_opcodes(errors->points[i].point);
        }
    return known == 0 ? 0 : known == all ? 2 : 1;
}

static struct candidate *add(struct candidates *candidates, enum candidate_kind kind,
                             const char *name)
{
    struct candidate *candidate = &candidates->list[candidates->count];
    *candidate = (struct candidate){.kind = kind, .name = name, .twin = candidates->count};
    candidate->values = calloc(candidates->row_count + 1, sizeof(double));
    if (candidate->values)
        candidates->count++;
    return candidate->values ? candidate : NULL;
}

/* The first candidate of that kind and name, or NULL. */
static const struct candidate *find(const struct candidates *candidates, enum candidate_kind kind,
                                    const char *name)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->list[i].kind == kind && strcmp(candidates->list[i].name, name) == 0)
            return &candidates->list[i];
    return NULL;
}

static double count_of(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = point_trait(point, kind, name);
    return trait ? (double)trait->count : 0;
}

/* What the operating system did in between. */
static double doing_of(const struct error_point *row, enum candidate_kind kind)
{
    const struct point *point = row->point;
    switch (kind) {
    case CANDIDATE_FAULTS:
        return point->faults >= 0 ? (double)point->faults : row->faults;
    case CANDIDATE_SYSCALLS:
        return count_of(point, TRAIT_CLASS, "syscalls");
    case CANDIDATE_SWITCHES:
        return point->switches > 0 ? (double)point->switches : 0;
    case CANDIDATE_INTERRUPTS:
        return point->has_interrupts ? row->interrupts : 0;
    case CANDIDATE_CONSTANT:
        return 1;
    case CANDIDATE_TRUTH:
        return row->truth;
    case CANDIDATE_TIME:
        return row->enabled;
    default:
        return 0;
    }
}

/* Is it what the event is to count, or a multiple of it? Then it is a factor that errs. */
static bool is_own(const struct candidates *candidates, const double *values)
{
    double factor = 0;
    for (size_t i = 0; i < candidates->row_count; i++) {
        double truth = candidates->rows[i]->truth;
        if ((truth == 0) != (values[i] == 0))
            return false;
        if (truth == 0)
            continue;
        if (factor != 0 && values[i] != factor * truth)
            return false;
        factor = values[i] / truth;
    }
    return factor != 0;
}

static int add_figure(struct candidates *candidates, enum candidate_kind kind, const char *name)
{
    struct candidate *candidate = add(candidates, kind, name);
    if (!candidate)
        return -ENOMEM;
    for (size_t i = 0; i < candidates->row_count; i++)
        candidate->values[i] = doing_of(candidates->rows[i], kind);
    if (kind != CANDIDATE_TRUTH && is_own(candidates, candidate->values)) {
        free(candidate->values);
        candidates->count--;
    }
    return 0;
}

/* A class counts as a candidate where every point states it: elsewhere it could be anything. */
static bool is_stated(const struct candidates *candidates, const char *name)
{
    for (size_t i = 0; i < candidates->row_count; i++)
        if (!point_trait(candidates->rows[i]->point, TRAIT_CLASS, name))
            return false;
    return true;
}

static int add_traits(struct candidates *candidates, const char *own, enum trait_kind kind)
{
    enum candidate_kind as = kind == TRAIT_OPCODE ? CANDIDATE_OPCODE : CANDIDATE_CLASS;
    for (size_t i = 0; i < candidates->row_count; i++) {
        const struct point *point = candidates->rows[i]->point;
        for (size_t j = 0; j < point->trait_count; j++) {
            const struct trait *trait = &point->traits[j];
            if (trait->kind != kind || find(candidates, as, trait->name))
                continue;
            if (kind == TRAIT_CLASS &&
                ((own && strcmp(own, trait->name) == 0) || !is_stated(candidates, trait->name)))
                continue;
            struct candidate *candidate = add(candidates, as, trait->name);
            if (!candidate)
                return -ENOMEM;
            candidate->part_of_own = true;
            for (size_t k = 0; k < candidates->row_count; k++) {
                const struct error_point *row = candidates->rows[k];
                candidate->values[k] = count_of(row->point, kind, trait->name);
                candidate->part_of_own &= candidate->values[k] <= row->truth;
            }
        }
    }
    return 0;
}

/* Columns that are the same: the first stands for all of them. */
static void find_twins(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        for (size_t j = 0; j < i; j++)
            if (candidates->list[j].twin == j &&
                memcmp(candidates->list[i].values, candidates->list[j].values,
                       candidates->row_count * sizeof(double)) == 0) {
                candidates->list[i].twin = j;
                break;
            }
}

static const struct {
    enum candidate_kind kind;
    const char *name;
    const char *class; /* an event that counts it has it as its own truth */
} figures[] = {
    {CANDIDATE_FAULTS, "page fault", "faults"},
    {CANDIDATE_SYSCALLS, "system call", "calls"},
    {CANDIDATE_SWITCHES, "context switch", "switches"},
    {CANDIDATE_INTERRUPTS, "interrupt", NULL},
    {CANDIDATE_CONSTANT, "run", NULL},
    {CANDIDATE_TRUTH, "predicted count", NULL},
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), more = strlen(end);
    return length >= more && strcmp(text + length - more, end) == 0;
}

/* opcodes: only points whose opcodes are known take part, and opcodes are candidates. -ENOMEM. */
static int candidates_gather(const struct errors *errors, bool opcodes,
                             struct candidates *candidates)
{
    *candidates = (struct candidates){0};
    candidates->rows = reallocarray(NULL, errors->count + 1, sizeof(*candidates->rows));
    if (!candidates->rows)
        return -ENOMEM;
    size_t most = CANDIDATE_TIME + 1;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) &&
            (!opcodes || knows_opcodes(errors->points[i].point))) {
            candidates->rows[candidates->row_count++] = &errors->points[i];
            most += errors->points[i].point->trait_count;
        }
    candidates->list = calloc(most, sizeof(*candidates->list));
    if (!candidates->list)
        return -ENOMEM;
    int result = 0;
    const char *own = errors->judgement->evidence->class;
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures) && result == 0; i++)
        if (!own || !figures[i].class || !ends_with(own, figures[i].class))
            result = add_figure(candidates, figures[i].kind, figures[i].name);
    if (result == 0 && opcodes)
        result = add_traits(candidates, own, TRAIT_OPCODE);
    if (result == 0)
        result = add_traits(candidates, own, TRAIT_CLASS);
    if (result == 0)
        result = add_figure(candidates, CANDIDATE_TIME, "second");
    find_twins(candidates);
    return result;
}

static void candidates_release(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->list[i].values);
    free(candidates->list);
    free(candidates->rows);
    *candidates = (struct candidates){0};
}

/* ----------------------------------------------------------------------------------------------
 * Which of the things that the code does make the errors: sparse regression over all points of an
 * event, and the cause that each thing found stands for (docs/causes.md). */

#define LEVEL      1e-4 /* chance of explaining what is not there */
#define TERMS_MOST 4
#define ROWS_LEAST 3
#define CALL_LEAK                                                                                  \
    10.0 /* counts for each system call from which the operating system's are seen                 \
          */
#define HANDLER      50.0 /* the same for each fault or interrupt */
#define RATE_LEAST   10.0 /* interrupts in a second that are believed */
#define RATE_MOST    5000.0
#define POOR_SCALE   5.0  /* residuals, in standard deviations of the points … */
#define POOR_LEFT    0.03 /* … that are believed only where no more than this is left */
#define RIGHT_TIMES  10.0 /* so much smaller than predicted, an error is none */
#define RIGHT_MOST   0.25 /* of the runs may be right where an error is predicted */
#define CRUMB        0.1
#define OPCODE_CRUMB 0.005 /* a repeated instruction may count once in a cache line */
#define ROUNDS_MOST  4
#define ALIKE_MOST   3 /* others that are named */

struct regression {
    struct candidates candidates;
    struct selection selection;
    struct selected selected;
    const double **columns;
    size_t *which; /* [column] its candidate */
    double *y, *sigma, *shared;
    size_t *groups;
    bool *alike; /* [column] */
};

static void regression_release(struct regression *regression)
{
    candidates_release(&regression->candidates);
    free(regression->columns);
    free(regression->which);
    free(regression->y);
    free(regression->sigma);
    free(regression->shared);
    free(regression->groups);
    free(regression->alike);
}

static int prepare(const struct errors *errors, bool opcodes, struct regression *regression)
{
    struct candidates *candidates = &regression->candidates;
    int result = candidates_gather(errors, opcodes, candidates);
    if (result < 0)
        return result;
    regression->columns = calloc(candidates->count + 1, sizeof(*regression->columns));
    regression->which = calloc(candidates->count + 1, sizeof(*regression->which));
    regression->alike = calloc(candidates->count + 1, sizeof(*regression->alike));
    regression->y = calloc(candidates->row_count + 1, sizeof(double));
    regression->sigma = calloc(candidates->row_count + 1, sizeof(double));
    regression->shared = calloc(errors->way_count + 1, sizeof(double));
    regression->groups = calloc(candidates->row_count + 1, sizeof(*regression->groups));
    if (!regression->columns || !regression->which || !regression->alike || !regression->y ||
        !regression->sigma || !regression->shared || !regression->groups)
        return -ENOMEM;
    struct selection *selection = &regression->selection;
    *selection = (struct selection){.columns = regression->columns,
                                    .rows = candidates->row_count,
                                    .y = regression->y,
                                    .sigma = regression->sigma,
                                    .groups = regression->groups,
                                    .shared = regression->shared,
                                    .group_count = errors->way_count,
                                    .noise_df = errors->noise_df,
                                    .exact = errors->exact,
                                    .level = LEVEL,
                                    .most = TERMS_MOST};
    for (size_t i = 0; i < candidates->row_count; i++) {
        regression->y[i] = candidates->rows[i]->location;
        regression->sigma[i] = candidates->rows[i]->sigma;
        regression->groups[i] = candidates->rows[i]->way;
        regression->shared[candidates->rows[i]->way] = candidates->rows[i]->overhead_sigma;
    }
    return 0;
}

/* Columns for all candidates but twins and those that were refused. */
static void lay_out(struct regression *regression)
{
    const struct candidates *candidates = &regression->candidates;
    struct selection *selection = &regression->selection;
    selection->width = 0;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->list[i].twin == i && !candidates->list[i].refused) {
            regression->which[selection->width] = i;
            regression->columns[selection->width++] = candidates->list[i].values;
        }
}

static enum cause cause_of(const struct errors *errors, const struct candidate *candidate,
                           const struct selected_term *term)
{
    const struct evidence *evidence = errors->judgement->evidence;
    bool user_only = event_is_user_only(evidence);
    double size = fabs(term->value);
    switch (candidate->kind) {
    case CANDIDATE_FAULTS:
        return user_only && size >= HANDLER ? CAUSE_KERNEL_LEAK : CAUSE_FAULT_OVERCOUNT;
    case CANDIDATE_SYSCALLS:
    case CANDIDATE_SWITCHES:
        return user_only && size >= CALL_LEAK ? CAUSE_KERNEL_LEAK : CAUSE_UNKNOWN;
    case CANDIDATE_INTERRUPTS:
        if (term->value < 0) /* interrupts take nothing away: they only go along with something */
            return CAUSE_UNKNOWN;
        return user_only && size >= HANDLER ? CAUSE_KERNEL_LEAK : CAUSE_INTERRUPT_OVERCOUNT;
    case CANDIDATE_TIME:
        return term->value >= RATE_LEAST && term->value <= RATE_MOST ? CAUSE_INTERRUPT_OVERCOUNT
                                                                     : CAUSE_UNKNOWN;
    case CANDIDATE_OPCODE:
        return CAUSE_OPCODE_OVERCOUNT;
    case CANDIDATE_CLASS:
        /* A part of the own class that counts more than once; or one that does not belong. */
        if (candidate->part_of_own && term->value > 0)
            return CAUSE_OPCODE_OVERCOUNT;
        return fabs(term->value - round(term->value)) <= fmax(0.02, term->high - term->value)
                   ? CAUSE_OTHER_DEFINITION
                   : CAUSE_UNKNOWN;
    default:
        return CAUSE_UNKNOWN;
    }
}

/* "fldcw or fnstcw": what always occurs together is blamed together. */
static void name_group(const struct candidates *candidates, size_t first, char *name, size_t size)
{
    size_t length = 0;
    for (size_t i = first; i < candidates->count && length < size; i++) {
        if (candidates->list[i].twin != first ||
            candidates->list[i].kind != candidates->list[first].kind)
            continue;
        int more = snprintf(name + length, size - length, "%s%s", length ? " or " : "",
                            candidates->list[i].name);
        length += more > 0 ? (size_t)more : 0;
    }
}

/* Another word for the same thing is no alternative. */
static bool is_synonym(const struct candidate *left, const struct candidate *right)
{
    static const struct {
        enum candidate_kind kind;
        const char *name;
    } synonyms[] = {
        {CANDIDATE_FAULTS, "page-faults"},
        {CANDIDATE_FAULTS, "minor-faults"},
        {CANDIDATE_SYSCALLS, "syscalls"},
        {CANDIDATE_SYSCALLS, "syscall"},
        {CANDIDATE_SYSCALLS, "svc"},
        {CANDIDATE_SYSCALLS, "ecall"},
        {CANDIDATE_SWITCHES, "context-switches"},
    };
    for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++)
        if (left->kind == synonyms[i].kind && strcmp(right->name, synonyms[i].name) == 0)
            return true;
    return false;
}

/* What else could be meant: twins of another kind, and columns that fit as well. */
static int name_alike(struct regression *regression, size_t term, char *names, size_t size)
{
    const struct candidates *candidates = &regression->candidates;
    size_t first = regression->which[regression->selected.terms[term].column], named = 0;
    size_t length = 0;
    *names = '\0';
    int result =
        select_alike(&regression->selection, &regression->selected, term, regression->alike);
    if (result < 0)
        return result;
    for (size_t i = 0; i < candidates->count && named < ALIKE_MOST && length < size; i++) {
        const struct candidate *candidate = &candidates->list[i];
        bool alike = candidate->twin == first && i != first &&
                     candidate->kind != candidates->list[first].kind;
        for (size_t j = 0; j < regression->selection.width; j++)
            alike |= regression->alike[j] && regression->which[j] == i;
        if (!alike || is_synonym(&candidates->list[first], candidate))
            continue;
        int more = snprintf(names + length, size - length, "%s%s",
                            named++ ? ", " : "; cannot be told apart here from ", candidate->name);
        length += more > 0 ? (size_t)more : 0;
    }
    return 0;
}

static int report(struct explaining *explaining, struct regression *regression)
{
    const struct candidates *candidates = &regression->candidates;
    const struct selected *selected = &regression->selected;
    bool exact = regression->selection.exact && selected->worst < 0.01;
    for (size_t i = 0; i < selected->count; i++) {
        const struct selected_term *term = &selected->terms[i];
        size_t first = regression->which[term->column];
        const struct candidate *candidate = &candidates->list[first];
        struct explanation found = {.cause = cause_of(&explaining->errors, candidate, term),
                                    .size = term->value,
                                    .low = term->low,
                                    .high = term->high,
                                    .share = term->share};
        if (exact) /* nothing is left: the size is known but for rounding */
            found.size = found.low = found.high = round(term->value * 1e6) / 1e6;
        name_group(candidates, first, found.per, sizeof(found.per));
        char alike[120];
        int result = name_alike(regression, i, alike, sizeof(alike));
        if (result < 0)
            return result;
        say_term(explaining, candidate, &found, alike);
    }
    return 0;
}

static bool blames_opcodes(const struct regression *regression)
{
    for (size_t i = 0; i < regression->selected.count; i++) {
        size_t which = regression->which[regression->selected.terms[i].column];
        if (regression->candidates.list[which].kind == CANDIDATE_OPCODE)
            return true;
    }
    return false;
}

/* Does the term make sense by itself? Counts that do not follow their truth at all are explained by
 * nothing, nothing can be counted less than not at all, and what happens once adds more than a
 * crumb. */
static bool is_plausible(const struct candidate *candidate, const struct selected_term *term)
{
    double left = 1 + term->value, room = 3 * term->error;
    switch (candidate->kind) {
    case CANDIDATE_TRUTH:
        return fabs(left) > fmax(0.05, room);
    case CANDIDATE_OPCODE:
        return left > -fmax(0.01, room) && fabs(term->value) > OPCODE_CRUMB;
    case CANDIDATE_CLASS:
        return fabs(term->value) > CRUMB && (!candidate->part_of_own || left > -fmax(0.01, room));
    case CANDIDATE_FAULTS:
    case CANDIDATE_SYSCALLS:
    case CANDIDATE_SWITCHES:
        return fabs(term->value) > CRUMB;
    case CANDIDATE_INTERRUPTS:
        return term->value > CRUMB;
    default:
        return true;
    }
}

/* Errors that the terms leave far more of than noise makes are not understood, unless next to
 * nothing of them is left. */
static bool fits_well(const struct selected *selected)
{
    return selected->scale <= POOR_SCALE || selected->residual <= POOR_LEFT * selected->total;
}

/* What the terms say of a point's error. */
static double predicted_error(const struct regression *regression, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < regression->selected.count; i++) {
        const struct selected_term *term = &regression->selected.terms[i];
        sum += term->value * regression->columns[term->column][row];
    }
    return sum;
}

/* What the code does it does in every run: where many runs are right all the same, something else
 * is at work that only some runs or processes have. */
static bool is_in_every_run(const struct regression *regression)
{
    size_t runs = 0, right = 0;
    for (size_t i = 0; i < regression->candidates.row_count; i++) {
        const struct error_point *row = regression->candidates.rows[i];
        double error = fabs(predicted_error(regression, i));
        if (error < RIGHT_TIMES / 2) /* counts are whole */
            continue;
        for (size_t j = 0; j < row->run_count; j++) {
            if (row->runs[j].disturbed || row->runs[j].left_out)
                continue;
            runs++;
            right += fabs(row->runs[j].error) <= fmax(error / RIGHT_TIMES, 0.5);
        }
    }
    return (double)right <= RIGHT_MOST * (double)runs;
}

static bool is_believed(const struct regression *regression)
{
    return fits_well(&regression->selected) && is_in_every_run(regression);
}

/* Refuses candidates that were selected and make no sense; false: there are none. */
static bool refuse_some(struct regression *regression)
{
    const struct selected *selected = &regression->selected;
    bool refused = false;
    for (size_t i = 0; i < selected->count; i++) {
        struct candidate *candidate =
            &regression->candidates.list[regression->which[selected->terms[i].column]];
        /* A factor of 0 is no candidate's fault: then the counts are something else. */
        if (candidate->kind != CANDIDATE_TRUTH && !is_plausible(candidate, &selected->terms[i]))
            refused = candidate->refused = true;
    }
    return refused;
}

static bool is_sensible(const struct regression *regression)
{
    const struct selected *selected = &regression->selected;
    for (size_t i = 0; i < selected->count; i++) {
        size_t which = regression->which[selected->terms[i].column];
        if (!is_plausible(&regression->candidates.list[which], &selected->terms[i]))
            return false;
    }
    return is_believed(regression);
}

static int select_sensible(struct regression *regression)
{
    int result = 0;
    for (int round = 0; round < ROUNDS_MOST && result == 0; round++) {
        lay_out(regression);
        result = select_terms(&regression->selection, &regression->selected);
        if (result < 0 || !refuse_some(regression))
            break;
    }
    if (result == 0 && !is_sensible(regression))
        regression->selected.count = 0;
    return result;
}

static int regress(struct explaining *explaining, bool opcodes, bool only_opcodes, bool *reported)
{
    struct regression regression = {0};
    int result = prepare(&explaining->errors, opcodes, &regression);
    if (result == 0 && regression.selection.rows >= ROWS_LEAST)
        result = select_sensible(&regression);
    if (result == 0 && (!only_opcodes || blames_opcodes(&regression))) {
        result = report(explaining, &regression);
        *reported = regression.selected.count > 0;
    }
    regression_release(&regression);
    return result;
}

int explain_regression(struct explaining *explaining)
{
    int known = opcodes_known(&explaining->errors);
    bool reported = false;
    int result = 0;
    /* Where only some points tell their opcodes, the others are given up for a blamed opcode. */
    if (known > 0)
        result = regress(explaining, true, known == 1, &reported);
    if (result == 0 && !reported && known < 2)
        result = regress(explaining, false, false, &reported);
    return result;
}
