/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` could not measure, by the reason. */
#include <stdlib.h>
#include <string.h>

#include "engine/finish.h"
#include "cli/overhead-run.h"
#include "cli/skip-groups.h"

static bool is_said(const struct skips *skips, const char *reason)
{
    for (size_t i = 0; i < skips->count; i++)
        if (strcmp(skips->list[i].reason, reason) == 0)
            return true;
    return false;
}

/* A call, "likwid.begin", of none of the paths that were asked for? */
static bool is_unasked(const struct string_list *paths, const char *what)
{
    static const char *const kinds[] = {"start", "stop", "read",   "accum",
                                        "begin", "end",  "command"};
    const char *point = strrchr(what, '.');
    bool call = false;
    for (size_t i = 0; point && i < sizeof(kinds) / sizeof(*kinds); i++)
        call = call || strcmp(point + 1, kinds[i]) == 0;
    for (size_t i = 0; call && i < paths->count; i++)
        if (strlen(paths->items[i]) == (size_t)(point - what) &&
            strncmp(paths->items[i], what, (size_t)(point - what)) == 0)
            return false;
    return call && paths->count;
}

/* Who asked for some paths does not miss the others. */
static void forget_unasked(struct overhead_case *file, const struct string_list *paths)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->absence_count; i++) {
        struct overhead_absence absence = file->absences[i];
        if (is_unasked(paths, absence.what)) {
            free(absence.what);
            free(absence.reason);
        } else {
            file->absences[kept++] = absence;
        }
    }
    file->absence_count = kept;
}

int overhead_collect_skips(struct touring *touring)
{
    struct overhead_case *file = &touring->run.file;
    forget_unasked(file, &touring->run.options->path);
    struct skip_groups groups = {.for_programs = true};
    size_t count = finish_is_for_programs(&touring->run.options->common) ? file->absence_count : 0;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct overhead_absence *absence = &file->absences[i];
        if (!is_said(&touring->run.skips, absence->reason))
            error = skip_groups_add(&groups, absence->what, absence->reason, absence->error, false);
    }
    int closed = skip_groups_close(&groups, &touring->run.skips);
    return error < 0 ? error : closed;
}
