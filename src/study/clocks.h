/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of clocks: from a store to the case that its judge gets. */
#pragma once

#include "judge/clocks/evidence.h"
#include "store/store.h"

/* What the store holds: its machine, clocks, watches with the readings of all processes that ended
 * well (groups that are not whole are left out), and absences. Hostile stores (columns that no kind
 * of watch has, runs beyond the cell, clocks that nobody described) get a sentence. The caller
 * releases the case also after a failure. */
int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure);
