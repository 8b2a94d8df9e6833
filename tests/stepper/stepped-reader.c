/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tests/proof/read-protocol.py steps: the readers of lib/user-read.h, a copy of the protocol
 * in plain C, and copies of that with one defect each, which the same test must reject. No libc: it
 * is built for every ISA, and the test itself makes the calls and holds page and stack. */
#include "lib/user-read.h"
#include "reader-defects.h"

struct answer {
    struct user_reading reading;
    uint64_t status;
};

typedef const volatile struct perf_event_mmap_page mapped_page;

/* A stack, and the page. */
_Alignas(4096) uint8_t test_memory[2 * 4096];

#define STEPPED(name)                                                                              \
    __attribute__((noinline, used)) void name(mapped_page *page, struct answer *answer)

STEPPED(step_count);
STEPPED(step_full);
void test_end(void);
void _start(void);

STEPPED(step_count)
{
    answer->status = user_read_count(page, &answer->reading.count);
}

STEPPED(step_full)
{
    answer->status = user_read(page, &answer->reading);
}

#define DEFECT(name, value)                                                                        \
    STEPPED(step_##name);                                                                          \
    STEPPED(step_##name)                                                                           \
    {                                                                                              \
        answer->status = defective_read(page, &answer->reading, value);                            \
    }
READER_DEFECTS(DEFECT)

/* Where every call returns to; never executed. */
__attribute__((noinline, used)) void test_end(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Stopped at its first instruction, before which nothing has run. */
__attribute__((used)) void _start(void)
{
    for (;;)
        __asm__ volatile("" : : "r"(test_memory) : "memory");
}
