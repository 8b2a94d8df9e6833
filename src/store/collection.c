/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs in one file. */
#include "store/collection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static int take_run(struct store *store, const char *path, struct run_list *runs,
                    struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    runs->list = error < 0 ? NULL : calloc(1, sizeof(*runs->list));
    if (!runs->list) {
        store_info_release(&info);
        return error < 0 ? error : fail_with(failure, -ENOMEM, "out of memory");
    }
    runs->count = 1;
    runs->list[0] = (struct listed_run){.name = strdup(path),
                                        .command = info.command,
                                        .argv = info.argv,
                                        .fingerprint = info.fingerprint,
                                        .started = info.started,
                                        .finished = info.finished};
    info.command = info.argv = info.fingerprint = info.started = info.finished = NULL;
    store_info_release(&info);
    return runs->list[0].name ? 0 : fail_with(failure, -ENOMEM, "out of memory");
}

int run_list_read(const char *path, struct run_list *runs, struct failure *failure)
{
    struct store *store = NULL;
    *runs = (struct run_list){0};
    int error = store_open(&store, path, false, failure);
    if (error == 0)
        error = take_run(store, path, runs, failure);
    store_close(store);
    return error;
}

void run_list_release(struct run_list *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct listed_run *run = &runs->list[i];
        free(run->name);
        free(run->command);
        free(run->argv);
        free(run->fingerprint);
        free(run->started);
        free(run->finished);
    }
    free(runs->list);
    *runs = (struct run_list){0};
}

int collection_write(const char *path, const char *const *from, size_t count,
                     struct failure *failure)
{
    (void)from;
    (void)count;
    return fail_with(failure, -ENOSYS, "%s: collections are not written yet", path);
}
