/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What executed instructions make per class: each class is a weight of an instruction. */
#include <errno.h>
#include <string.h>

#include "decode/walk.h"

typedef unsigned weight_of(const struct instruction *instruction);

static unsigned one(const struct instruction *i)
{
    (void)i;
    return 1;
}
static unsigned loads(const struct instruction *i)
{
    return i->loads;
}
static unsigned stores(const struct instruction *i)
{
    return i->stores;
}
static unsigned branches(const struct instruction *i)
{
    return i->flow != FLOW_NEXT;
}
static unsigned conditional(const struct instruction *i)
{
    return i->flow == FLOW_CONDITIONAL;
}
static unsigned jumps(const struct instruction *i)
{
    return i->flow == FLOW_JUMP;
}
static unsigned calls(const struct instruction *i)
{
    return i->flow == FLOW_CALL || i->flow == FLOW_INDIRECT_CALL;
}
static unsigned returns(const struct instruction *i)
{
    return i->flow == FLOW_RETURN;
}
static unsigned indirect(const struct instruction *i)
{
    return i->flow == FLOW_INDIRECT_JUMP || i->flow == FLOW_INDIRECT_CALL;
}
static unsigned system_calls(const struct instruction *i)
{
    return i->system_call;
}
static unsigned fp_instructions(const struct instruction *i)
{
    return i->fp != FP_NONE;
}
static unsigned fp_operations(const struct instruction *i)
{
    return i->fp == FP_FMA ? 2u * i->lanes : i->lanes;
}
static unsigned fp_adds(const struct instruction *i)
{
    return i->fp == FP_ADD;
}
static unsigned fp_muls(const struct instruction *i)
{
    return i->fp == FP_MUL;
}
static unsigned fp_divs(const struct instruction *i)
{
    return i->fp == FP_DIV;
}
static unsigned fp_sqrts(const struct instruction *i)
{
    return i->fp == FP_SQRT;
}
static unsigned fp_fmas(const struct instruction *i)
{
    return i->fp == FP_FMA;
}
static unsigned of_shape(const struct instruction *i, bool packed, enum fp_precision precision)
{
    return i->fp != FP_NONE && i->packed == packed && i->precision == precision;
}
static unsigned scalar_single(const struct instruction *i)
{
    return of_shape(i, false, FP_SINGLE);
}
static unsigned scalar_double(const struct instruction *i)
{
    return of_shape(i, false, FP_DOUBLE);
}
static unsigned packed_single(const struct instruction *i)
{
    return of_shape(i, true, FP_SINGLE);
}
static unsigned packed_double(const struct instruction *i)
{
    return of_shape(i, true, FP_DOUBLE);
}

/* part: of the executions of a conditional branch. */
static const struct class
{
    const char *name;
    weight_of *weight;
    enum { ALL, TAKEN, NOT_TAKEN } part;
} classes[TALLY_CLASSES] = {
    {"instructions", one, ALL},
    {"loads", loads, ALL},
    {"stores", stores, ALL},
    {"branches", branches, ALL},
    {"cond-branches", conditional, ALL},
    {"cond-branches-taken", conditional, TAKEN},
    {"cond-branches-not-taken", conditional, NOT_TAKEN},
    {"jumps", jumps, ALL},
    {"calls", calls, ALL},
    {"returns", returns, ALL},
    {"indirect-branches", indirect, ALL},
    {"syscalls", system_calls, ALL},
    {"fp-instructions", fp_instructions, ALL},
    {"fp-operations", fp_operations, ALL},
    {"fp-adds", fp_adds, ALL},
    {"fp-muls", fp_muls, ALL},
    {"fp-divs", fp_divs, ALL},
    {"fp-sqrts", fp_sqrts, ALL},
    {"fp-fmas", fp_fmas, ALL},
    {"fp-scalar-single", scalar_single, ALL},
    {"fp-scalar-double", scalar_double, ALL},
    {"fp-packed-single", packed_single, ALL},
    {"fp-packed-double", packed_double, ALL},
};

void tallies_begin(struct tallies *tallies)
{
    for (size_t i = 0; i < TALLY_CLASSES; i++)
        tallies->list[i] = (struct tally){.class = classes[i].name, .known = true};
}

/* total += weight * count, less what is not of the part; false when that leaves 64 bits. */
static bool accumulate(int64_t *total, unsigned weight, int64_t count)
{
    int64_t product;
    return !__builtin_mul_overflow(count, (int64_t)weight, &product) &&
           !__builtin_add_overflow(*total, product, total);
}

static struct linear part_of(const struct class *class, struct linear count, struct linear taken)
{
    if (class->part == TAKEN)
        return taken;
    /* walk_counts has seen that this does not overflow. */
    if (class->part == NOT_TAKEN)
        return (struct linear){count.base - taken.base, count.each - taken.each};
    return count;
}

static bool add_class(struct tally *tally, const struct class *class,
                      const struct instruction *instruction, struct linear count,
                      struct linear taken)
{
    unsigned weight = class->weight(instruction);
    struct linear part = part_of(class, count, taken);
    if (weight && instruction->repeated && (class->weight == loads || class->weight == stores) &&
        (count.base || count.each))
        tally->known = false;
    return accumulate(&tally->count.base, weight, part.base) &&
           accumulate(&tally->count.each, weight, part.each);
}

int tallies_add(struct tallies *tallies, const struct instructions *code,
                const struct linear *counts, const struct trips *trips, struct failure *failure)
{
    size_t branch = 0;
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *instruction = &code->list[i];
        struct linear taken = {0};
        if (!instruction->known) /* never executed, as walk_counts has seen */
            continue;
        if (instruction->flow == FLOW_CONDITIONAL && branch < trips->count)
            taken = trips->list[branch++];
        for (size_t class = 0; class < TALLY_CLASSES; class ++)
            if (!add_class(&tallies->list[class], &classes[class], instruction, counts[i], taken))
                return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits",
                                 classes[class].name);
    }
    return 0;
}

int tallies_add_executed(struct tallies *tallies, const struct instruction *instruction,
                         uint64_t executions, struct failure *failure)
{
    const struct linear count = {.base = (int64_t)executions};
    for (size_t class = 0; class < TALLY_CLASSES; class ++) {
        struct tally *tally = &tallies->list[class];
        if (classes[class].part != ALL)
            tally->known = false;
        else if (executions > INT64_MAX ||
                 !add_class(tally, &classes[class], instruction, count, (struct linear){0}))
            return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits",
                             classes[class].name);
    }
    return 0;
}

const struct tally *tallies_find(const struct tallies *tallies, const char *class)
{
    for (size_t i = 0; i < TALLY_CLASSES; i++)
        if (strcmp(tallies->list[i].class, class) == 0)
            return &tallies->list[i];
    return NULL;
}
