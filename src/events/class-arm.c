/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Arm's architectural event names: in sysfs as the driver armv8_pmuv3 publishes them, and in
 * libpfm4's tables of Cortex and Neoverse cores in capitals. What is counted speculatively (LD_SPEC
 * and its kin) is not what was executed and has no class, but for INST_SPEC, which claims just
 * that. BR_IMMED_RETIRED mixes conditional branches, jumps and calls. */
#include "events/class-table.h"

static const struct class_row rows[] = {
    {"inst_retired", "instructions"},
    {"inst_spec", "instructions-issued"},
    {"cpu_cycles", "cycles"},
    {"bus_cycles", "bus-cycles"},
    {"stall_frontend", "frontend-stalls"},
    {"stall_backend", "backend-stalls"},
    {"ld_retired", "loads"},
    {"st_retired", "stores"},
    {"br_retired", "branches"},
    {"br_return_retired", "returns"},
    {"br_mis_pred_retired", "branch-misses"},
    {"l1d_cache", "l1d-accesses"},
    {"l1d_cache_access", "l1d-accesses"},
    {"l1d_cache_rd", "l1d-loads"},
    {"l1d_cache_wr", "l1d-stores"},
    {"l1d_cache_refill", "l1d-misses"},
    {"l1d_cache_refill_rd", "l1d-load-misses"},
    {"l1d_cache_refill_wr", "l1d-store-misses"},
    {"l1i_cache", "l1i-loads"},
    {"l1i_cache_access", "l1i-loads"},
    {"l1i_cache_refill", "l1i-load-misses"},
    {"l2d_cache", "l2-accesses"},
    {"l2d_cache_access", "l2-accesses"},
    {"l2d_cache_refill", "l2-misses"},
    {"ll_cache_rd", "llc-loads"},
    {"ll_cache_miss_rd", "llc-load-misses"},
    {"l1d_tlb_refill", "dtlb-misses"},
    {"l1d_tlb_refill_rd", "dtlb-load-misses"},
    {"l1d_tlb_refill_wr", "dtlb-store-misses"},
    {"dtlb_walk", "dtlb-misses"},
    {"l1i_tlb_refill", "itlb-load-misses"},
    {"itlb_walk", "itlb-load-misses"},
};

CLASS_TABLE(class_table_arm, "Arm", rows);
