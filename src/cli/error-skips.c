/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` could not measure, by the reason. */
#include <errno.h>

#include "studies/error/parts.h"
#include "engine/finish.h"
#include "cli/skip-groups.h"

static int group_absences(const struct erring *erring, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < erring->file.absence_count && error == 0; i++) {
        const struct error_absence *absence = &erring->file.absences[i];
        error = skip_groups_add(groups, absence->what, absence->reason, absence->error, false);
    }
    return error;
}

/* Cells of which no process measured anything. */
static int group_cells(const struct erring *erring, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < erring->file.cell_count && error == 0; i++) {
        const struct error_cell *cell = &erring->file.cells[i];
        AUTO_TEXT struct text name = {0};
        if (!cell->failed || cell->runs || !cell->reason)
            continue;
        text_printf(&name, "%s by %s", cell->event, cell->path);
        error = name.failed
                    ? -ENOMEM
                    : skip_groups_add(groups, text_string(&name), cell->reason, cell->error, true);
    }
    return error;
}

int error_collect_skips(struct erring *erring)
{
    struct skip_groups absent = {.for_programs = true}, failed = {0};
    int error =
        finish_is_for_programs(&erring->options->common) ? group_absences(erring, &absent) : 0;
    if (error == 0)
        error = group_cells(erring, &failed);
    int closed = skip_groups_close(&absent, &erring->skips);
    int closed_too = skip_groups_close(&failed, &erring->skips);
    return error < 0 ? error : closed < 0 ? closed : closed_too;
}
