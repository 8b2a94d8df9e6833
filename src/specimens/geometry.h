/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the machine claims of its caches, for specimens whose work depends on it: of the CPU this
 * thread is bound to, or of each cache the largest among the CPUs it may use. A claim may be
 * wrong, in virtual machines above all: what `assay caches` measured is given as parameters, and
 * those win. */
#pragma once

#include "specimens/specimen.h"

/* Fills in every field of the geometry that is still 0 and that the machine claims. */
void geometry_complete(struct specimen_parameters *parameters);

/* 0, or -ENODATA with a sentence that says which parameter is missing and how to give it. */
int geometry_require(const char *specimen, const char *key, uint64_t value,
                     struct failure *failure);
