/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The number of a counter is part of the instruction that reads it on RISC-V: a table with one
 * entry an index that a mapped page may name. Index 0: none, 1: cycle, 2: time, 3: instret, 4 … 32:
 * hpmcounter3 … 31. All entries have eight bytes: neither assembler nor linker may shorten them,
 * which whoever puts it somewhere says (.option norvc, norelax). Not part of the interface. */
#ifndef ASSAY_COUNTER_TABLE_RISCV64_H
#define ASSAY_COUNTER_TABLE_RISCV64_H

#define ASSAY_COUNTER_ENTRY(read, end)    read "\tj " end "\n"
#define ASSAY_COUNTER_CSR(raw, end, name) ASSAY_COUNTER_ENTRY("\tcsrr " raw ", " name "\n", end)

/* Leaves the counter in the register `raw`, and goes to the label `end`. Written out, because
 * compilers take the lines of a text for its length. */
/* clang-format off */
#define ASSAY_COUNTER_TABLE(raw, end) \
    ASSAY_COUNTER_ENTRY("\tli " raw ", 0\n", end) \
    ASSAY_COUNTER_CSR(raw, end, "cycle") ASSAY_COUNTER_CSR(raw, end, "time") \
    ASSAY_COUNTER_CSR(raw, end, "instret") ASSAY_COUNTER_CSR(raw, end, "hpmcounter3") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter4") ASSAY_COUNTER_CSR(raw, end, "hpmcounter5") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter6") ASSAY_COUNTER_CSR(raw, end, "hpmcounter7") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter8") ASSAY_COUNTER_CSR(raw, end, "hpmcounter9") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter10") ASSAY_COUNTER_CSR(raw, end, "hpmcounter11") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter12") ASSAY_COUNTER_CSR(raw, end, "hpmcounter13") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter14") ASSAY_COUNTER_CSR(raw, end, "hpmcounter15") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter16") ASSAY_COUNTER_CSR(raw, end, "hpmcounter17") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter18") ASSAY_COUNTER_CSR(raw, end, "hpmcounter19") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter20") ASSAY_COUNTER_CSR(raw, end, "hpmcounter21") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter22") ASSAY_COUNTER_CSR(raw, end, "hpmcounter23") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter24") ASSAY_COUNTER_CSR(raw, end, "hpmcounter25") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter26") ASSAY_COUNTER_CSR(raw, end, "hpmcounter27") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter28") ASSAY_COUNTER_CSR(raw, end, "hpmcounter29") \
    ASSAY_COUNTER_CSR(raw, end, "hpmcounter30") ASSAY_COUNTER_CSR(raw, end, "hpmcounter31")
/* clang-format on */

#endif
