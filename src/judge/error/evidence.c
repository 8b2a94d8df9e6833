/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The case of measurement error as a container: growing it, comparing ways, freeing it. */
#include "judge/error/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

const char *const count_mode_names[COUNT_MODES] = {"any", "u", "k", "uk"};

struct error_machine *error_case_add_machine(struct error_case *file)
{
    return list_add(&file->machines, &file->machine_count, sizeof(*file->machines));
}

struct error_cell *error_case_add_cell(struct error_case *file)
{
    struct error_cell *cell = list_add(&file->cells, &file->cell_count, sizeof(*file->cells));
    if (cell)
        cell->offset = -1;
    return cell;
}

struct error_absence *error_case_add_absence(struct error_case *file)
{
    return list_add(&file->absences, &file->absence_count, sizeof(*file->absences));
}

static void release_cell(struct error_cell *cell)
{
    free(cell->event);
    free(cell->base);
    free(cell->kind);
    free(cell->class);
    free(cell->path);
    free(cell->opt);
    free(cell->link);
    free(cell->others);
    free(cell->specimen);
    free(cell->values);
    free(cell->begins);
    free(cell->enabled);
    free(cell->running);
    free(cell->interrupts);
    free(cell->reason);
}

void error_case_release(struct error_case *file)
{
    for (size_t i = 0; i < file->cell_count; i++)
        release_cell(&file->cells[i]);
    for (size_t i = 0; i < file->machine_count; i++) {
        free(file->machines[i].name);
        free(file->machines[i].fingerprint);
        free(file->machines[i].kit);
    }
    for (size_t i = 0; i < file->absence_count; i++) {
        free(file->absences[i].what);
        free(file->absences[i].reason);
    }
    free(file->cells);
    free(file->machines);
    free(file->absences);
    *file = (struct error_case){0};
}

bool error_same_way(const struct error_cell *left, const struct error_cell *right)
{
    return left->machine == right->machine && left->pattern == right->pattern &&
           left->counters == right->counters && left->separate == right->separate &&
           strcmp(left->path, right->path) == 0 && strcmp(left->opt, right->opt) == 0 &&
           strcmp(left->link, right->link) == 0;
}
