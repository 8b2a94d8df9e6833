/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Says how a run goes on that is not finished. */
#include "cli/unfinished.h"

#include "cli/deliver.h"
#include "show/shell.h"
#include "store/collection.h"

static bool is_collected(const char *stored)
{
    struct run_list runs = {0};
    struct failure ignored = {0};
    bool collected = run_list_read(stored, &runs, &ignored) == 0 && runs.count && runs.list->number;
    run_list_release(&runs);
    return collected;
}

void unfinished_put(const char *command, const char *stored, const struct common_options *common,
                    struct text *out)
{
    if (is_collected(stored)) {
        text_puts(out, "Not finished: what is missing was not there when the run was put into this "
                       "collection. ");
        return;
    }
    text_printf(out, "Not finished: what is missing comes with `assay %s --resume --store ",
                command);
    text_put_shell(out, stored);
    deliver_put_via(common, out);
    text_puts(out, "`. ");
}
