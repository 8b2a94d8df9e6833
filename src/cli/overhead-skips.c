/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` could not measure, by the reason. */
#include <string.h>

#include "cli/overhead-run.h"
#include "cli/skip-groups.h"

static bool is_said(const struct skips *skips, const char *reason)
{
    for (size_t i = 0; i < skips->count; i++)
        if (strcmp(skips->list[i].reason, reason) == 0)
            return true;
    return false;
}

int overhead_collect_skips(struct touring *touring)
{
    const struct overhead_case *file = &touring->run.file;
    struct skip_groups groups = {0};
    int error = 0;
    /* For people the case is shown as it is, which names what is absent. */
    for (size_t i = 0; i < file->absence_count && error == 0 && touring->run.options->common.json;
         i++) {
        const struct overhead_absence *absence = &file->absences[i];
        if (!is_said(&touring->run.skips, absence->reason))
            error = skip_groups_add(&groups, absence->what, absence->reason, absence->error, false);
    }
    int closed = skip_groups_close(&groups, &touring->run.skips);
    return error < 0 ? error : closed;
}
