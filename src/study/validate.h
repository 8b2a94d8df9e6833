/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of events against specimens: what to measure next, and from what was stored to the case
 * that the judge gets. */
#pragma once

#include "judge/evidence.h"
#include "engine/session.h"
#include "store/store.h"

/* --- from a store to a case --- */

/* Every event that the store tells of, with all points and runs measured for it. case_release frees
 * it, also after a failure. */
int validate_load(struct store *store, struct case_file *file, struct failure *failure);
