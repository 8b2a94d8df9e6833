/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libpfm4's names of AMD's events, EVENT:UMASK without the PMU in front, for Zen 1 to 4. Zen counts
 * no retired loads and stores (LS_DISPATCH is speculative), and what it says of indirect branches
 * leaves open whether returns are among them. Its floating-point operations are those of SSE and
 * AVX, which is what compilers and specimens use. */
#include "events/class-table.h"

static const struct class_row rows[] = {
    {"RETIRED_INSTRUCTIONS", "instructions"},
    {"CYCLES_NOT_IN_HALT", "cycles"},
    {"RETIRED_BRANCH_INSTRUCTIONS", "branches"},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", "cond-branches"},
    {"RETIRED_NEAR_RETURNS", "returns"},
    {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "branch-misses"},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS_MISPREDICTED", "cond-branch-misses"},
    {"RETIRED_BRANCH_MISPREDICTED_DIRECTION_MISMATCH", "cond-branch-misses"},
    {"RETIRED_SSE_AVX_FLOPS:ANY", "fp-operations"},
    {"MISALIGNED_LOADS:MA64", "split-loads"},
    {"IC_TAG_HIT_MISS:IC_MISS", "l1i-load-misses"},
    {"CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", "l2d-misses"},
    {"CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS", "l2i-misses"},
};

CLASS_TABLE(class_table_amd, "libpfm4 on AMD", rows);
