/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of overhead: from stores to the case that its judge gets. */
#pragma once

#include "judge/overhead/evidence.h"
#include "store/store.h"

/* Adds what the store holds: its machine (once for a fingerprint, whose tours are then joined),
 * operations (once for a name), tours with the calls of all processes that ended well, and what
 * failed everywhere as absences. Passes that are not whole are left out. Hostile stores (calls that
 * no text parses, runs beyond the tour, meters that disagree) get a sentence. The caller releases
 * the case also after a failure. */
int overhead_load(struct store *store, struct overhead_case *file, struct failure *failure);
