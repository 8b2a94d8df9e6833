/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory for specimens that count page faults: mapped for one run, none of it touched yet. */
#pragma once

#include "specimens/specimen.h"

/* All put the mapping into state->memory, its length into state->bytes and the size of a page into
 * operands[0], where CODE_STEP finds it. 0, or negative errno with a sentence. */

/* N pages of the process's own, kept from becoming huge pages, which would fault once for many. */
int mapping_fresh(struct specimen_state *state, struct failure *failure);

/* N pages of a file in memory that has none yet, mapped to be written by many. */
int mapping_shared(struct specimen_state *state, struct failure *failure);

/* N pages of a file that are in memory already, mapped to be read. */
int mapping_cached(struct specimen_state *state, struct failure *failure);

/* Half of the machine's memory at most: a specimen must not wake the out-of-memory killer. */
int mapping_afford(uint64_t bytes, struct failure *failure);

void mapping_release(struct specimen_state *state);
