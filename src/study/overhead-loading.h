/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the loading of overhead: what its steps share. */
#pragma once

#include "study/overhead.h"

/* Where a tour of the case comes from. */
struct overhead_origin {
    uint32_t cell;      /* its id in the store */
    uint32_t runs;      /* planned in each process */
    size_t calls, room; /* taken so far, and room for as many */
    size_t process_room;
};

/* Reads the samples of the store once into the tours; origins in rising order of their cells. A
 * pass that is not whole is left out, and so is a process without a whole one. */
int overhead_take_runs(struct store *store, struct overhead_tour *tours,
                       struct overhead_origin *origins, size_t count, struct failure *failure);

/* Tours from `first` on that are the same as earlier ones of their machine join them. 0 or
 * -ENOMEM. */
int overhead_merge_tours(struct overhead_case *file, size_t first);
