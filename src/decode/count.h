/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One specimen, counted from its code alone: the source `decode`, which is what it executes of each
 * class between opening and closing, and its opcodes. Nothing is run. */
#pragma once

#include "decode/decode.h"
#include "decode/walk.h"

/* A specimen's code as it stands on the machine under test. */
struct specimen_code {
    struct code_bytes code; /* its own; length 0: it has none */
    struct code_bytes call; /* the window's instructions that call it; length 0: it stands inline */
    struct trips trips;
};

/* All classes that can be told, for every N. Failures are those of decode and walk_counts. */
int count_code(const struct decoder *decoder, const struct specimen_code *specimen,
               struct tallies *tallies, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * How often a specimen executes each opcode, for every N: some processors count certain opcodes
 * wrongly, and this tells which specimens have them. Read from the code; nothing is run. */

struct opcode {
    /* As people write it, without operands: "lock add", "rep movsb", "jne", "9-byte nop". */
    char name[OPCODE_SIZE];
    struct linear count;
};

/* In the order in which the code has them, each once; what is never executed is left out. The
 * counts add up to the class instructions. */
struct opcodes {
    struct opcode *list;
    size_t count;
};

/* By the first decoder that understands the code; *decoder (which may be NULL) becomes its name.
 * Failures are those of decode and walk_counts. */
int opcodes_count(const struct specimen_code *specimen, struct opcodes *opcodes,
                  const char **decoder, struct failure *failure);
/* By this one. On failure opcodes is empty. */
int opcodes_count_with(const struct decoder *decoder, const struct specimen_code *specimen,
                       struct opcodes *opcodes, struct failure *failure);
void opcodes_release(struct opcodes *opcodes);

/* One name for an instruction, whoever decoded it. */
void opcode_name(const char *isa, const struct instruction *instruction, char name[OPCODE_SIZE]);
