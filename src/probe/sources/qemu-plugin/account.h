/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The account of a process that QEMU runs: what it executed, instruction by instruction. It is a
 * file that the plugin has mapped and counts in, so it is there however the process ends: by
 * itself, by a signal, or because its time was over. One file a process, and another one for each
 * program that it executes; named ACCOUNT_PREFIX, the id of the process, a dot, and a number; in
 * the order of bytes of the machine that runs QEMU.
 *
 *     header | maps | records
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ACCOUNT_PREFIX  "qemu-run."
#define ACCOUNT_MAGIC   "assay-qemu-run 1"
#define ACCOUNT_MAPS    1024u
#define ACCOUNT_REFUSED 16u
#define ACCOUNT_RECORDS (4u << 20) /* the file has holes where nothing was recorded */

/* Why an account is not whole. */
enum account_lack {
    ACCOUNT_WHOLE,
    ACCOUNT_TOO_MUCH_CODE, /* more than ACCOUNT_RECORDS different instructions */
    ACCOUNT_TOO_MANY_THREADS,
    ACCOUNT_NO_MEMORY,
    ACCOUNT_STRANGE_CODE, /* without bytes, or with more than ACCOUNT_BYTES */
    ACCOUNT_LOST_CHILD,   /* a child could not make an account of its own */
    ACCOUNT_LACKS
};

struct account_header {
    char magic[16]; /* without its end */
    char target[16];
    uint64_t lack; /* enum account_lack */
    uint64_t process, parent;
    uint64_t image;   /* the same in all that came out of one exec by forks */
    uint64_t base;    /* what QEMU adds to the program's addresses */
    uint64_t records; /* how many there are of the others */
    uint64_t maps;
    uint64_t blocks;   /* entries of blocks, while there is one thread */
    uint64_t tasks;    /* threads that there were, the first with them */
    uint64_t forks;    /* processes that it made: each has an account, or something is missing */
    uint64_t calls;    /* system calls */
    uint64_t followed; /* programs that it executed in QEMU: with an account, as forks */
    uint64_t leaving;  /* calls that execute another program and have not returned */
    char other[1024];  /* the program of the latest of them */
    uint64_t refused[ACCOUNT_REFUSED]; /* 1 + the number of calls that ended in ENOSYS, each once */
    uint64_t starved;                  /* calls that ended in ENOMEM */
    uint64_t unlimited; /* limits of memory that it set, and that QEMU does not apply */
    uint8_t unused[2792];
};
_Static_assert(sizeof(struct account_header) == 4096, "one page");

/* A stretch of the program's memory, by its own addresses. */
struct account_map {
    uint64_t start, end, offset;
    char object[232];
};
_Static_assert(sizeof(struct account_map) == 256, "the file's format");

/* Fields of `about`. */
#define ACCOUNT_LENGTH   0x0fu
#define ACCOUNT_REPEATED 0x10u /* a string instruction with a prefix that repeats it */
#define ACCOUNT_WATCHED  0x20u /* `done` counts executions that came to their end */
#define ACCOUNT_FAULTS   0x40u /* never comes to its end */
#define ACCOUNT_BYTES    15u

/* An instruction: other bytes at the same address are another one. QEMU executes blocks, straight
 * runs of instructions; where one is interrupted by a fault, what comes behind is not counted, so
 *
 *     inner(before) + entries(this) - inner(this) - last(this)
 *
 * is how often the one before did not come to its end, and was counted nevertheless. */
struct account_record {
    uint64_t address;
    uint8_t bytes[ACCOUNT_BYTES];
    uint8_t about;
    uint64_t entries;     /* of blocks that begin with it */
    uint64_t inner;       /* begun, with more behind it in its block */
    uint64_t last;        /* begun as the last of its block */
    uint64_t repetitions; /* of these, straight after itself */
    uint64_t done;        /* of `last`, where watched */
};
_Static_assert(sizeof(struct account_record) == 64, "the file's format");

#define ACCOUNT_MAPS_AT    sizeof(struct account_header)
#define ACCOUNT_RECORDS_AT (ACCOUNT_MAPS_AT + ACCOUNT_MAPS * sizeof(struct account_map))
#define ACCOUNT_FILE_BYTES                                                                         \
    (ACCOUNT_RECORDS_AT + (uint64_t)ACCOUNT_RECORDS * sizeof(struct account_record))

/* What the plugin writes and the source reads: a text of lines
 *
 *     assay-qemu 1 TARGET
 *     columns NAME NAME …
 *     pass COUNT COUNT …            one for each pass through the window
 *     end PASSES
 *
 * The columns are events of the source but for the last two, which say what the others cannot
 * be trusted for. */

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

/* Scripts: QEMU's user mode executes ELF files only, so whoever starts it does what the operating
 * system does with a file that begins with #!. Both the plugin and the driver do; libc only. */

#define SCRIPT_LINE 256 /* bytes of the first line that count, as for the operating system */
#define SCRIPT_DEEP 5   /* interpreters that are scripts themselves */

struct script {
    char line[SCRIPT_LINE + 1];
    const char *interpreter; /* in line */
    const char *argument;    /* in line; NULL: none */
};

/* Is this file a script? Then with which interpreter? */
bool script_read(const char *path, struct script *script);
