/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making, asking and releasing cases. */
#include "judge/repeat/evidence.h"

#include <stdlib.h>
#include <string.h>

/* Grows a list of one kind of things by one, zeroed. */
static void *grow(void **list, size_t *count, size_t size)
{
    void *larger = realloc(*list, (*count + 1) * size);
    if (!larger)
        return NULL;
    *list = larger;
    return memset((char *)larger + (*count)++ * size, 0, size);
}

#define GROW(file, list, count) grow((void **)&(file)->list, &(file)->count, sizeof(*(file)->list))

struct repeat_machine *repeat_case_add_machine(struct repeat_case *file)
{
    return GROW(file, machines, machine_count);
}

struct repeat_program *repeat_case_add_program(struct repeat_case *file)
{
    return GROW(file, programs, program_count);
}

struct repeat_cell *repeat_case_add_cell(struct repeat_case *file)
{
    return GROW(file, cells, cell_count);
}

struct repeat_absence *repeat_case_add_absence(struct repeat_case *file)
{
    return GROW(file, absences, absence_count);
}

static void release_cell(struct repeat_cell *cell)
{
    for (uint32_t event = 0; event < cell->events; event++) {
        if (cell->event)
            free(cell->event[event]);
        if (cell->class)
            free(cell->class[event]);
    }
    for (size_t index = 0; index < cell->function_count; index++) {
        free(cell->functions[index].object);
        free(cell->functions[index].name);
    }
    const size_t calls = cell->call_begins ? cell->call_begins[cell->runs] : 0;
    for (size_t index = 0; index < calls; index++) {
        free(cell->calls[index].name);
        free(cell->calls[index].what);
    }
    free(cell->source);
    free(cell->event);
    free(cell->class);
    free(cell->list);
    free(cell->counts);
    free(cell->scheduled);
    free(cell->functions);
    free(cell->calls);
    free(cell->call_begins);
    free(cell->reason);
}

void repeat_case_release(struct repeat_case *file)
{
    for (size_t index = 0; index < file->machine_count; index++) {
        free(file->machines[index].name);
        free(file->machines[index].fingerprint);
    }
    for (size_t index = 0; index < file->program_count; index++) {
        struct repeat_program *program = &file->programs[index];
        free(program->name);
        free(program->words);
        free(program->subject_name);
        free(program->shows);
    }
    for (size_t index = 0; index < file->cell_count; index++)
        release_cell(&file->cells[index]);
    for (size_t index = 0; index < file->absence_count; index++) {
        free(file->absences[index].what);
        free(file->absences[index].reason);
    }
    free(file->machines);
    free(file->programs);
    free(file->cells);
    free(file->absences);
    memset(file, 0, sizeof(*file));
}

bool repeat_program_shows(const struct repeat_program *program, const char *finding)
{
    const size_t length = strlen(finding);
    for (const char *at = program->shows; at && *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, finding, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static int find(char *const *names, uint32_t count, const char *name)
{
    for (uint32_t index = 0; index < count; index++)
        if (strcmp(names[index], name) == 0)
            return (int)index;
    return -1;
}

int repeat_event(const struct repeat_cell *cell, const char *event)
{
    return find(cell->event, cell->events, event);
}

int repeat_class(const struct repeat_cell *cell, const char *class)
{
    return find(cell->class, cell->events, class);
}

const struct repeat_cell *repeat_find(const struct repeat_case *file, size_t machine,
                                      size_t program, const char *source, uint32_t controls,
                                      const char *event)
{
    for (size_t index = 0; index < file->cell_count; index++) {
        const struct repeat_cell *cell = &file->cells[index];
        if (cell->machine == machine && cell->program == program && cell->controls == controls &&
            cell->sweep == SWEEP_NONE && cell->detail == DETAIL_NONE &&
            strcmp(cell->source, source) == 0 && repeat_event(cell, event) >= 0)
            return cell;
    }
    return NULL;
}
