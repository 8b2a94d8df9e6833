/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From bytes of code to instructions. Two back ends stand behind one contract and share no table,
 * so that they can be held against each other: Capstone, by its identifiers and operands, and
 * objdump, by the text it prints. */
#pragma once

#include "base/failure.h"
#include "decode/instruction.h"

#define DECODE_MAX_BYTES (16u << 20) /* of code: more is no specimen */

struct code_bytes {
    const char *isa; /* as `uname -m` says it; "i386" of 32-bit programs on x86_64 */
    uint64_t address;
    const void *bytes;
    size_t length;
};

struct decoder {
    const char *name; /* "capstone", "objdump" */
    /* Decodes from the first byte to the last. What is no instruction, or unknown to the back end,
     * comes as one that is not `known`. -ENOTSUP with the reason: this back end does not do this
     * ISA, or not on this machine. */
    int (*decode)(const struct code_bytes *code, struct instructions *instructions,
                  struct failure *failure);
};

extern const struct decoder decoder_capstone, decoder_objdump;
extern const struct decoder *const decoders[]; /* all; ends with NULL */

/* Fills in where indirect transfers lead, as far as that can be read. 0 or -ENOMEM. */
int decode_resolve(struct instructions *instructions);

/* Checks what decoder is given, decodes, and checks that what came back is whole: ascending,
 * without gaps, all bytes. On failure instructions is empty. */
int decode(const struct decoder *decoder, const struct code_bytes *code,
           struct instructions *instructions, struct failure *failure);
