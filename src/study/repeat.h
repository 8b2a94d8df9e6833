/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of repetition: from stores to the case that its judge gets. */
#pragma once

#include "judge/repeat/evidence.h"
#include "store/store.h"

/* Adds what the store holds to the case: its machine, programs, executions that ended, and
 * absences. Called once a store; programs of the same name and words are joined. Hostile stores get
 * a sentence. The caller releases the case also after a failure. */
int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure);
