/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which memory of a process can be executed, from /proc/PID/maps: for who counts what is executed,
 * and tells whose code it was. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/command/command.h"

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
