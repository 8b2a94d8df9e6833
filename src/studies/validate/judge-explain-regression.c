/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the things that the code does make the errors: sparse regression over all points of an
 * event, and the cause that each thing found stands for (docs/causes.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Columns for the regression, from what the points say of their code, in the order in which they
 * are preferred where the points cannot tell them apart. */

enum candidate_kind {
    CANDIDATE_FAULTS,
    CANDIDATE_SYSCALLS,
    CANDIDATE_SWITCHES,
    CANDIDATE_MIGRATIONS,
    CANDIDATE_INTERRUPTS,
    CANDIDATE_CONSTANT,
    CANDIDATE_TRUTH,
    CANDIDATE_OPCODE,
    CANDIDATE_CLASS,
    CANDIDATE_TIME,
};

struct candidate {
    enum candidate_kind kind;
    const char *name; /* of an opcode or a class; else a word for one of it */
    double *values;   /* [row] */
    size_t twin;      /* opcodes that always occur together: the first of them; itself */
    bool refused;     /* was selected, and made no sense */
    bool part_of_own; /* never more than the event's own truth */
};

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

static double count_of(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = point_trait(point, kind, name);
    return trait ? (double)trait->count : 0;
}

/* What the operating system did in between. */
static double doing_of(const struct errors *errors, const struct error_point *row,
                       enum candidate_kind kind)
{
    const struct point *point = row->point;
    return kind == CANDIDATE_FAULTS     ? (point->faults >= 0 ? (double)point->faults : row->faults)
           : kind == CANDIDATE_SYSCALLS ? count_of(point, TRAIT_CLASS, "syscalls")
           : kind == CANDIDATE_SWITCHES
               ? (point->switches >= 0                                ? (double)point->switches
                  : kind_is_of_cpu(errors->judgement->evidence->kind) ? row->switches
                                                                      : 0)
           : kind == CANDIDATE_MIGRATIONS ? count_of(point, TRAIT_CLASS, "cpu-migrations")
           : kind == CANDIDATE_INTERRUPTS ? (point->has_interrupts ? row->interrupts : 0)
           : kind == CANDIDATE_CONSTANT   ? 1
           : kind == CANDIDATE_TRUTH      ? row->truth
                                          : row->enabled;
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

static struct candidate *add(struct candidates *candidates, enum candidate_kind kind,
                             const char *name)
{
    struct candidate *candidate = memory_add(candidates->list, candidates->count);
    candidate->kind = kind;
    candidate->name = name;
    candidate->values = memory_new(candidates->row_count, sizeof(double));
    return candidate;
}

static void add_figure(const struct errors *errors, struct candidates *candidates,
                       enum candidate_kind kind, const char *name)
{
    double *values = add(candidates, kind, name)->values;
    for (size_t i = 0; i < candidates->row_count; i++)
        values[i] = doing_of(errors, candidates->rows[i], kind);
    if (kind != CANDIDATE_TRUTH && is_own(candidates, values))
        candidates->count--;
}

/* A class counts as a candidate where every point states it: elsewhere it could be anything. */
static bool is_candidate(const struct candidates *candidates, const struct trait *trait,
                         enum candidate_kind as, const char *own)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->list[i].kind == as && strcmp(candidates->list[i].name, trait->name) == 0)
            return false;
    if (as == CANDIDATE_OPCODE)
        return true;
    for (size_t i = 0; i < candidates->row_count; i++)
        if (!point_trait(candidates->rows[i]->point, TRAIT_CLASS, trait->name))
            return false;
    return !own || strcmp(own, trait->name) != 0;
}

