/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was executed, for counters that tell it: instructions, the memory in which they were
 * found, and the functions that they belong to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/command/command.h"

/* --- for the detail `code` --- */

/* One instruction as a counter found it. */
struct executed_instruction {
    uint64_t address;
    uint8_t bytes[16];
    uint8_t length;
    uint64_t executions;  /* a repeated string instruction once */
    uint64_t repetitions; /* of it beyond the first */
};
/* A stretch of memory with the file behind it, as /proc/PID/maps tells; "" for none, "[vdso]". */
struct mapped {
    uint64_t start, end, offset;
    const char *object;
};
/* Writes instructions (in any order, of one process image) to visit->detail: neighbours that were
 * executed equally often joined, with the object and the function (from its symbol tables) that
 * they belong to. */
int executed_write(const struct command_visit *visit, const struct executed_instruction *list,
                   size_t count, const struct mapped *maps, size_t map_count);

/* --- which memory of a process can be executed, from /proc/PID/maps --- */

struct code_map {
    struct mapped mapped; /* object is owned */
    bool changing;        /* can be written without a system call: itself, or at another address */
};

struct code_maps {
    struct code_map *list; /* by address; executable ones only */
    size_t count;
};

/* Reads them of a task that is stopped. 0 or negative errno. */
int code_maps_read(struct code_maps *maps, pid_t task);
/* The same of lines in memory; what is no such line is left out. -ENOMEM. */
int code_maps_parse(struct code_maps *maps, char *line);
const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t address);
/* Does any of them reach into these bytes? */
bool code_maps_touch(const struct code_maps *maps, uint64_t address, uint64_t length);
/* Has an address become another object's code, or another place of it? */
bool code_maps_replaced(const struct code_maps *before, const struct code_maps *now);
void code_maps_free(struct code_maps *maps);

/* --- functions by address, from the symbol tables of an ELF file: the file is whatever a program
 * mapped, so everything in it is doubted, and what makes no sense is a file without symbols --- */

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
