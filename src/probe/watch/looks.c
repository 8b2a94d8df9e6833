/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens clocks and reads them in turn. */
#include "probe/watch/looks.h"

#include "window.h"

static int open_one(struct looks *looks, const struct job *job, uint32_t column, bool objects,
                    struct failure *failure)
{
    char reason[CLOCK_REASON] = "";
    struct clock_reader *reader = &looks->readers[looks->count];
    const char *name = job->events[column].name;
    int result = clock_open(reader, name, objects, NULL, reason, sizeof(reason));
    if (result < 0)
        return fail_with(failure, result, "the clock %.128s cannot be read here: %s", name, reason);
    looks->count++;
    return 0;
}

int looks_open(struct looks *looks, const struct job *job, const uint32_t *columns, uint32_t count,
               bool objects, struct failure *failure)
{
    int result = 0;
    *looks = (struct looks){0};
    for (uint32_t index = 0; index < count && result == 0; index++)
        result = open_one(looks, job, columns ? columns[index] : index, objects, failure);
    if (result < 0)
        looks_close(looks);
    return result;
}

void looks_close(struct looks *looks)
{
    while (looks->count)
        clock_close(&looks->readers[--looks->count]);
}

void looks_forwards(struct looks *looks, uint32_t first, uint64_t *row)
{
    window_order();
    for (uint32_t index = first; index < looks->count; index++)
        row[index] = looks->readers[index].clock->read(&looks->readers[index]);
    window_order();
}

void looks_backwards(struct looks *looks, uint32_t first, uint64_t *row)
{
    window_order();
    for (uint32_t index = looks->count; index-- > first;)
        row[index] = looks->readers[index].clock->read(&looks->readers[index]);
    window_order();
}

int looks_check(const struct looks *looks, struct failure *failure)
{
    for (uint32_t index = 0; index < looks->count; index++) {
        const struct clock_reader *reader = &looks->readers[index];
        if (reader->error)
            return fail_with(failure, -reader->error, "a reading of the clock %s failed: %s",
                             reader->clock->name, reader->why);
    }
    return 0;
}

int looks_rehearse(struct looks *looks, struct failure *failure)
{
    uint64_t row[CELL_MAX_COUNTERS];
    looks_forwards(looks, 0, row);
    looks_backwards(looks, 0, row);
    return looks_check(looks, failure);
}