static void add_traits(struct candidates *candidates, const char *own, enum trait_kind kind)
{
    enum candidate_kind as = kind == TRAIT_OPCODE ? CANDIDATE_OPCODE : CANDIDATE_CLASS;
    for (size_t i = 0; i < candidates->row_count; i++) {
        const struct point *point = candidates->rows[i]->point;
        for (size_t j = 0; j < point->trait_count; j++) {
            const struct trait *trait = &point->traits[j];
            if (trait->kind != kind || !is_candidate(candidates, trait, as, own))
                continue;
            struct candidate *candidate = add(candidates, as, trait->name);
            candidate->part_of_own = true;
            for (size_t k = 0; k < candidates->row_count; k++) {
                const struct error_point *row = candidates->rows[k];
                candidate->values[k] = count_of(row->point, kind, trait->name);
                candidate->part_of_own &= candidate->values[k] <= row->truth;
            }
        }
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
    {CANDIDATE_MIGRATIONS, "move to another CPU", "migrations"},
    {CANDIDATE_INTERRUPTS, "interrupt", NULL},
    {CANDIDATE_CONSTANT, "run", NULL},
    {CANDIDATE_TRUTH, "predicted count", NULL},
};

/* opcodes: only points whose opcodes are known take part, and opcodes are candidates. */
static void candidates_gather(const struct errors *errors, bool opcodes,
                              struct candidates *candidates)
{
    const char *own = errors->judgement->evidence->class;
    size_t length = own ? strlen(own) : 0;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) &&
            (!opcodes || knows_opcodes(errors->points[i].point)))
            *memory_add(candidates->rows, candidates->row_count) = &errors->points[i];
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
        size_t end = figures[i].class ? strlen(figures[i].class) : 0;
        if (!own || !end || length < end || strcmp(own + length - end, figures[i].class) != 0)
            add_figure(errors, candidates, figures[i].kind, figures[i].name);
    }
    if (opcodes)
        add_traits(candidates, own, TRAIT_OPCODE);
    add_traits(candidates, own, TRAIT_CLASS);
    add_figure(errors, candidates, CANDIDATE_TIME, "second");
    /* Columns that are the same: the first stands for all of them. */
    size_t bytes = candidates->row_count * sizeof(double);
    for (size_t i = 0; i < candidates->count; i++) {
        size_t twin = 0;
        candidates->list[i].twin = i;
        while (candidates->list[twin].twin != twin ||
               memcmp(candidates->list[i].values, candidates->list[twin].values, bytes) != 0)
            twin++;
        candidates->list[i].twin = twin;
    }
}

/* --- the regression --- */

#define LEVEL      1e-4 /* chance of explaining what is not there */
#define TERMS_MOST 4
#define ROWS_LEAST 3
/* Counts for each system call from which the operating system's are seen. */
#define CALL_LEAK    10.0
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
    bool *alike;   /* [column] */
};

static void prepare(const struct errors *errors, bool opcodes, struct regression *regression)
{
    struct candidates *candidates = &regression->candidates;
    candidates_gather(errors, opcodes, candidates);
    regression->columns = memory_new(candidates->count, sizeof(*regression->columns));
    regression->which = memory_new(candidates->count, sizeof(*regression->which));
    regression->alike = memory_new(candidates->count, sizeof(*regression->alike));
    double *y = memory_new(candidates->row_count, sizeof(*y));
    double *sigma = memory_new(candidates->row_count, sizeof(*sigma));
    double *shared = memory_new(errors->way_count, sizeof(*shared));
    size_t *groups = memory_new(candidates->row_count, sizeof(*groups));
    for (size_t i = 0; i < candidates->row_count; i++) {
        const struct error_point *row = candidates->rows[i];
        y[i] = row->location;
        sigma[i] = row->sigma;
        groups[i] = row->way;
        shared[row->way] = row->overhead_sigma;
    }
    regression->selection = (struct selection){.columns = regression->columns,
                                               .rows = candidates->row_count,
                                               .y = y,
                                               .sigma = sigma,
                                               .groups = groups,
                                               .shared = shared,
                                               .group_count = errors->way_count,
                                               .noise_df = errors->noise_df,
                                               .exact = errors->exact,
                                               .level = LEVEL,
                                               .most = TERMS_MOST};
}

