/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checksums, because SQLite has none: a flipped bit in a count would be a wrong count. Every visit
 * carries one over its samples, a finished store one over everything else. Not a signature: who
 * changes a store on purpose can change them too. */
#pragma once

#include "store/handle.h"

/* Each step is a bijection of sum for a given word and of word for a given sum, so one wrong word
 * always shows. */
static inline uint64_t checksum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

static inline uint64_t checksum_sample(uint64_t sum, int64_t key, uint64_t value, uint64_t enabled,
                                       uint64_t running, const struct account *account)
{
    sum = checksum_word(sum, (uint64_t)key);
    sum = checksum_word(sum, value);
    sum = checksum_word(sum, enabled);
    sum = checksum_word(sum, running);
    sum = checksum_word(sum, account->minor_faults);
    sum = checksum_word(sum, account->major_faults);
    sum = checksum_word(sum, account->voluntary);
    return checksum_word(sum, account->involuntary);
}

/* Writes the checksum of a finished store's tables other than samples into meta. */
int checksum_put(struct store *store, struct failure *failure);
/* Compares it, and what a collection keeps. -EBADMSG: something was changed since the run finished.
 */
int checksum_verify(struct store *store, struct failure *failure);
/* The same of any store, finished or not, as digits. */
int checksum_of_tables(struct store *store, char text[17], struct failure *failure);
/* The same over the rows of one query, added to *sum. */
int checksum_add_rows(struct store *store, const char *query, uint64_t *sum,
                      struct failure *failure);
void checksum_text(uint64_t sum, char text[17]);

/* The tables of a store other than samples. */
struct checked_table {
    int since; /* the schema that brought it */
    const char *name;
    const char *query; /* its rows in the order of the key */
};
extern const struct checked_table checked_tables[]; /* ends with name NULL */
/* Is a table of a finished store what it was? 1, 0, -ENODATA where older stores do not tell, or why
 * it cannot be read. */
int checksum_holds(struct store *store, const struct checked_table *table, struct failure *failure);
