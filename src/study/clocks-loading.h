/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the loading of clocks: what its steps share. */
#pragma once

#include "study/clocks.h"

/* Where a watch of the case comes from. */
struct clocks_origin {
    uint32_t cell;      /* its id in the store */
    uint32_t runs;      /* planned in each process */
    size_t looks, room; /* taken so far, and room for as many */
    size_t process_room;
};

/* Reads the samples of the store once into the watches; origins in rising order of their cells.
 * What is beyond the last whole group of a process is left out, and so is a process without one. */
int clocks_take_looks(struct store *store, struct clock_watch *watches,
                      struct clocks_origin *origins, size_t count, struct failure *failure);