static struct candidate *candidate_of(const struct regression *regression, size_t term)
{
    return &regression->candidates.list[regression->which[regression->selected.terms[term].column]];
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
        return user_only && term->value >= CALL_LEAK ? CAUSE_KERNEL_LEAK : CAUSE_UNKNOWN;
    case CANDIDATE_SWITCHES:
    case CANDIDATE_MIGRATIONS:
        if (term->value < 0) /* what is put away and fetched again does not all come back */
            return CAUSE_LOST_COUNTS;
        return user_only && size >= CALL_LEAK && errors->judgement->filter != FILTER_WORKS
                   ? CAUSE_KERNEL_LEAK
                   : CAUSE_UNKNOWN;
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
        {CANDIDATE_MIGRATIONS, "cpu-migrations"},
    };
    for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++)
        if (left->kind == synonyms[i].kind && strcmp(right->name, synonyms[i].name) == 0)
            return true;
    return false;
}

/* What else could be meant: twins of another kind, and columns that fit as well. */
static void name_alike(struct regression *regression, size_t term, char *names, size_t size)
{
    const struct candidates *candidates = &regression->candidates;
    const struct candidate *own = candidate_of(regression, term);
    size_t first = own->twin, named = 0, length = 0;
    *names = '\0';
    select_alike(&regression->selection, &regression->selected, term, regression->alike);
    for (size_t i = 0; i < candidates->count && named < ALIKE_MOST && length < size; i++) {
        const struct candidate *candidate = &candidates->list[i];
        bool alike = candidate->twin == first && i != first && candidate->kind != own->kind;
        for (size_t j = 0; j < regression->selection.width; j++)
            alike |= regression->alike[j] && regression->which[j] == i;
        if (!alike || is_synonym(own, candidate))
            continue;
        int more =
            snprintf(names + length, size - length, "%s%s", named++ ? ", " : "", candidate->name);
        length += more > 0 ? (size_t)more : 0;
    }
}

/* How what the code does adds to a count. */
static enum validate_why each_of(const struct candidate *candidate, const struct explanation *found)
{
    const bool leaks = found->cause == CAUSE_KERNEL_LEAK;
    switch (candidate->kind) {
    case CANDIDATE_CLASS:
        return WHY_EACH_CLASS;
    case CANDIDATE_SYSCALLS:
        return leaks ? WHY_EACH_IN_KERNEL : fabs(found->size) < 3 ? WHY_EACH_BORDER : WHY_EACH;
    case CANDIDATE_TIME:
        return found->cause == CAUSE_INTERRUPT_OVERCOUNT ? WHY_EACH_TICK : WHY_EACH;
    default:
        return leaks ? WHY_EACH_HANDLER : WHY_EACH;
    }
}

/* Adds the explanation with its sentence; alike: what else it could be, "" where nothing. */
static void say_term(struct explaining *explaining, const struct candidate *candidate,
                     const struct explanation *found, const char *alike)
{
    const bool lacks = found->size < 0;
    const double size = fabs(found->size), low = lacks ? -found->high : found->low;
    const double high = lacks ? -found->low : found->high;
    struct reasons *say = explaining_add(explaining, found);
    bool has_null = false;
    switch (candidate->kind) {
    case CANDIDATE_TRUTH:
        SAY(say, SCALED, 1 + found->size, 1 + found->low, 1 + found->high, alike);
        return;
    case CANDIDATE_CONSTANT:
        for (size_t i = 0; i < explaining->errors.count; i++)
            has_null |= explaining->errors.points[i].judged->has_overhead;
        REASON(say, SENTENCE, &validate_words[has_null ? WHY_CONSTANT_BEYOND : WHY_CONSTANT], lacks,
               size, low, high, alike);
        return;
    case CANDIDATE_OPCODE:
        /* Next to nothing is nothing: no "-2.2e-05 instead of 1". */
        SAY(say, OPCODE, found->per, fabs(1 + found->size) < 5e-4 ? 0 : 1 + found->size, lacks,
            size, low, high, alike);
        return;
    default:
        REASON(say, SENTENCE, &validate_words[each_of(candidate, found)], lacks, size, found->per,
               low, high, alike);
    }
}

