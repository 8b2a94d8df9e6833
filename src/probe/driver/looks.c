/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers `look`. The controller stamps question and answer with its own clock, so nothing stands
 * between the question and the readings but finding them, and nothing behind them but the answer.
 * Only clocks of the registry: a person's own could hang the driver, or take it along. */
#include "probe/driver/looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/cell.h"

static int refuse(struct wire_writer *writer, int error, const char *name, const char *reason)
{
    AUTO_TEXT struct text sentence = {0};
    text_printf(&sentence, "the clock '%.40s' cannot be looked at: %s", name, reason);
    wire_begin(writer, "refused");
    wire_put_i64(writer, "error", error);
    wire_put_string(writer, "reason", text_string(&sentence));
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

static struct clock_reader *find_open(const struct looks *looks, const char *name)
{
    for (size_t index = 0; index < looks->count; index++)
        if (strcmp(looks->readers[index]->clock->name, name) == 0)
            return looks->readers[index];
    return NULL;
}

static int keep_open(struct looks *looks, const char *name, struct clock_reader **opened,
                     char *reason)
{
    struct clock_reader **grown =
        reallocarray(looks->readers, looks->count + 1, sizeof(struct clock_reader *));
    if (grown)
        looks->readers = grown;
    struct clock_reader *reader = grown ? malloc(sizeof(*reader)) : NULL;
    int result = -ENOMEM;
    if (!reader)
        snprintf(reason, CLOCK_REASON, "out of memory");
    else
        result = clock_open(reader, name, false, NULL, reason, CLOCK_REASON);
    if (result < 0) {
        free(reader);
        return result;
    }
    looks->readers[looks->count++] = *opened = reader;
    return 0;
}

/* Opened for every look anew after a reading failed: what was in its way may be gone. */
static void forget(struct looks *looks, struct clock_reader *reader)
{
    for (size_t index = 0; index < looks->count; index++)
        if (looks->readers[index] == reader)
            looks->readers[index] = looks->readers[--looks->count];
    clock_close(reader);
    free(reader);
}

static int read_all(struct looks *looks, struct wire_writer *writer,
                    struct clock_reader *const *readers, size_t count)
{
    uint64_t readings[CELL_MAX_COUNTERS];
    for (size_t index = 0; index < count; index++)
        readings[index] = readers[index]->clock->read(readers[index]);
    for (size_t index = 0; index < count; index++) {
        struct clock_reader *reader = readers[index];
        if (!reader->error)
            continue;
        int result = refuse(writer, reader->error, reader->clock->name, reader->why);
        forget(looks, reader);
        return result;
    }
    wire_begin(writer, "looked");
    wire_put_column(writer, "readings", readings, 1, count);
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

int looks_answer(struct looks *looks, struct wire_writer *writer, const char *names)
{
    struct clock_reader *readers[CELL_MAX_COUNTERS];
    char name[CLOCK_NAME], reason[CLOCK_REASON];
    size_t count = 0;
    for (const char *rest = names ? names : "";; rest++) {
        const size_t length = strcspn(rest, ",");
        snprintf(name, sizeof(name), "%.*s", (int)(length < CLOCK_NAME ? length : 0), rest);
        if (count == CELL_MAX_COUNTERS)
            return refuse(writer, E2BIG, name, "there are too many clocks in one look");
        if (!clock_find(name))
            return refuse(writer, ENOENT, length < CLOCK_NAME ? name : rest,
                          "the probe has none of this name");
        struct clock_reader **reader = &readers[count++];
        int result = 0;
        if (!(*reader = find_open(looks, name)))
            result = keep_open(looks, name, reader, reason);
        if (result < 0)
            return refuse(writer, -result, name, reason);
        rest += length;
        if (!*rest)
            return read_all(looks, writer, readers, count);
    }
}

void looks_free(struct looks *looks)
{
    for (size_t index = 0; index < looks->count; index++) {
        clock_close(looks->readers[index]);
        free(looks->readers[index]);
    }
    free(looks->readers);
    *looks = (struct looks){0};
}
