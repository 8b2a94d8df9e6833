/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --from of commands that judge one stored run again: what its store says of it, in the place of a
 * machine. */
#pragma once

#include "base/failure.h"
#include "engine/options.h"
#include "machine/facts.h"
#include "store/store.h"

struct stored_run {
    struct facts facts;
    struct store_info info; /* seed, fingerprint, command line, and when it was finished */
};

/* Opens a store of that command. The caller closes *store and releases *run also after a failure.
 */
int stored_run_open(const char *path, const char *command, struct store **store,
                    struct stored_run *run, struct failure *failure);
void stored_run_release(struct stored_run *run);

/* What makes no sense beside --from, each with whether it was given. -EINVAL names those. */
struct beside_from {
    const char *option; /* "--cpu" */
    bool given;
};
int stored_run_check(const char *from, const struct beside_from *list, size_t count,
                     struct failure *failure);

/* The row of the option. */
#define OPTION_ROW_FROM(offset)                                                                    \
    {                                                                                              \
        0, "from", OPTION_STRING, "FILE",                                                          \
            "judge the run stored in FILE again, without touching a machine", (offset), NULL       \
    }
