/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plan after plan of one study: each is run, what went wrong is said once, and the next is made
 * only where everything of the last was measured. */
#pragma once

#include "engine/gather.h"

struct planned {
    struct gathering gathering; /* but for cells and time, which every plan has of its own */
    struct failure failure;
    bool *complete; /* every visit so far has ended */
};

/* Runs what the store still lacks of these cells, within so many ms (0: no limit). more: further
 * plans may follow. EXIT_DONE, or the exit code after saying why. */
int planned_run(struct planned *planned, const struct cell *cells, size_t count, uint64_t budget,
                bool more);
/* Says that planning failed; the exit code. */
int planned_failed(struct planned *planned, int error);
bool planned_may_go_on(const struct planned *planned, int status);
