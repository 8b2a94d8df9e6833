/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libpfm4's names of Intel's events, EVENT:UMASK without the PMU in front, from Nehalem to Sapphire
 * Rapids and the Atoms. A name stands here only when it means the same in every table that has it.
 * Retired load and store micro-operations are loads and stores: the instructions of a specimen have
 * one each. Not here: what is counted speculatively (*_EXEC, MISALIGN_MEM_REF), what covers one
 * width of vectors or one size of page only, and cache events that count prefetches along. */
#include "events/class-table.h"

static const struct class_row rows[] = {
    {"INSTRUCTION_RETIRED", "instructions"},
    {"INSTRUCTIONS_RETIRED", "instructions"},
    {"INST_RETIRED:ANY", "instructions"},
    {"INST_RETIRED:ANY_P", "instructions"},
    {"INST_RETIRED:PREC_DIST", "instructions"},
    {"UNHALTED_CORE_CYCLES", "cycles"},
    {"CPU_CLK_UNHALTED:THREAD", "cycles"},
    {"CPU_CLK_UNHALTED:THREAD_P", "cycles"},
    {"UNHALTED_REFERENCE_CYCLES", "ref-cycles"},
    {"CPU_CLK_UNHALTED:REF_TSC", "ref-cycles"},
    {"BRANCH_INSTRUCTIONS_RETIRED", "branches"},
    {"BR_INST_RETIRED:ALL_BRANCHES", "branches"},
    {"BR_INST_RETIRED:COND", "cond-branches"},
    {"BR_INST_RETIRED:CONDITIONAL", "cond-branches"},
    {"BR_INST_RETIRED:JCC", "cond-branches"},
    {"BR_INST_RETIRED:COND_TAKEN", "cond-branches-taken"},
    {"BR_INST_RETIRED:TAKEN_JCC", "cond-branches-taken"},
    {"BR_INST_RETIRED:COND_NTAKEN", "cond-branches-not-taken"},
    {"BR_INST_RETIRED:NOT_TAKEN", "cond-branches-not-taken"}, /* no other branch can be */
    {"BR_INST_RETIRED:NEAR_CALL", "calls"},
    {"BR_INST_RETIRED:CALL", "calls"},
    {"BR_INST_RETIRED:NEAR_RETURN", "returns"},
    {"BR_INST_RETIRED:RETURN", "returns"},
    {"BR_INST_RETIRED:INDIRECT", "indirect-branches"},
    {"BR_INST_RETIRED:NON_RETURN_IND", "indirect-branches"},
    {"MISPREDICTED_BRANCH_RETIRED", "branch-misses"},
    {"BR_MISP_RETIRED:ALL_BRANCHES", "branch-misses"},
    {"BR_MISP_RETIRED:COND", "cond-branch-misses"},
    {"BR_MISP_RETIRED:CONDITIONAL", "cond-branch-misses"},
    {"BR_MISP_RETIRED:JCC", "cond-branch-misses"},
    {"MEM_INST_RETIRED:ALL_LOADS", "loads"},
    {"MEM_INST_RETIRED:ALL_STORES", "stores"},
    {"MEM_INST_RETIRED:LOADS", "loads"},
    {"MEM_INST_RETIRED:STORES", "stores"},
    {"MEM_UOPS_RETIRED:ALL_LOADS", "loads"},
    {"MEM_UOPS_RETIRED:ALL_STORES", "stores"},
    {"MEM_INST_RETIRED:SPLIT_LOADS", "split-loads"},
    {"MEM_UOPS_RETIRED:SPLIT_LOADS", "split-loads"},
    {"FP_ARITH:SCALAR_SINGLE", "fp-scalar-single"},
    {"FP_ARITH:SCALAR_DOUBLE", "fp-scalar-double"},
    {"FP_ARITH_INST_RETIRED:SCALAR_SINGLE", "fp-scalar-single"},
    {"FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "fp-scalar-double"},
    {"MEM_LOAD_RETIRED:L1_MISS", "l1d-load-misses"},
    {"MEM_LOAD_RETIRED:L2_MISS", "l2-load-misses"},
    {"MEM_LOAD_RETIRED:L3_MISS", "llc-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L1_MISS", "l1d-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L2_MISS", "l2-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L3_MISS", "llc-load-misses"},
    {"L2_RQSTS:DEMAND_DATA_RD_MISS", "l2-load-misses"},
    {"L2_RQSTS:CODE_RD_MISS", "l2i-misses"},
    {"ICACHE:MISSES", "l1i-load-misses"},
    {"ICACHE_64B:IFTAG_MISS", "l1i-load-misses"},
    {"LONGEST_LAT_CACHE:MISS", "cache-misses"},
    {"LONGEST_LAT_CACHE:REFERENCE", "cache-references"},
    {"LAST_LEVEL_CACHE_MISSES", "cache-misses"},
    {"LAST_LEVEL_CACHE_REFERENCES", "cache-references"},
    {"DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", "dtlb-load-misses"},
    {"DTLB_LOAD_MISSES:WALK_COMPLETED", "dtlb-load-misses"},
    {"MEM_INST_RETIRED:STLB_MISS_LOADS", "dtlb-load-misses"},
    {"MEM_UOPS_RETIRED:STLB_MISS_LOADS", "dtlb-load-misses"},
    {"DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", "dtlb-store-misses"},
    {"DTLB_STORE_MISSES:WALK_COMPLETED", "dtlb-store-misses"},
    {"ITLB_MISSES:MISS_CAUSES_A_WALK", "itlb-load-misses"},
    {"ITLB_MISSES:WALK_COMPLETED", "itlb-load-misses"},
    {"ITLB:MISS", "itlb-load-misses"},
};

CLASS_TABLE(class_table_intel, "libpfm4 on Intel", rows);
