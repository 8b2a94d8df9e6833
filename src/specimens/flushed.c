/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times: a line is flushed from every cache, then loaded. Needs no geometry, and no prefetcher
 * can be ahead of it. */
#include "code-caches.h"
#include "specimens/absent.h"
#include "specimens/framed.h"
#include "specimens/scratch.h"

#define SUMMARY  "N times: flush a line from every cache, then load it"
#define STRESSES "misses of every data cache"

#if CODE_CAN_FLUSH
SPECIMEN_ASSEMBLY(specimen_flushed_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_FLUSH CODE_LOAD) CODE_RETURN);

#define WHY                                                                                        \
    "derived: a line that was flushed is in no cache; what the operating system or a hypervisor "  \
    "does between flush and load is not seen"

static const struct truth truths[] = {
    TRUTH_FRAMED(1, 1, CODE_FLUSH_INSTRUCTIONS + 1, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_MODELLED("l1d-load-misses", 0, 1, WHY),
    TRUTH_MODELLED("l2-load-misses", 0, 1, WHY),
    TRUTH_MODELLED("llc-load-misses", 0, 1, WHY),
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

const struct specimen specimen_flushed = {
    .name = "flushed",
    .summary = SUMMARY,
    .stresses = STRESSES,
    SPECIMEN_CODE_OF(specimen_flushed_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 1000000000u,
    .truth = truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};
#else
SPECIMEN_ABSENT(flushed, "flushed", SUMMARY, STRESSES,
                "user code cannot flush a cache line here: RV64GC has no such instruction");
#endif
