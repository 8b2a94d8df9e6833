/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The case file of overhead: growing it and letting it go. */
#include "judge/overhead/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

struct overhead_machine *overhead_case_add_machine(struct overhead_case *file)
{
    return list_add(&file->machines, &file->machine_count, sizeof(*file->machines));
}

struct overhead_operation *overhead_case_add_operation(struct overhead_case *file)
{
    return list_add(&file->operations, &file->operation_count, sizeof(*file->operations));
}

struct overhead_tour *overhead_case_add_tour(struct overhead_case *file)
{
    return list_add(&file->tours, &file->tour_count, sizeof(*file->tours));
}

struct overhead_absence *overhead_case_add_absence(struct overhead_case *file)
{
    return list_add(&file->absences, &file->absence_count, sizeof(*file->absences));
}

static void release_tour(struct overhead_tour *tour)
{
    for (uint32_t index = 0; index < tour->meter_count; index++) {
        free(tour->meters[index].event);
        free(tour->meters[index].mode);
    }
    free(tour->link);
    free(tour->counted);
    free(tour->meters);
    free(tour->calls);
    free(tour->times);
    free(tour->passes);
    free(tour->begins);
    free(tour->values);
    free(tour->accounts);
    free(tour->reason);
}

static void release_operation(struct overhead_operation *operation)
{
    free(operation->name);
    free(operation->path);
    free(operation->kind);
    free(operation->instrument);
    free(operation->page);
    free(operation->note);
}

static void release_machine(struct overhead_machine *machine)
{
    free(machine->name);
    free(machine->cpu);
    free(machine->os);
    free(machine->fingerprint);
    free(machine->kit);
}

void overhead_case_release(struct overhead_case *file)
{
    for (size_t index = 0; index < file->machine_count; index++)
        release_machine(&file->machines[index]);
    for (size_t index = 0; index < file->operation_count; index++)
        release_operation(&file->operations[index]);
    for (size_t index = 0; index < file->tour_count; index++)
        release_tour(&file->tours[index]);
    for (size_t index = 0; index < file->absence_count; index++) {
        free(file->absences[index].what);
        free(file->absences[index].reason);
    }
    free(file->machines);
    free(file->operations);
    free(file->tours);
    free(file->absences);
    *file = (struct overhead_case){0};
}

int overhead_operation_index(const struct overhead_case *file, const char *name)
{
    for (size_t index = 0; index < file->operation_count; index++)
        if (strcmp(file->operations[index].name, name) == 0)
            return (int)index;
    return -1;
}
