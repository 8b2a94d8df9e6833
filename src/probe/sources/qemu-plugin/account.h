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

#include <stdint.h>

#define ACCOUNT_PREFIX  "qemu-run."
#define ACCOUNT_MAGIC   "assay-qemu-run 1"
#define ACCOUNT_MAPS    1024u
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
    uint8_t unused[2936];
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
