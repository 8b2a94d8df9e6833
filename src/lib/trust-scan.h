/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: reads JSON (RFC 8259) piece by piece in fixed memory. Strict: whatever is no
 * JSON is refused with the place where it ceased to be. The reader takes what it knows and skips
 * the rest, which is checked all the same. Every function returns 0 or -EINVAL (-EIO where reading
 * failed), and repeats its first failure from then on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

#define SCAN_DEPTH 16         /* of objects and arrays in each other */
#define SCAN_MOST  (4u << 20) /* bytes of a document */
#define SCAN_KEY   64         /* bytes of a key; longer ones are known to nobody */

struct trust_scan {
    /* --- set by who begins --- */
    const char *name; /* of the document, for sentences */
    int fd;           /* -1: the bytes are all there is */
    struct failure *failure;
    const char *bytes; /* what was read and where it ends */
    size_t size;
    /* --- inside --- */
    size_t at, taken; /* in bytes; before them */
    unsigned line, column;
    unsigned depth;
    int error;
    char buffer[4096];
};

/* Of a file, from its beginning; of bytes in memory. */
void scan_begin_file(struct trust_scan *scan, const char *name, int fd, struct failure *failure);
void scan_begin_bytes(struct trust_scan *scan, const char *name, const char *bytes, size_t size,
                      struct failure *failure);

/* Takes the value that stands next, by one of the functions below. */
typedef int scan_member(struct trust_scan *scan, void *context, const char *key);
typedef int scan_element(struct trust_scan *scan, void *context);

int scan_object(struct trust_scan *scan, scan_member *member, void *context);
int scan_array(struct trust_scan *scan, scan_element *element, void *context);
/* As much as fits of a string, terminated, no character cut in two. cut may be NULL. */
int scan_string(struct trust_scan *scan, char *out, size_t size, bool *cut);
/* The same, or null: then *present is false. */
int scan_string_or_null(struct trust_scan *scan, char *out, size_t size, bool *present);
int scan_skip(struct trust_scan *scan);
/* Nothing but white space may follow. */
int scan_end(struct trust_scan *scan);

/* Fails here, with document and place in front of the words. */
int scan_fail(struct trust_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
