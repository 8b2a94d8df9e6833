/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the fake probe answers when it is asked, looked at, or brought a file. */
#include <poll.h>
#include <time.h>

#include "fake-probe.h"

void answer_list(struct fake *fake)
{
    SEND(fake, "matching", {"count", "2"});
    do
        SEND(fake, "event", {"name", "page-faults"}, {"kind", "software"}, {"class", "page-faults"},
             {"openable", "1"}, {"error", "0"}, {"reason", ""});
    while (is(fake, "endless-list"));
    SEND(fake, "event", {"name", "cycles"}, {"kind", "hardware"}, {"class", ""}, {"openable", "0"},
         {"error", "2"}, {"reason", "no PMU"});
    send_word(fake, "listed");
}

void answer_try(struct fake *fake, const char *name)
{
    if (strcmp(name, "nonsense") == 0)
        SEND(fake, "refused", {"error", "2"},
             {"reason", "no event 'nonsense'; did you mean 'sense'?"});
    else
        SEND(fake, "event", {"name", name}, {"kind", "software"}, {"class", "page-faults"},
             {"openable", "1"}, {"error", "0"}, {"reason", ""});
}

static void send_code_head(struct fake *fake, const char *length, const char *trips)
{
    SEND(fake, "code", {"address", "4096"}, {"length", length}, {"call_address", "64"},
         {"call", is(fake, "code-call-digits") ? "4xff" : "48ff"}, {"min_n", "1"},
         {"trips", trips});
}

void answer_code(struct fake *fake, const char *specimen)
{
    if (strcmp(specimen, "pages") == 0) {
        SEND(fake, "refused", {"error", "95"}, {"reason", "made by the compiler"});
        return;
    }
    send_code_head(fake,
                   is(fake, "code-endless") ? "99999999999"
                   : is(fake, "code-empty") ? "0"
                                            : "4",
                   is(fake, "code-bad-trips")     ? "1:2,3"
                   : is(fake, "code-trips-words") ? "many:few"
                                                  : "-1:1,0:3");
    if (is(fake, "code-empty"))
        return;
    SEND(fake, "bytes", {"offset", "0"}, {"code", "9090"});
    SEND(fake, is(fake, "code-stray") ? "event" : "bytes",
         {"offset", is(fake, "code-gap") ? "3" : "2"},
         {"code", is(fake, "code-too-much")  ? "909090"
                  : is(fake, "code-nothing") ? ""
                  : is(fake, "code-odd")     ? "90c"
                                             : "90c3"});
}

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of "raw" the time of this very machine, of all others 2^64-1. */
void answer_look(struct fake *fake, const char *clocks)
{
    uint64_t readings[CELL_MAX_COUNTERS];
    size_t count = 0;
    if (is(fake, "look-refused")) {
        SEND(fake, "refused", {"error", "2"}, {"reason", "no clock 'sundial' here"});
        return;
    }
    if (is(fake, "look-chatter")) { /* wakes the other side before there is anything to say */
        print("a console's noise\n");
        poll(NULL, 0, 20);
    }
    for (; *clocks; clocks += strcspn(clocks, ","), clocks += *clocks == ',')
        readings[count++] = strncmp(clocks, "raw", 3) == 0 ? raw_ns() : UINT64_MAX;
    wire_begin(&fake->writer, is(fake, "look-other") ? "event" : "looked");
    if (is(fake, "look-words"))
        wire_put_string(&fake->writer, "readings", "late,later");
    else if (!is(fake, "look-nothing"))
        wire_put_column(&fake->writer, "readings", readings, 1,
                        is(fake, "look-short") ? count - 1 : count);
    send_end(fake);
}

/* Takes the bytes of a file, which must come in order and sum up to what the test sends. */
void answer_file(struct fake *fake, const struct wire_frame *frame)
{
    static uint64_t expected;
    const struct wire_field *bytes = wire_field(frame, "bytes");
    uint64_t size, offset;
    if (!bytes || wire_get_u64(frame, "size", &size) < 0 ||
        wire_get_u64(frame, "offset", &offset) < 0)
        exit(5);
    expected = offset == 0 ? 0 : expected;
    if (offset != expected)
        exit(5);
    for (size_t i = 0; i < bytes->length; i++)
        if ((unsigned char)bytes->value[i] != (unsigned char)((offset + i) * 7))
            exit(5);
    expected += bytes->length;
    if (is(fake, "file-refused")) { /* at once; what follows is dropped */
        if (offset == 0)
            SEND(fake, "refused", {"error", "28"}, {"reason", "no room for it"});
        return;
    }
    if (is(fake, "file-early") && offset == 0) {
        SEND(fake, "brought", {"name", "x.bin"}, {"size", "0"});
        return;
    }
    if (is(fake, "file-hangs"))
        sleep_for_ever();
    if (expected == size)
        SEND(fake, is(fake, "file-other") ? "looked" : "brought",
             {"name", is(fake, "file-name") ? "y.bin" : wire_get(frame, "name")},
             {"size", is(fake, "file-short") ? "2999999" : wire_get(frame, "size")});
}

void answer_find(struct fake *fake, const char *name)
{
    if (strcmp(name, "ls") == 0)
        send_word(fake, is(fake, "find-other") ? "looked" : "found");
    else
        SEND(fake, "refused", {"error", "2"}, {"reason", "there is no program 'moon'"});
}
