/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store of measurement errors as a session writes it, with effects of known size: what judging it
 * must find again, and what it must not find. For the bench and for a test that is smaller. */
#pragma once

#include "store/store.h"

/* The null error in instructions: a sum of what the level of each factor adds. The level of
 * optimisation and the way of linking add nothing. */
#define PLANTED_BASE         20
#define PLANTED_KERNEL       300 /* in user and kernel mode together */
#define PLANTED_FIRST_RUN    50  /* in the first run of a process besides */
#define PLANTED_EACH_COUNTER 12  /* for each further counter, where the kernel is counted */
#define PLANTED_PATHS        4
#define PLANTED_PATTERN_MOST 60
#define PLANTED_PATH_MOST    200
#define PLANTED_SLOPE        0.0017 /* for each iteration, where the kernel is counted */
#define PLANTED_TICK         3400   /* instructions for each interrupt */
#define PLANTED_PLACE_FACTOR 2.0    /* between the slowest and the fastest place */
extern const char *const planted_paths[PLANTED_PATHS];
extern const int planted_path_adds[PLANTED_PATHS]; /* up to PLANTED_PATH_MOST */
extern const int planted_pattern_adds[PATTERN_COUNT];

struct planted_size {
    uint64_t samples; /* at least as many, but for the last round of processes */
    uint64_t seed;
};
struct planted_written {
    uint64_t samples;
    size_t cells, visits;
    uint32_t processes; /* of a null cell */
};

/* Makes the store at path and finishes it. */
int planted_write(const char *path, const struct planted_size *size,
                  struct planted_written *written, struct failure *failure);
