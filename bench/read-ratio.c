/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the library adds to reading counters: assay_set_read against the bare system call on the
 * same descriptor, which is one instruction in the caller's code: the least that any library does.
 * libc's read() and the exported function, as other languages call it, are beside it. */
#include "assay.h"
#include "balance.h"
#include "syscall.h"

static struct assay_set *set;
static struct assay_value values[ASSAY_MAX_COUNTERS];

static void nothing(void)
{
}

static void by_library(void)
{
    if (assay_set_read(set, values) < 0)
        abort();
}

static void by_instruction(void)
{
    struct assay_reader *reader = (struct assay_reader *)(void *)set;
    if (assay_syscall3(SYS_read, reader->descriptor, (long)(uintptr_t)reader->report,
                       (long)reader->size) <= 0)
        abort();
}

static void by_libc(void)
{
    struct assay_reader *reader = (struct assay_reader *)(void *)set;
    if (read(reader->descriptor, reader->report, reader->size) <= 0)
        abort();
}

static void by_function(void)
{
    if ((assay_set_read)(set, values) < 0)
        abort();
}

static int report(const char *const *events, size_t count)
{
    static const struct way ways[] = {{"nothing", nothing, 0, 0},
                                      {"assay_set_read", by_library, 0, 2},
                                      {"the bare system call", by_instruction, 1.05, 0},
                                      {"libc's read()", by_libc, 0, 2},
                                      {"assay_set_read as a function", by_function, 0, 2}};
    const size_t way_count = sizeof(ways) / sizeof(ways[0]);
    char title[64];
    if (assay_set_open(&set, events, count, 0) < 0) {
        fprintf(stderr, "read-ratio: %s\n", assay_last_error());
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (assay_set_error(set, i)) {
            printf("read-ratio: left out, %s: %s\n", assay_set_event(set, i),
                   assay_set_reason(set, i));
            assay_set_close(set);
            return 0;
        }
    }
    snprintf(title, sizeof(title), "read-ratio, %zu event%s", count, count == 1 ? "" : "s");
    assay_set_enable(set);
    balance_measure(ways, way_count);
    assay_set_close(set);
    return balance_report(title, ways, way_count) ? 0 : 1;
}

int main(void)
{
    static const char *const events[] = {"page-faults:u", "minor-faults:u", "major-faults:u",
                                         "dummy:u"};
    int one = report(events, 1), four = report(events, 4);
    return one ? one : four;
}
