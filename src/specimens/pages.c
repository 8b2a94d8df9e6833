/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Page faults: one access to each of N pages, which are fresh, only read, read first and then
 * written, there already, or a file's. Which of them fault follows from what the operating system
 * has to do; how large a page is it says itself. */
#include <string.h>

#include "code-system.h"
#include "specimens/framed.h"
#include "specimens/memory.h"

#define PAGES_MAX 1000000u

/* Setup is two loads: where the memory begins, how far apart pages are. */
#define WALK(access) CODE_COUNT CODE_MEMORY CODE_STEP CODE_LOOP(access CODE_ADVANCE) CODE_RETURN

SPECIMEN_ASSEMBLY(specimen_pages_write, WALK(CODE_TOUCH));
SPECIMEN_ASSEMBLY(specimen_pages_read, WALK(CODE_LOOK));
SPECIMEN_ASSEMBLY(specimen_pages_both, WALK(CODE_LOOK CODE_TOUCH));

#define TRUTH_WRITES TRUTH_FRAMED(2, 2, 2, 0, 1), TRUTH_FRAMED_BRANCHES
#define TRUTH_READS  TRUTH_FRAMED(2, 2, 2, 1, 0), TRUTH_FRAMED_BRANCHES
#define TRUTH_BOTH   TRUTH_FRAMED(2, 2, 3, 1, 1), TRUTH_FRAMED_BRANCHES

#define TRUTH_MINOR(each)                                                                          \
    TRUTH_EXACT("page-faults", 0, each), TRUTH_EXACT("minor-faults", 0, each),                     \
        TRUTH_ZERO("major-faults")

#define TRUTH_OTHERWISE_QUIET TRUTH_NO_FP, TRUTH_NO_SYSCALLS, TRUTH_NO_SCHEDULING, TRUTH_END

static const struct truth fresh[] = {TRUTH_WRITES, TRUTH_MINOR(1), TRUTH_OTHERWISE_QUIET};
static const struct truth zero[] = {TRUTH_READS, TRUTH_MINOR(1), TRUTH_OTHERWISE_QUIET};
static const struct truth twice[] = {TRUTH_BOTH, TRUTH_MINOR(2), TRUTH_OTHERWISE_QUIET};
static const struct truth none[] = {TRUTH_WRITES, TRUTH_NO_FAULTS, TRUTH_OTHERWISE_QUIET};

static const char around[] = "a fault also maps neighbours that are in memory already, and how "
                             "many is the operating system's choice";
static const struct truth cached[] = {
    TRUTH_READS,
    TRUTH_BETWEEN("page-faults", 1, 0, 0, 1, around),
    TRUTH_BETWEEN("minor-faults", 1, 0, 0, 1, around),
    TRUTH_ZERO("major-faults"),
    TRUTH_OTHERWISE_QUIET,
};

static const struct trip trips[] = {TRIP_LOOP};

static int prepare_populated(struct specimen_state *state, struct failure *failure)
{
    int result = mapping_fresh(state, failure);
    if (result == 0)
        memset(state->memory, 1, state->bytes);
    return result;
}

#define WALKS(symbol)                                                                              \
    SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1, .max_n = PAGES_MAX,               \
                                                     .restore = mapping_release

const struct specimen specimen_pages = {
    .name = "pages",
    .summary = "first write to each of N fresh pages",
    .stresses = "page faults",
    WALKS(specimen_pages_write),
    .truth = fresh,
    .prepare = mapping_fresh,
};

const struct specimen specimen_zero_pages = {
    .name = "zero-pages",
    .summary = "first read from each of N fresh pages: all get the page of zeros",
    .stresses = "page faults of reads",
    WALKS(specimen_pages_read),
    .truth = zero,
    .prepare = mapping_fresh,
};

const struct specimen specimen_read_then_write = {
    .name = "read-then-write",
    .summary = "a read from each of N fresh pages and then a write to it: two faults a page",
    .stresses = "page faults of pages that must be copied",
    WALKS(specimen_pages_both),
    .truth = twice,
    .prepare = mapping_fresh,
};

const struct specimen specimen_populated_pages = {
    .name = "populated-pages",
    .summary = "a write to each of N pages that are there already: no fault",
    .stresses = "page faults that must not be counted",
    WALKS(specimen_pages_write),
    .truth = none,
    .prepare = prepare_populated,
};

const struct specimen specimen_shared_pages = {
    .name = "shared-pages",
    .summary = "first write to each of N pages of a file in memory that is shared",
    .stresses = "page faults of shared mappings",
    WALKS(specimen_pages_write),
    .truth = fresh,
    .prepare = mapping_shared,
};

const struct specimen specimen_file_pages = {
    .name = "file-pages",
    .summary = "first read from each of N pages of a file that is in memory",
    .stresses = "page faults that map more than they were asked for",
    WALKS(specimen_pages_read),
    .truth = cached,
    .prepare = mapping_cached,
};
