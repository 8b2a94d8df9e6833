/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What became of a command, from the store and as JSON. */
#include "cli/command-outcome.h"

#include <errno.h>
#include <string.h>

#include "output/json.h"
#include "wire/command.h"

static int take(void *context, const struct stored_cell *stored)
{
    struct command_outcome *outcome = context;
    if (stored->cell.id != outcome->cell)
        return 0;
    outcome->done = stored->done > stored->failed;
    outcome->error = stored->error;
    outcome->reason = strdup(stored->reason ? stored->reason : strerror(stored->error));
    return outcome->reason ? 0 : -ENOMEM;
}

int command_outcome_find(struct store *store, struct command_outcome *outcome,
                         struct failure *failure)
{
    int error = store_each_cell(store, take, outcome, failure);
    return error < 0 && !failure->code ? fail_with(failure, error, "out of memory") : error;
}

void command_ending_put(json_t *object, uint64_t status)
{
    const bool timed_out = status >= STATUS_TIMEOUT, signalled = status >= STATUS_SIGNAL;
    if (signalled)
        json_absent(object, "exit_status", timed_out ? "its time was over" : "a signal ended it");
    else
        json_object_set_new(object, "exit_status", json_integer((json_int_t)status));
    if (signalled)
        json_object_set_new(
            object, "signal",
            json_integer((json_int_t)(status - (timed_out ? STATUS_TIMEOUT : STATUS_SIGNAL))));
    else
        json_absent(object, "signal", "it exited by itself");
    json_object_set_new(object, "timed_out", json_boolean(timed_out));
}
