/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the plugin writes and the source reads: a text of lines
 *
 *     assay-qemu 1 TARGET
 *     columns NAME NAME …
 *     pass COUNT COUNT …            one for each pass through the window
 *     end PASSES
 *
 * The columns are events of the source but for the last two, which say what the others cannot
 * be trusted for. */
#pragma once

#define QEMU_OUTPUT_MAGIC "assay-qemu 1 "

/* X(symbol, name) */
#define QEMU_COLUMNS(X)                                                                            \
    X(INSTRUCTIONS, "instructions")                                                                \
    X(INSTRUCTIONS_RAW, "instructions-raw")                                                        \
    X(LOADS, "loads")                                                                              \
    X(STORES, "stores")                                                                            \
    X(BRANCHES, "branches")                                                                        \
    X(COND_BRANCHES, "cond-branches")                                                              \
    X(COND_BRANCHES_TAKEN, "cond-branches-taken")                                                  \
    X(COND_BRANCHES_NOT_TAKEN, "cond-branches-not-taken")                                          \
    X(JUMPS, "jumps")                                                                              \
    X(CALLS, "calls")                                                                              \
    X(RETURNS, "returns")                                                                          \
    X(INDIRECT_BRANCHES, "indirect-branches")                                                      \
    X(FP_INSTRUCTIONS, "fp-instructions")                                                          \
    X(FP_OPERATIONS, "fp-operations")                                                              \
    X(FP_ADDS, "fp-adds")                                                                          \
    X(FP_MULS, "fp-muls")                                                                          \
    X(FP_DIVS, "fp-divs")                                                                          \
    X(FP_SQRTS, "fp-sqrts")                                                                        \
    X(FP_FMAS, "fp-fmas")                                                                          \
    X(FP_SCALAR_SINGLE, "fp-scalar-single")                                                        \
    X(FP_SCALAR_DOUBLE, "fp-scalar-double")                                                        \
    X(FP_PACKED_SINGLE, "fp-packed-single")                                                        \
    X(FP_PACKED_DOUBLE, "fp-packed-double")                                                        \
    X(SYSCALLS, "syscalls")                                                                        \
    /* executed instructions that QEMU's disassembler does not know */                             \
    X(UNDECODED, "undecoded")                                                                      \
    /* executed conditional branches to the next instruction: taken or not, nobody can tell */     \
    X(AMBIGUOUS, "ambiguous")

enum qemu_column {
#define QEMU_COLUMN(symbol, name) QEMU_##symbol,
    QEMU_COLUMNS(QEMU_COLUMN)
#undef QEMU_COLUMN
        QEMU_COLUMN_COUNT
};
