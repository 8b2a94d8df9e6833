/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What PAPI's presets claim to count, by the words PAPI itself describes them with. Which events of
 * the CPU stand behind a preset PAPI decides; whether they keep the claim is what is measured.
 *
 * Left out on purpose: presets whose class no code can be known to have (stalls, idle units,
 * snoops, hits of caches), sums of classes (PAPI_LST_INS, PAPI_L1_TCM, PAPI_BR_UCN), and those of
 * a third level, which is the last one on some CPUs only. */
#include "events/class-table.h"

static const struct class_row rows[] = {
    {"PAPI_TOT_INS", "instructions"},
    {"PAPI_TOT_IIS", "instructions-issued"},
    {"PAPI_TOT_CYC", "cycles"},
    {"PAPI_REF_CYC", "ref-cycles"},
    {"PAPI_LD_INS", "loads"},
    {"PAPI_SR_INS", "stores"},
    {"PAPI_BR_INS", "branches"},
    {"PAPI_BR_CN", "cond-branches"},
    {"PAPI_BR_TKN", "cond-branches-taken"},
    {"PAPI_BR_NTK", "cond-branches-not-taken"},
    {"PAPI_BR_MSP", "cond-branch-misses"},
    {"PAPI_FP_INS", "fp-instructions"},
    {"PAPI_FP_OPS", "fp-operations"},
    {"PAPI_FAD_INS", "fp-adds"},
    {"PAPI_FML_INS", "fp-muls"},
    {"PAPI_FDV_INS", "fp-divs"},
    {"PAPI_FSQ_INS", "fp-sqrts"},
    {"PAPI_FMA_INS", "fp-fmas"},
    {"PAPI_VEC_SP", "fp-packed-single"},
    {"PAPI_VEC_DP", "fp-packed-double"},
    {"PAPI_L1_DCA", "l1d-accesses"},
    {"PAPI_L1_DCR", "l1d-loads"},
    {"PAPI_L1_DCW", "l1d-stores"},
    {"PAPI_L1_DCM", "l1d-misses"},
    {"PAPI_L1_LDM", "l1d-load-misses"},
    {"PAPI_L1_STM", "l1d-store-misses"},
    {"PAPI_L1_ICR", "l1i-loads"},
    {"PAPI_L1_ICM", "l1i-load-misses"},
    {"PAPI_L2_TCA", "l2-accesses"},
    {"PAPI_L2_TCM", "l2-misses"},
    {"PAPI_L2_DCM", "l2d-misses"},
    {"PAPI_L2_LDM", "l2-load-misses"},
    {"PAPI_L2_ICM", "l2i-misses"},
    {"PAPI_TLB_DM", "dtlb-misses"},
    {"PAPI_TLB_IM", "itlb-load-misses"},
    {"PAPI_TLB_TL", "tlb-misses"},
};

CLASS_TABLE(class_table_papi, "PAPI", rows);
