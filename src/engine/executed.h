/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command executed, from the stretches of code that the probe sends (struct sent_ran) to
 * sums by function, opcode and class. Decoding is the controller's, so that the probe needs none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "decode/walk.h"
#include "engine/session.h"

struct executed;

/* The name of opcode and class of instructions that no decoder knows. */
#define EXECUTED_UNKNOWN "(unknown)"

/* isa: of the machine under test. 0 or -ENOMEM; free it in either case. */
int executed_new(struct executed **executed, const char *isa);
/* A stretch. Instructions that no decoder knows are counted, and said (executed_unknown). */
int executed_add(struct executed *executed, const struct sent_ran *ran, struct failure *failure);
/* Puts the sums of the visit into the store, whose visit is under way, and begins anew: functions,
 * opcodes and classes, each the most executed first. opcodes, classes: these as well as functions;
 * of more code than can be kept there are none, and executed_unknown is all of it. Classes: a
 * repeated string instruction loads or stores once; which way branches went is not told. */
int executed_store(struct executed *executed, struct store *store, bool opcodes, bool classes,
                   struct failure *failure);
/* Of the visit that was stored last. */
uint64_t executed_unknown(const struct executed *executed);
void executed_free(struct executed *executed);

/* ----------------------------------------------------------------------------------------------
 * Stretches of executed code, kept until a visit ends, then decoded together: decoders are slow to
 * start, and what is 32-bit code is only known when all of a file was seen. */

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
