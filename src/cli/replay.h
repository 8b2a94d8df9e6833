/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stored run, judged again: from a store alone, without the machine. */
#pragma once

#include "store/store.h"
#include "study/measure.h"

struct replayed_counter {
    char *class, *grade; /* NULL: none */
    struct maybe truth;
};

struct replayed_cell {
    struct cell cell;
    struct replayed_counter counters[CELL_MAX_COUNTERS];
    struct maybe faults, switches; /* the specimen's own */
    uint32_t processes, done, failed;
    int error; /* of the first failed process */
    char *reason;
};

struct replay {
    struct store *store;
    struct replayed_cell *cells;
    size_t count;
};

int replay_open(struct replay *replay, struct store *store, struct failure *failure);
void replay_close(struct replay *replay);

/* The runs of one counter in the order they ran; the caller frees *readings. */
int replay_readings(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                    struct reading **readings, size_t *count, struct failure *failure);
/* Judges them, with the overhead that the matching null cell shows. */
int replay_judge(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                 const struct reading *readings, size_t count, struct summary *summary,
                 struct failure *failure);
