/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the list of traced tasks. */
#include "probe/command/step-tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/list.h"

struct traced *traced_find(struct traced_list *tasks, pid_t task)
{
    if (tasks->last && tasks->last->task == task)
        return tasks->last;
    for (size_t index = 0; index < tasks->count; index++)
        if (tasks->list[index]->task == task)
            return tasks->last = tasks->list[index];
    return NULL;
}

struct traced *traced_add(struct traced_list *tasks, pid_t task, pid_t process, struct code *code)
{
    struct traced *traced = calloc(1, sizeof(*traced));
    struct traced **place =
        traced ? list_add(&tasks->list, &tasks->count, sizeof(*tasks->list)) : NULL;
    if (!place) {
        free(traced);
        return NULL;
    }
    *place = traced;
    traced->task = task;
    traced->process = process;
    traced->code = code;
    traced->number = (uint32_t)tasks->tasks++;
    tasks->processes += task == process;
    return traced;
}

int traced_leave_code(const struct command_visit *visit, struct traced *traced)
{
    struct code *code = traced->code;
    traced->code = NULL;
    traced->instruction = traced->made_by = NULL;
    if (!code || --code->users > 0)
        return 0;
    int result = code_write(visit, code);
    code_free(code);
    return result;
}

int traced_remove(const struct command_visit *visit, struct traced_list *tasks,
                  struct traced *traced)
{
    size_t index = 0;
    while (index < tasks->count && tasks->list[index] != traced)
        index++;
    if (index == tasks->count)
        return 0;
    tasks->list[index] = tasks->list[--tasks->count];
    tasks->last = NULL;
    int result = traced_leave_code(visit, traced);
    free(traced);
    return result;
}

int traced_note_early(struct traced_list *tasks, pid_t task, int status)
{
    struct early *early = list_add(&tasks->early, &tasks->early_count, sizeof(*tasks->early));
    if (!early)
        return -ENOMEM;
    *early = (struct early){task, status};
    return 0;
}

bool traced_take_early(struct traced_list *tasks, pid_t task, int *status)
{
    for (size_t index = 0; index < tasks->early_count; index++)
        if (tasks->early[index].task == task) {
            *status = tasks->early[index].status;
            tasks->early[index] = tasks->early[--tasks->early_count];
            return true;
        }
    return false;
}

void traced_free(struct traced_list *tasks)
{
    for (size_t index = 0; index < tasks->count; index++) {
        struct traced *traced = tasks->list[index];
        if (traced->code && --traced->code->users == 0)
            code_free(traced->code);
        free(traced);
    }
    free(tasks->list);
    free(tasks->early);
    *tasks = (struct traced_list){0};
}
