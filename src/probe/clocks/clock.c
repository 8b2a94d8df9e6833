/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds clocks by name, opens and closes them, for the driver and for watching harnesses. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "lib/ticks.h"
#include "probe/clocks/clock.h"
#include "probe/clocks/external.h"

const char *const clock_kind_names[CLOCK_KINDS] = {
    [CLOCK_WALL] = "wall",   [CLOCK_CPU_TIME] = "cpu-time", [CLOCK_CYCLES] = "cycles",
    [CLOCK_PLACE] = "place", [CLOCK_STOLEN] = "stolen",
};

const struct clock *clock_find(const char *name)
{
    for (size_t index = 0; clock_registry[index]; index++)
        if (strcmp(clock_registry[index]->name, name) == 0)
            return clock_registry[index];
    return NULL;
}

int clock_open(struct clock_reader *reader, const char *name, bool objects, char *claim,
               char *reason, size_t size)
{
    char unheard[CLOCK_CLAIM];
    if (!claim)
        claim = unheard;
    claim[0] = '\0';
    reason[0] = '\0';
    *reader = (struct clock_reader){.clock = clock_find(name), .descriptor = -1};
    int result = reader->clock ? reader->clock->open(reader, claim, reason, size)
                               : external_open(reader, name, objects, claim, reason, size);
    if (result < 0)
        clock_close(reader);
    return result;
}

void clock_close(struct clock_reader *reader)
{
    if (!reader->clock)
        return;
    if (reader->clock->close)
        reader->clock->close(reader);
    if (reader->descriptor >= 0)
        close(reader->descriptor);
    reader->clock = NULL;
    reader->own = NULL;
    reader->descriptor = -1;
}

bool clock_ticks_allowed(void)
{
    return !ticks_forbidden();
}

int clock_says(char *to, size_t size, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return code;
}

uint64_t clock_fails(struct clock_reader *reader, int error, const char *format, ...)
{
    if (!reader->error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->why, sizeof(reader->why), format, arguments);
        va_end(arguments);
        reader->error = error;
    }
    return 0;
}
