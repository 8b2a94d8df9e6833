/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walks two executions beside each other, task by task: as long as they ask for the same, what they
 * are given is compared; where they first ask for something else they have parted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/repeat/calls.h"

/* The calls of one run, by task, each in its order. */
struct sequence {
    const struct repeat_call **calls;
    size_t count;
};

static int by_task(const void *left, const void *right)
{
    const struct repeat_call *one = *(const struct repeat_call *const *)left;
    const struct repeat_call *other = *(const struct repeat_call *const *)right;
    if (one->task != other->task)
        return one->task < other->task ? -1 : 1;
    /* They lie in one list, in order. */
    return (one > other) - (one < other);
}

static int order(const struct repeat_cell *cell, size_t run, struct sequence *sequence)
{
    const size_t begin = cell->call_begins[run], end = cell->call_begins[run + 1];
    sequence->count = end - begin;
    sequence->calls = calloc(sequence->count + 1, sizeof(*sequence->calls));
    if (!sequence->calls)
        return -ENOMEM;
    for (size_t i = begin; i < end; i++)
        sequence->calls[i - begin] = &cell->calls[i];
    qsort(sequence->calls, sequence->count, sizeof(*sequence->calls), by_task);
    return 0;
}

/* The calls of this task: from begin on, so many. */
static size_t length_of(const struct sequence *sequence, size_t begin, uint32_t task)
{
    size_t end = begin;
    while (end < sequence->count && sequence->calls[end]->task == task)
        end++;
    return end - begin;
}

/* Differences that lie nearest before the place where a task parts. */
struct nearest {
    struct call_difference strong, weak;
    int strong_cause, weak_cause;
    struct call_difference last[PARTING_COUNT];
};

static void note_difference(const struct repeat_call *call, size_t at, size_t of,
                            enum repeat_parting cause, bool weak, struct nearest *nearest,
                            struct calls_walked *walked)
{
    const struct call_difference difference = {call, at, of, 1};
    if (weak) {
        nearest->weak = difference;
        nearest->weak_cause = (int)cause;
        return;
    }
    nearest->strong = difference;
    nearest->strong_cause = (int)cause;
    nearest->last[cause] = difference;
    if (!walked->gave[cause].call)
        walked->gave[cause] = difference;
    else
        walked->gave[cause].times++;
}

static bool is_of_threads(const struct repeat_call *call)
{
    return call && call_kind_of(call)->cause == PARTING_THREADS;
}

static void note_parting(const struct repeat_call *one, const struct repeat_call *other, size_t at,
                         size_t of, const struct nearest *nearest, struct calls_walked *walked)
{
    /* The task whose parting comes first in the whole execution is told. */
    const struct repeat_call *here = one ? one : other;
    const struct repeat_call *earlier = walked->one ? walked->one : walked->other;
    if (walked->parted && earlier->position <= here->position)
        return;
    walked->parted = true;
    walked->task = here->task;
    walked->at = at;
    walked->of = of;
    walked->one = one;
    walked->other = other;
    walked->blamed = nearest->strong.call ? nearest->strong_cause : nearest->weak_cause;
    walked->blame = nearest->strong.call ? nearest->strong : nearest->weak;
    memcpy(walked->last, nearest->last, sizeof(walked->last));
    if (walked->tasks > 1 && (is_of_threads(one) || is_of_threads(other)))
        walked->blamed = PARTING_THREADS;
}

static void walk_task(const struct repeat_call **one, size_t one_count,
                      const struct repeat_call **other, size_t other_count,
                      struct calls_walked *walked)
{
    struct nearest nearest = {.strong_cause = -1, .weak_cause = -1};
    const size_t both = one_count < other_count ? one_count : other_count;
    for (size_t i = 0; i < both; i++) {
        enum repeat_parting cause;
        bool weak;
        if (!call_same(one[i], other[i])) {
            note_parting(one[i], other[i], i + 1, one_count, &nearest, walked);
            return;
        }
        if (call_differs(one[i], other[i], &cause, &weak))
            note_difference(one[i], i + 1, one_count, cause, weak, &nearest, walked);
    }
    if (one_count != other_count)
        note_parting(one_count > both ? one[both] : NULL, other_count > both ? other[both] : NULL,
                     both + 1, one_count, &nearest, walked);
}

static void walk_tasks(const struct sequence *one, const struct sequence *other,
                       struct calls_walked *walked)
{
    for (size_t i = 0, j = 0; i < one->count || j < other->count;) {
        uint32_t task = UINT32_MAX;
        if (i < one->count)
            task = one->calls[i]->task;
        if (j < other->count && other->calls[j]->task < task)
            task = other->calls[j]->task;
        const size_t one_count = length_of(one, i, task), other_count = length_of(other, j, task);
        walk_task(one->calls + i, one_count, other->calls + j, other_count, walked);
        i += one_count;
        j += other_count;
    }
}

static uint32_t count_tasks(const struct sequence *sequence)
{
    uint32_t tasks = 0;
    for (size_t i = 0; i < sequence->count; i++)
        tasks += i == 0 || sequence->calls[i]->task != sequence->calls[i - 1]->task;
    return tasks;
}

/* Do tasks take turns otherwise? */
static bool has_other_order(const struct repeat_cell *cell, size_t one, size_t other)
{
    const size_t first = cell->call_begins[one], second = cell->call_begins[other];
    const size_t count = cell->call_begins[one + 1] - first;
    if (count != cell->call_begins[other + 1] - second)
        return false;
    for (size_t i = 0; i < count; i++)
        if (cell->calls[first + i].task != cell->calls[second + i].task)
            return true;
    return false;
}

int calls_walk(const struct repeat_cell *cell, size_t one, size_t other,
               struct calls_walked *walked)
{
    struct sequence first = {0}, second = {0};
    memset(walked, 0, sizeof(*walked));
    walked->blamed = -1;
    int error = order(cell, one, &first);
    if (!error)
        error = order(cell, other, &second);
    if (!error) {
        const uint32_t tasks = count_tasks(&first), others = count_tasks(&second);
        walked->tasks = tasks > others ? tasks : others;
        walk_tasks(&first, &second, walked);
        walked->order = !walked->parted && walked->tasks > 1 && has_other_order(cell, one, other);
    }
    free(first.calls);
    free(second.calls);
    return error;
}
