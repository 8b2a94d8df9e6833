/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why two sources count one program differently, by the functions that each of them executed. */
#pragma once

#include "studies/repeat/study.h"

/* In the order in which they are tried; the last takes what is left. */
enum align_why {
    WHY_VDSO,
    WHY_CPUID,
    WHY_ENVIRONMENT,
    WHY_REPEATED,
    WHY_FLOATING_POINT,
    WHY_START_UP,
    WHY_ADDRESSES,
    WHY_OPERATING_SYSTEM,
    WHY_UNKNOWN,
    WHY_COUNT
};
extern const char *const align_why_names[WHY_COUNT];

/* One function as both executed it. */
struct align_function {
    const char *object, *name; /* the object without its folder */
    uint64_t counts[2];        /* of the source, of the reference */
    uint64_t repetitions[2];
    double difference;
    bool resolves; /* it chooses between forms of itself, which are there under longer names */
    bool replaced; /* it is a form that one of the two executes, and the other executes another */
};

/* What else is known of the program. */
struct align_known {
    bool addresses; /* its counts follow addresses, by a control, a sweep or its nature */
    bool converges; /* it is made to show floating-point width (M9) */
    bool preloads;  /* one of the two loads a library of its own into it */
    bool looks_up;  /* it is linked statically, and one of the two looks up functions in a vDSO that
                       the other does not have */
    double adjusted; /* what faults and interrupts add to the source's count beyond the other's */
};
enum align_why align_why_of(const struct align_function *function, const struct align_known *known);
/* Is it one of several forms of a function between which the CPU's features choose? */
bool align_is_variant(const char *name);
/* … of this one? "__memcpy_avx2" of "memcpy". */
bool align_is_variant_of(const char *variant, const char *name);
/* Are both forms of one and the same function? */
bool align_are_variants(const char *one, const char *other);
/* Does it look up symbols, which a statically linked program does for the vDSO alone? */
bool align_looks_up(const char *name);
/* Does it only serve others: allocate, copy, compare, lock? Then it is executed less or more often
 * because of those. */
bool align_serves(const char *name);

/* Fills reasons and unexplained, so that they add up to the difference. executed: of the source and
 * of the reference; NULL: not recorded. -ENOMEM. */
int align_explain(const struct repeat_cell *const executed[2], const struct align_known *known,
                  struct repeat_alignment *alignment);
