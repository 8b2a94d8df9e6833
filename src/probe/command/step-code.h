/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The code of an address space as it is stepped: every instruction that was met, what it is, how
 * often it was executed. Bytes are read by the page, and again only when they may have
 * changed, because reading them at every step would cost as much as the step. */
#pragma once

#include "probe/command/maps.h"
#include "stepped-kind.h"

struct instruction {
    uint64_t address;
    uint8_t bytes[16]; /* zeros behind the end of what is mapped */
    uint8_t length;    /* 0: not known yet */
    uint8_t kind;      /* enum stepped_kind */
    bool narrow;       /* of 32-bit code */
    bool changing;     /* bytes must be looked at every time */
    uint32_t checked;  /* generation in which the bytes were read */
    uint64_t executions, repetitions;
    struct instruction *older; /* what stood at the address before */
};

/* One address space: of a process, or of several between vfork and exec. */
struct code {
    unsigned users;             /* tasks */
    struct instruction **slots; /* by address; a power of two of them */
    size_t slot_count, count;
    struct instruction_block *blocks; /* the memory that instructions live in */
    struct code_page *pages;          /* that were read; NULL: none yet */
    bool narrow, width_known;         /* 32-bit code; asked again after a jump to another segment */
    struct code_maps maps;
    uint32_t generation; /* of mappings: what was read in an earlier one is read again */
    bool stale;          /* maps must be read before they are asked */
};

/* NULL: out of memory. With one user. */
struct code *code_new(void);
void code_free(struct code *code);

/* Where something is executed: the task stands there. 0 with *instruction, or negative errno. The
 * instruction lives as long as the code. What was executed of code that is no longer mapped is
 * written to the visit's details. */
int code_at(const struct command_visit *visit, struct code *code, pid_t task, uint64_t address,
            struct instruction **instruction);

/* These bytes were mapped, protected, unmapped or moved by a call that is over; executable: may
 * they be code now? */
void code_mapped(struct code *code, uint64_t address, uint64_t length, bool executable);

/* Writes what was executed to the visit's details, where they are asked for, and forgets it. */
int code_write(const struct command_visit *visit, struct code *code);
