/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the trace. An instruction that repeats itself is counted again only when another one was
 * executed in between; a branch was taken when the next instruction does not follow it. */
#include "probe/sources/lackey-trace.h"

#include <errno.h>
#include <string.h>

#include "traced-code.h"

#define MOST_BYTES 16 /* of an instruction */

static int hexadecimal(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Hexadecimal digits, a comma, decimal digits, nothing behind. */
static bool read_access(const char *at, const char *end, uint64_t *address, uint64_t *size)
{
    const char *start = at;
    *address = *size = 0;
    for (; at < end && *at != ','; at++) {
        int digit = hexadecimal(*at);
        if (digit < 0 || at - start == 16)
            return false;
        *address = *address << 4 | (uint64_t)digit;
    }
    if (at == start || at == end)
        return false;
    for (start = ++at; at < end; at++) {
        if (*at < '0' || *at > '9' || at - start == 9)
            return false;
        *size = *size * 10 + (uint64_t)(*at - '0');
    }
    return at > start && *size;
}

static void take_instruction(struct trace *trace, uint64_t address, uint64_t size)
{
    uint64_t *counts = trace->counts;
    if (trace->conditional && address != trace->next)
        counts[VALGRIND_TAKEN]++;
    bool again = trace->repeats && address == trace->address;
    counts[VALGRIND_INSTRUCTIONS_RAW]++;
    trace->loaded = trace->stored = false;
    if (again)
        return;
    size_t length = size < MOST_BYTES ? (size_t)size : MOST_BYTES;
    const uint8_t *code = image_at(trace->image, address, &length);
    trace->address = address;
    trace->next = address + size;
    trace->repeats = code && traced_repeats(code, length);
    trace->conditional = code && traced_conditional(code, length);
    counts[VALGRIND_INSTRUCTIONS]++;
    counts[VALGRIND_UNREADABLE] += code == NULL;
    counts[VALGRIND_CONDITIONAL] += trace->conditional;
}

static void take_data(struct trace *trace, bool load, bool store)
{
    if (load && !trace->loaded) {
        trace->loaded = true;
        trace->counts[VALGRIND_LOADS]++;
    }
    if (store && !trace->stored) {
        trace->stored = true;
        trace->counts[VALGRIND_STORES]++;
    }
}

static void take_line(struct trace *trace)
{
    const char *line = trace->line, *end = line + trace->length;
    uint64_t address, size;
    if (trace->overlong || trace->length < 4 || line[0] == '=')
        return;
    bool instruction = memcmp(line, "I  ", 3) == 0;
    bool data = line[0] == ' ' && strchr("LSM", line[1]) && line[2] == ' ';
    if (!instruction && !data)
        return;
    if (!read_access(line + 3, end, &address, &size))
        trace->damaged = true;
    else if (instruction)
        take_instruction(trace, address, size);
    else
        take_data(trace, line[1] != 'S', line[1] != 'L');
}

void trace_feed(struct trace *trace, const char *bytes, size_t length)
{
    for (size_t index = 0; index < length; index++) {
        if (bytes[index] == '\n') {
            take_line(trace);
            trace->length = 0;
            trace->overlong = false;
        } else if (trace->length < TRACE_LINE) {
            trace->line[trace->length++] = bytes[index];
        } else {
            trace->overlong = true;
        }
    }
}

int trace_end(const struct trace *trace, struct failure *failure)
{
    if (trace->damaged || !trace->counts[VALGRIND_INSTRUCTIONS])
        return fail_with(failure, -EBADMSG,
                         "the trace of Valgrind's tool lackey cannot be read: %s",
                         trace->damaged ? "a line of it is damaged" : "it is empty");
    return 0;
}
