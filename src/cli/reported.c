/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has every run judged again. */
#include "cli/reported.h"

#include <errno.h>
#include <stdlib.h>

int reported_load(const char *const *paths, size_t count, struct reported *reported,
                  struct failure *failure)
{
    (void)paths;
    (void)count;
    *reported = (struct reported){0};
    return fail_with(failure, -ENOSYS, "reports are not made yet");
}

void reported_release(struct reported *reported)
{
    for (size_t i = 0; i < reported->count; i++)
        retold_release(&reported->list[i].retold);
    for (size_t i = 0; i < reported->file_count; i++)
        run_list_release(&reported->files[i]);
    free(reported->list);
    free(reported->files);
    *reported = (struct reported){0};
}

json_t *reported_json(const struct reported *reported, const char *title)
{
    (void)reported;
    (void)title;
    return json_object();
}
