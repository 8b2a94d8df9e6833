/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs one plan after the other. */
#include "cli/planned.h"

#include "cli/deliver.h"

int planned_run(struct planned *planned, const struct cell *cells, size_t count, uint64_t budget,
                bool more)
{
    struct gathering *gathering = &planned->gathering;
    gathering->cells = cells;
    gathering->cell_count = count;
    gathering->budget = budget;
    gathering->more = more;
    int status = gather(gathering, planned->complete, &planned->failure);
    gathering->resumed = false;
    return planned->failure.code ? deliver_failure(gathering->command, &planned->failure, status)
                                 : status;
}

int planned_failed(struct planned *planned, int error)
{
    if (!planned->failure.code)
        fail_with(&planned->failure, error, "out of memory");
    return deliver_failure(planned->gathering.command, &planned->failure, EXIT_FAILED);
}

bool planned_may_go_on(const struct planned *planned, int status)
{
    return status == EXIT_DONE && *planned->complete;
}
