/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions by address, from the symbol tables of an ELF file. The file is whatever a program
 * mapped: everything in it is doubted, and what makes no sense is a file without symbols. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t start, end; /* as the file has addresses */
    uint32_t name;       /* place in names */
    uint8_t rank;        /* of several at one address the lowest is taken */
};

/* Where a part of the file is loaded. */
struct segment {
    uint64_t offset, bytes, address;
};

struct symbols {
    struct symbol *list; /* by start */
    size_t count;
    char *names; /* terminated as a whole */
    size_t name_bytes;
    struct segment *segments;
    size_t segment_count;
};

/* Of a file, or of this process's own vDSO for "[vdso]". A file without any, or that cannot be
 * read, has none: 0. -ENOMEM. */
int symbols_read(struct symbols *symbols, const char *object);
/* The same of bytes in memory, for tests. */
int symbols_read_bytes(struct symbols *symbols, const void *bytes, size_t length);
void symbols_free(struct symbols *symbols);

/* The function that holds this place of the file; NULL: none. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);
