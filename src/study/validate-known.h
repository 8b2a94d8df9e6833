/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store says of its specimens, ready to be asked: truths and opcodes of one specimen,
 * evaluated at one N. */
#pragma once

#include "judge/evidence.h"
#include "store/store.h"

/* One line: base + each * N of something. */
struct known_line {
    char *specimen, *name; /* without parameters; a class or an opcode */
    enum truth_grade grade;
    int64_t base, each, high_base, high_each;
    size_t place; /* in the store */
};

struct known_lines {
    struct known_line *list; /* by specimen, then in the order of the store */
    size_t count, capacity;
};

struct known {
    struct known_lines truths, opcodes;
};

int known_load(struct store *store, struct known *known, struct failure *failure);
void known_release(struct known *known);

/* The count of a class; grade TRUTH_NONE where the store has none, or where it leaves 64 bits. */
struct truth known_truth(const struct known *known, const char *specimen, const char *class,
                         uint64_t n);
/* Everything that is a number becomes a trait of the point. -ENOMEM. */
int known_traits(const struct known *known, struct point *point);

/* TRUTH_NONE for what is no grade. */
enum truth_grade grade_from_name(const char *name);
