/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory for specimens that read and write without faulting: page-aligned, and every page of it
 * written once before the window opens. */
#pragma once

#include "specimens/specimen.h"

/* Sets memory and bytes. -ENOMEM with a sentence where it would take more than half of what the
 * machine has: a specimen must not wake the out-of-memory killer. */
int scratch_map(struct specimen_state *state, size_t bytes, struct failure *failure);

/* prepare of a specimen that a page is enough for. */
int scratch_prepare_page(struct specimen_state *state, struct failure *failure);

/* restore of a specimen whose memory is from here. */
void scratch_unmap(struct specimen_state *state);
