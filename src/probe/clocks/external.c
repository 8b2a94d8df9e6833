/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens a clock that a person brought along, and has it read once: whoever gets it open can count
 * on a reading. */
#include "probe/clocks/external.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"

static void external_close(struct clock_reader *reader)
{
    struct external *external = reader->own;
    external->kind->close(external->state);
    free(external);
}

static int make(struct clock_reader *reader, const struct external_clock *parsed,
                const struct external_kind *kind, char *reason, size_t size)
{
    struct external *external = calloc(1, sizeof(*external));
    if (!external)
        return clock_says(reason, size, -ENOMEM, "out of memory");
    memcpy(external->name, parsed->name, sizeof(external->name));
    external->kind = kind;
    external->clock = kind->like;
    external->clock.name = external->name;
    external->clock.close = external_close;
    reader->own = external;
    reader->clock = &external->clock;
    return kind->open(external, parsed->what, reason, size);
}

static int read_first(struct clock_reader *reader, char *reason, size_t size)
{
    const struct external *external = reader->own;
    int result = external->kind->may_kill ? clock_try(reader, reason, size) : 0;
    if (result < 0)
        return result;
    reader->clock->read(reader);
    return reader->error ? clock_says(reason, size, -reader->error, "%s", reader->why) : 0;
}

int external_open(struct clock_reader *reader, const char *text, bool objects, char *claim,
                  char *reason, size_t size)
{
    struct external_clock parsed;
    struct failure failure = {0};
    int result = external_clock_parse(text, &parsed, &failure);
    if (result < 0)
        return clock_says(reason, size, result, "%s", failure.text);
    if (result == 0)
        return clock_says(reason, size, -ENOENT, "this machine has no clock '%.64s'", text);
    if (parsed.way == EXTERNAL_OBJECT && (!objects || !&external_object))
        return clock_says(reason, size, -ENOTSUP,
                          "the clock %s is a shared object, which a static program cannot load",
                          parsed.name);
    const struct external_kind *const kinds[] = {
        [EXTERNAL_OBJECT] = &external_object,
        [EXTERNAL_ASK] = &external_ask,
        [EXTERNAL_RUN] = &external_run,
    };
    result = make(reader, &parsed, kinds[parsed.way], reason, size);
    if (result == 0)
        result = read_first(reader, reason, size);
    if (result < 0)
        return result;
    reader->hz = parsed.hz;
    return clock_says(claim, CLOCK_CLAIM, 0, "%s", parsed.hz ? "whoever named it" : "");
}
