/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: can the CPU's counter of time be depended on? What the machine says about it,
 * and the judgement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct clock_signs {
    const char *counter; /* "tsc" "cntvct" "rdtime"; NULL: user code of this ISA has none */
    bool forbidden;      /* by PR_SET_TSC */
    bool flags_known;    /* x86-64: /proc/cpuinfo could be read */
    bool constant;       /* the rate is the same whatever the CPU's frequency */
    bool nonstop;        /* and in all of its sleeps */
    char source[64];     /* what the operating system keeps time by; "": not known */
};

/* From the files of the machine below root; "" is this one. */
void clock_signs_of(const char *root, struct clock_signs *signs);

/* 0, or a negative errno and a sentence that says why it is not dependable. */
int clock_choice(const struct clock_signs *signs, char *reason, size_t size);

/* Does the operating system, as of now, keep time by this counter? */
bool clock_choice_shared(const char *root);
