/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a specimen is: code whose counts are known for every N. One file each, registered by one
 * line in the build list. `null` and `loop` stand inside the window as bare instructions; every
 * other specimen is called there by two instructions (its argument is moved, its code called),
 * which its truth includes where it states instructions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

enum truth_grade { TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL };
extern const char *const truth_grade_names[]; /* proven bounded model */

/* count(N) = base + each * N */
struct truth {
    const char *class; /* NULL ends a table */
    int64_t base;
    int64_t each;
    enum truth_grade grade;
};

/* How the window holds the specimen. */
enum specimen_form {
    SPECIMEN_NULL,   /* nothing between opening and closing */
    SPECIMEN_LOOP,   /* the paper's loop, inline */
    SPECIMEN_CALLED, /* one call of `code` */
    SPECIMEN_FORMS,
};

/* What prepare made for one run; passed to code unchanged. n stays first: code in assembly reads it
 * there. */
struct specimen_state {
    uint64_t n;
    void *memory;
    size_t bytes;
};

struct specimen {
    const char *name;
    const char *summary;  /* one line: what it does N times */
    const char *stresses; /* what it is meant to exercise */
    enum specimen_form form;
    uint64_t max_n; /* beyond this N it refuses (memory, time) */
    const struct truth *truth;
    /* Called outside the window before and after every run; may be NULL. 0 or negative errno. */
    int (*prepare)(struct specimen_state *state);
    void (*restore)(struct specimen_state *state);
    void (*code)(struct specimen_state *state); /* SPECIMEN_CALLED only */
};

extern const struct specimen *const specimen_registry[]; /* generated; ends with NULL */
const struct specimen *specimen_find(const char *name);
