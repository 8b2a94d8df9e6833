/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns for the regression, from what the points say of their code. */
#include "judge/explain-candidates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool knows_opcodes(const struct point *point)
{
    for (size_t i = 0; i < point->trait_count; i++)
        if (point->traits[i].kind == TRAIT_OPCODE)
            return true;
    return false;
}

int opcodes_known(const struct errors *errors)
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

int candidates_gather(const struct errors *errors, bool opcodes, struct candidates *candidates)
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

void candidates_release(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free(candidates->list[i].values);
    free(candidates->list);
    free(candidates->rows);
    *candidates = (struct candidates){0};
}
