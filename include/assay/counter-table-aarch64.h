/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Every counter of AArch64's PMU has an instruction of its own: a table with one entry an index
 * that a mapped page may name, all of the same length and number of instructions. Index 0: none,
 * 1 … 31: PMEVCNTR0 … 30, 32: the cycle counter. The indirect way through PMSELR would be wrong,
 * because a context switch does not preserve it. Not part of the interface. */
#ifndef ASSAY_COUNTER_TABLE_AARCH64_H
#define ASSAY_COUNTER_TABLE_AARCH64_H

/* Where branches are guarded every entry must be a landing place. */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define ASSAY_COUNTER_STRIDE "4"
#define ASSAY_COUNTER_LAND   "\tbti j\n"
#define ASSAY_COUNTER_FILL   "\tnop\n"
#else
#define ASSAY_COUNTER_STRIDE "3" /* the logarithm of its bytes */
#define ASSAY_COUNTER_LAND   ""
#define ASSAY_COUNTER_FILL   ""
#endif

#define ASSAY_COUNTER_ENTRY(read, end) ASSAY_COUNTER_LAND read "\tb " end "\n" ASSAY_COUNTER_FILL

#define ASSAY_COUNTER_EVENT(raw, end, number)                                                      \
    ASSAY_COUNTER_ENTRY("\tmrs " raw ", pmevcntr" number "_el0\n", end)

/* Leaves the counter in the register `raw`, and goes to the label `end`. Written out, because
 * compilers take the lines of a text for its length. */
/* clang-format off */
#define ASSAY_COUNTER_TABLE(raw, end) \
    ASSAY_COUNTER_ENTRY("\tmov " raw ", #0\n", end) \
    ASSAY_COUNTER_EVENT(raw, end, "0") ASSAY_COUNTER_EVENT(raw, end, "1") \
    ASSAY_COUNTER_EVENT(raw, end, "2") ASSAY_COUNTER_EVENT(raw, end, "3") \
    ASSAY_COUNTER_EVENT(raw, end, "4") ASSAY_COUNTER_EVENT(raw, end, "5") \
    ASSAY_COUNTER_EVENT(raw, end, "6") ASSAY_COUNTER_EVENT(raw, end, "7") \
    ASSAY_COUNTER_EVENT(raw, end, "8") ASSAY_COUNTER_EVENT(raw, end, "9") \
    ASSAY_COUNTER_EVENT(raw, end, "10") ASSAY_COUNTER_EVENT(raw, end, "11") \
    ASSAY_COUNTER_EVENT(raw, end, "12") ASSAY_COUNTER_EVENT(raw, end, "13") \
    ASSAY_COUNTER_EVENT(raw, end, "14") ASSAY_COUNTER_EVENT(raw, end, "15") \
    ASSAY_COUNTER_EVENT(raw, end, "16") ASSAY_COUNTER_EVENT(raw, end, "17") \
    ASSAY_COUNTER_EVENT(raw, end, "18") ASSAY_COUNTER_EVENT(raw, end, "19") \
    ASSAY_COUNTER_EVENT(raw, end, "20") ASSAY_COUNTER_EVENT(raw, end, "21") \
    ASSAY_COUNTER_EVENT(raw, end, "22") ASSAY_COUNTER_EVENT(raw, end, "23") \
    ASSAY_COUNTER_EVENT(raw, end, "24") ASSAY_COUNTER_EVENT(raw, end, "25") \
    ASSAY_COUNTER_EVENT(raw, end, "26") ASSAY_COUNTER_EVENT(raw, end, "27") \
    ASSAY_COUNTER_EVENT(raw, end, "28") ASSAY_COUNTER_EVENT(raw, end, "29") \
    ASSAY_COUNTER_EVENT(raw, end, "30") \
    ASSAY_COUNTER_ENTRY("\tmrs " raw ", pmccntr_el0\n", end)
/* clang-format on */

#endif
