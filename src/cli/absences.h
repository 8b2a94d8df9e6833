/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the catalogue says the machine lacks, as far as a study misses it. */
#pragma once

#include "engine/skips.h"
#include "engine/session.h"
#include "store/store.h"

typedef bool absence_is_missed(const struct catalogue_absence *absence);
/* What is lacking for the same reason becomes one row. 0 or -ENOMEM. */
int absences_skip(const struct catalogue *catalogue, absence_is_missed *is_missed,
                  struct skips *skips);
/* Stores those of a kind beside the events that cannot be opened. */
int absences_put(const struct catalogue *catalogue, const char *kind, struct store *store,
                 struct failure *failure);
/* NULL: it is not among the absences. */
const struct catalogue_absence *absences_find(const struct catalogue *catalogue, const char *kind,
                                              const char *name);
