/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of a catalogue, and looks at them. */
#include <errno.h>
#include <string.h>

#include "session/catalogue.h"

const struct catalogue_clock *catalogue_clock(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (strcmp(catalogue->clocks[i].name, name) == 0)
            return &catalogue->clocks[i];
    return NULL;
}

int session_look(struct session *session, const char *const *clocks, size_t count,
                 uint64_t *readings, uint64_t *sent, uint64_t *received, struct failure *failure)
{
    (void)session, (void)clocks, (void)count, (void)readings, (void)sent, (void)received;
    return fail_with(failure, -ENOENT, "the probe does not look at clocks yet");
}
