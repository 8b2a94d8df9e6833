/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The case of clocks: growing and releasing it. */
#include "judge/clocks/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

const char *const clock_role_names[CLOCK_ROLES] = {
    [ROLE_WALL] = "wall",   [ROLE_CPU_TIME] = "cpu-time", [ROLE_CYCLES] = "cycles",
    [ROLE_PLACE] = "place", [ROLE_STOLEN] = "stolen",
};

struct clock_known *clocks_case_add_clock(struct clocks_case *file)
{
    return list_add(&file->clocks, &file->clock_count, sizeof(*file->clocks));
}

struct clock_watch *clocks_case_add_watch(struct clocks_case *file)
{
    return list_add(&file->watches, &file->watch_count, sizeof(*file->watches));
}

struct clock_absence *clocks_case_add_absence(struct clocks_case *file)
{
    return list_add(&file->absences, &file->absence_count, sizeof(*file->absences));
}

static void release_clock(struct clock_known *clock)
{
    free(clock->name);
    free(clock->way);
    free(clock->hardware);
    free(clock->claim);
    free(clock->note);
}

static void release_watch(struct clock_watch *watch)
{
    free(watch->workload);
    free(watch->clocks);
    free(watch->begins);
    free(watch->values);
    free(watch->accounts);
    free(watch->reason);
}

void clocks_case_release(struct clocks_case *file)
{
    for (size_t i = 0; i < file->clock_count; i++)
        release_clock(&file->clocks[i]);
    for (size_t i = 0; i < file->watch_count; i++)
        release_watch(&file->watches[i]);
    for (size_t i = 0; i < file->absence_count; i++) {
        free(file->absences[i].what);
        free(file->absences[i].reason);
    }
    free(file->clocks);
    free(file->watches);
    free(file->absences);
    free(file->machine);
    free(file->clocksource);
    free(file->available);
    free(file->flags);
    *file = (struct clocks_case){0};
}

int clocks_index(const struct clocks_case *file, const char *name)
{
    for (size_t i = 0; i < file->clock_count; i++)
        if (strcmp(file->clocks[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool clock_is_candidate(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL || clock->role == ROLE_CPU_TIME || clock->role == ROLE_CYCLES;
}

int watch_column(const struct clock_watch *watch, uint32_t clock)
{
    for (uint32_t column = 0; column < watch->columns; column++)
        if (watch->clocks[column] == clock)
            return (int)column;
    return -1;
}
