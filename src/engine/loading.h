/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What laying a store before a judge has in common, whatever was measured: copies of words, the
 * machine's name, whether two stores were measured by the same harnesses. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "machine/facts.h"
#include "store/store.h"

/* -ENOMEM, with the sentence. */
int loading_no_memory(struct failure *failure);
/* A copy of its own; false: out of memory. Where there is nothing to copy, the first leaves NULL
 * and the second "". */
bool copy_if_any(char **to, const char *from);
bool copy_or_empty(char **to, const char *from);

/* "AMD EPYC (x86_64)"; NULL: out of memory. The caller frees it. */
char *loading_machine_name(const struct facts *facts);

/* Stores of one machine that were measured by different builds of the harnesses cannot be judged
 * together. *kit: of the stores of this machine so far, NULL or "" while none is known; becomes
 * that of `store` then. why: "their windows are different code". -EINVAL after saying so. */
int loading_same_kit(const struct store *store, const char *of_store, char **kit, const char *why,
                     struct failure *failure);
