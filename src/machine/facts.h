/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts: what a machine says of itself, as an ordered list of key and value, with the errno where
 * there is no value. The probe collects them, they travel in hello, the store keeps them, and the
 * doctor judges them; so a recorded machine can be judged again without the machine. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/failure.h"

/* Limits, so that a hostile file or probe cannot make us grow without end. */
#define FACTS_MAX       4096u /* facts */
#define FACTS_MAX_KEY   128u  /* bytes of a key: letters, digits, '.', '_' and '-' */
#define FACTS_MAX_VALUE 8192u /* bytes of a value; longer ones are cut */

struct fact {
    char *key;
    char *value; /* NULL when absent */
    int error;   /* positive errno that explains the absence; 0 when value is present */
};

struct facts {
    struct fact *list;
    size_t count;
};

/* Adds or replaces. value may be NULL, then error (a positive errno) says why. -EINVAL for a
 * malformed key, -E2BIG when the list is full, -ENOMEM. */
int facts_set(struct facts *facts, const char *key, const char *value, int error);
int facts_setf(struct facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const struct fact *facts_find(const struct facts *facts, const char *key);
/* The value, or NULL when the key is unknown or has no value. */
const char *facts_get(const struct facts *facts, const char *key);
/* Why there is no value: the positive errno, ENODATA when the key is unknown, 0 when there is one.
 */
int facts_error(const struct facts *facts, const char *key);
/* The value as a number, or `otherwise`. */
long long facts_number(const struct facts *facts, const char *key, long long otherwise);
void facts_free(struct facts *facts);

/* The text form of recorded machines: "key = value" or "key ! ERRNO-NAME" a line, # comments;
 * newlines and backslashes in values escaped as \n and \\. */
int facts_write(const struct facts *facts, FILE *file);
/* Adds the facts of a file to the list. -EBADMSG and the line's number for what is not facts. */
int facts_read(struct facts *facts, FILE *file, struct failure *failure);

static inline void cleanup_facts(struct facts *facts)
{
    facts_free(facts);
}
#define AUTO_FACTS __attribute__((cleanup(cleanup_facts)))

/* ----------------------------------------------------------------------------------------------
 * errno as a word and back, the same on every libc and ISA: numbers differ between machines
 * (ENOSYS is 38 here and 89 there), so recorded facts carry names. */

/* "ENOENT", or "E4711" for one without a name; written into text, which is returned. */
const char *errno_name(int error, char *text, size_t size);
/* The positive errno of a name that errno_name gave, 0 when it is none. */
int errno_from_name(const char *name);