static void report(struct explaining *explaining, struct regression *regression)
{
    const struct selected *selected = &regression->selected;
    bool exact = regression->selection.exact && selected->worst < 0.01;
    for (size_t i = 0; i < selected->count; i++) {
        const struct selected_term *term = &selected->terms[i];
        const struct candidate *candidate = candidate_of(regression, i);
        struct explanation found = {.cause = cause_of(&explaining->errors, candidate, term),
                                    .size = term->value,
                                    .low = term->low,
                                    .high = term->high,
                                    .share = term->share};
        if (exact) /* nothing is left: the size is known but for rounding */
            found.size = found.low = found.high = round(term->value * 1e6) / 1e6;
        name_group(&regression->candidates, candidate->twin, found.per, sizeof(found.per));
        char alike[120];
        name_alike(regression, i, alike, sizeof(alike));
        say_term(explaining, candidate, &found, alike);
    }
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
    case CANDIDATE_SWITCHES:
    case CANDIDATE_MIGRATIONS:
        return fabs(term->value) > CRUMB;
    case CANDIDATE_FAULTS: /* what comes in between takes nothing away */
    case CANDIDATE_SYSCALLS:
    case CANDIDATE_INTERRUPTS:
        return term->value > CRUMB;
    default:
        return true;
    }
}

/* What the code does it does in every run: where many runs are right all the same, something else
 * is at work that only some runs or processes have. */
static bool is_in_every_run(const struct regression *regression)
{
    size_t runs = 0, right = 0;
    for (size_t i = 0; i < regression->candidates.row_count; i++) {
        const struct error_point *row = regression->candidates.rows[i];
        double error = 0; /* what the terms say of it */
        for (size_t j = 0; j < regression->selected.count; j++) {
            const struct selected_term *term = &regression->selected.terms[j];
            error += term->value * regression->columns[term->column][i];
        }
        error = fabs(error);
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

static void select_sensible(struct regression *regression)
{
    const struct candidates *candidates = &regression->candidates;
    struct selection *selection = &regression->selection;
    struct selected *selected = &regression->selected;
    bool refused = true, sensible = true;
    for (int round = 0; round < ROUNDS_MOST && refused; round++) {
        /* Columns for all candidates but twins and those that were refused. */
        selection->width = 0;
        for (size_t i = 0; i < candidates->count; i++)
            if (candidates->list[i].twin == i && !candidates->list[i].refused) {
                regression->which[selection->width] = i;
                regression->columns[selection->width++] = candidates->list[i].values;
            }
        select_terms(selection, selected);
        refused = false;
        sensible = true;
        for (size_t i = 0; i < selected->count; i++) {
            struct candidate *candidate = candidate_of(regression, i);
            bool plausible = is_plausible(candidate, &selected->terms[i]);
            sensible &= plausible;
            /* A factor of 0 is no candidate's fault: then the counts are something else. */
            if (!plausible && candidate->kind != CANDIDATE_TRUTH)
                refused = candidate->refused = true;
        }
    }
    /* Errors that the terms leave far more of than noise makes are not understood, unless next to
     * nothing of them is left. */
    bool fits_well =
        selected->scale <= POOR_SCALE || selected->residual <= POOR_LEFT * selected->total;
    if (!sensible || !fits_well || !is_in_every_run(regression))
        selected->count = 0;
}

/* Whether anything was reported. */
static bool regress(struct explaining *explaining, bool opcodes, bool only_opcodes)
{
    struct regression regression = {0};
    bool blames_opcodes = false;
    prepare(&explaining->errors, opcodes, &regression);
    if (regression.selection.rows >= ROWS_LEAST)
        select_sensible(&regression);
    for (size_t i = 0; i < regression.selected.count; i++)
        blames_opcodes |= candidate_of(&regression, i)->kind == CANDIDATE_OPCODE;
    if (only_opcodes && !blames_opcodes)
        return false;
    report(explaining, &regression);
    return regression.selected.count > 0;
}

void explain_regression(struct explaining *explaining)
{
    const struct errors *errors = &explaining->errors;
    size_t known = 0, all = 0;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i])) {
            all++;
            known += knows_opcodes(errors->points[i].point);
        }
    /* Where only some points tell their opcodes, the others are given up for a blamed opcode. */
    bool reported = known > 0 && regress(explaining, true, known < all);
    if (!reported && (known < all || known == 0))
        regress(explaining, false, false);
}
