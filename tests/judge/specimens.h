/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frozen table of specimens (specimens.txt) from which machines are simulated: what each
 * executes, by class and by opcode, as base + each * N. */
#pragma once

#include "studies/validate/study.h"

struct law {
    char name[40];
    enum truth_grade grade;
    int64_t base, each, high_base, high_each; /* high: equal to low unless bounded */
};

struct frozen_specimen {
    char name[40];
    struct law classes[32];
    size_t class_count;
    struct law opcodes[40];
    size_t opcode_count;
};

struct frozen_specimens {
    struct frozen_specimen list[64];
    size_t count;
};

/* Ends the test with a sentence when the file cannot be read or holds a line it cannot read. */
void specimens_read(const char *file, struct frozen_specimens *specimens);
const struct frozen_specimen *specimens_find(const struct frozen_specimens *specimens,
                                             const char *name);
/* NULL: the table says nothing about it. */
const struct law *law_find(const struct law *laws, size_t count, const char *name);
/* low + high: of a count for this N. */
int64_t law_low(const struct law *law, uint64_t n);
int64_t law_high(const struct law *law, uint64_t n);
/* What the class (opcode) amounts to, 0 where nothing is said. */
double specimen_class_at(const struct frozen_specimen *specimen, const char *class, uint64_t n);
