/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times sixteen loads, sixteen stores, or sixteen copies made of a load and a store; always the
 * same word of memory, so that nothing but the access itself can differ. */
#include "specimens/framed.h"
#include "specimens/scratch.h"

#define ACCESSES_CODE(body) CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_TIMES(16, body)) CODE_RETURN

SPECIMEN_ASSEMBLY(specimen_loads_code, ACCESSES_CODE(CODE_LOAD));
SPECIMEN_ASSEMBLY(specimen_stores_code, ACCESSES_CODE(CODE_STORE));
SPECIMEN_ASSEMBLY(specimen_copies_code, ACCESSES_CODE(CODE_LOAD CODE_STORE));

static const struct truth loads_truths[] = {
    TRUTH_FRAMED(1, 1, 16, 16, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth stores_truths[] = {
    TRUTH_FRAMED(1, 1, 16, 0, 16),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth copies_truths[] = {
    TRUTH_FRAMED(1, 1, 32, 16, 16),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

const struct specimen specimen_loads = {
    .name = "loads",
    .summary = "N times sixteen loads of a word of memory",
    .stresses = "loads",
    SPECIMEN_CODE_OF(specimen_loads_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = loads_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

const struct specimen specimen_stores = {
    .name = "stores",
    .summary = "N times sixteen stores to a word of memory",
    .stresses = "stores",
    SPECIMEN_CODE_OF(specimen_stores_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = stores_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

const struct specimen specimen_copies = {
    .name = "copies",
    .summary = "N times sixteen loads and sixteen stores of a word of memory, alternating",
    .stresses = "loads beside stores",
    SPECIMEN_CODE_OF(specimen_copies_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = copies_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};
