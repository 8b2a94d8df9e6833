/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stretches of executed code, kept until a visit ends, then decoded together: decoders are slow to
 * start, and what is 32-bit code is only known when all of a file was seen. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "decode/walk.h"

#define EXECUTED_MOST_BYTES                                                                        \
    (64u << 20) /* of code of one execution; beyond it only functions count */

struct code_stretch {
    size_t offset, length; /* in bytes */
    uint64_t address;
    size_t object; /* number of the file that it is from */
    uint32_t instructions;
    uint64_t executions, repetitions;
};

struct executed_code {
    uint8_t *bytes;
    size_t length, capacity;
    struct code_stretch *list;
    size_t count;
};

/* Takes a copy. 0 or -ENOMEM. */
int executed_code_add(struct executed_code *code, const struct code_stretch *stretch,
                      const void *bytes);
void executed_code_clear(struct executed_code *code);
void executed_code_free(struct executed_code *code);

/* Called for each instruction of each stretch, with the ISA by which it was decoded; NULL: that
 * many instructions of the stretch no decoder knows. A negative result ends the decoding. */
typedef int executed_each(void *context, const struct code_stretch *stretch, const char *isa,
                          const struct instruction *instruction, uint64_t unknown,
                          struct failure *failure);
/* isa: of the machine. Without any decoder for it all is unknown, and *decoded is false. */
int executed_code_decode(const struct executed_code *code, const char *isa, size_t objects,
                         executed_each *each, void *context, bool *decoded,
                         struct failure *failure);
