/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` could not measure, by the reason. */
#include <stdio.h>

#include "cli/clocks-run.h"
#include "engine/finish.h"
#include "cli/skip-groups.h"

/* "trips", "interval over sleep, 2 threads", "interval over sleep, CPUs kept awake" */
static void name_watch(const struct clock_watch *watch, char *name, size_t size)
{
    char threads[32] = "", moves[32] = "";
    if (watch->threads > 1)
        snprintf(threads, sizeof(threads), ", %u threads", watch->threads);
    if (watch->moves)
        snprintf(moves, sizeof(moves), ", %u moves", watch->moves);
    snprintf(name, size, "%s%s%s%s%s%s%s", watch_kind_names[watch->kind],
             watch->workload && *watch->workload ? " over " : "",
             watch->workload ? watch->workload : "", threads, moves,
             watch->handover ? ", handed over" : "", watch->awake ? ", CPUs kept awake" : "");
}

/* Those that never ended well. */
static int add_failed(const struct clocks_case *file, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < file->watch_count && error == 0; i++) {
        const struct clock_watch *watch = &file->watches[i];
        char name[160];
        if (watch->processes || !watch->failed || !watch->reason)
            continue;
        name_watch(watch, name, sizeof(name));
        error = skip_groups_add(groups, name, watch->reason, watch->error, true);
    }
    return error;
}

int clocks_collect_skips(struct watching *watching)
{
    const struct clocks_case *file = &watching->run.file;
    struct skip_groups failed = {0}, absent = {.for_programs = true};
    size_t count = finish_is_for_programs(&watching->run.options->common) ? file->absence_count : 0;
    int error = add_failed(file, &failed);
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct clock_absence *absence = &file->absences[i];
        error = skip_groups_add(&absent, absence->what, absence->reason, absence->error, false);
    }
    int closed = skip_groups_close(&failed, &watching->run.skips);
    int closed_too = skip_groups_close(&absent, &watching->run.skips);
    return error < 0 ? error : closed < 0 ? closed : closed_too;
}
