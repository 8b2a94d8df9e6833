/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the store that --from names. */
#include "cli/stored-run.h"

#include <errno.h>

#include "base/text.h"
#include "engine/run-store.h"

int stored_run_open(const char *path, const char *command, struct store **store,
                    struct stored_run *run, struct failure *failure)
{
    int error = run_store_open_from(path, command, store, &run->info, failure);
    return error < 0 ? error : store_facts(*store, &run->facts, failure);
}

void stored_run_release(struct stored_run *run)
{
    facts_free(&run->facts);
    store_info_release(&run->info);
    *run = (struct stored_run){0};
}

int stored_run_check(const char *from, const struct beside_from *list, size_t count,
                     struct failure *failure)
{
    AUTO_TEXT struct text given = {0};
    for (size_t i = 0; from && i < count; i++)
        if (list[i].given)
            text_printf(&given, "%s%s", given.length ? ", " : "", list[i].option);
    if (!given.length)
        return 0;
    return fail_with(failure, -EINVAL,
                     "--from judges a stored run again, all of it and nothing else: leave out %s",
                     text_string(&given));
}
