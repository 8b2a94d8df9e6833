/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command executed, from the stretches of code that the probe sends (struct sent_ran) to
 * sums by function, opcode and class. Decoding is the controller's, so that the probe needs none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "engine/session.h"

struct executed;

/* The name of opcode and class of instructions that no decoder knows. A row of a class tells as
 * repetitions how many instructions may be of it, too: then its count is a limit. */
#define EXECUTED_UNKNOWN "(unknown)"

/* isa: of the machine under test. 0. */
int executed_new(struct executed **executed, const char *isa);
/* A stretch. Instructions that no decoder knows are counted, and said (executed_unknown); of some
 * a part is known, as where control goes. */
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
