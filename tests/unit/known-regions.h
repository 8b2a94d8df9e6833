/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions whose instructions are known, as callers with different compilers' flags have them:
 * known-regions.c is compiled once for each. */
#pragma once

#include <stddef.h>

struct known_regions {
    const char *name;
    int (*calibrate)(void);
    /* A region of n instructions: 0, 1, 2, 10, 100, 1000 or 10000. */
    void (*alone)(unsigned n);
    /* Twice n instructions, and between them children with n each, the last of them with a child of
     * its own: (children + 3) n in all, children + 1 regions inside. */
    void (*around)(unsigned n, unsigned children);
    void (*around_named)(unsigned n, unsigned children);
};

extern const struct known_regions known_O0, known_O2, known_O0_called, known_O2_called;
