/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a counter from user code where no ISA folder knows the instruction: no counter can be
 * named, so only events that are on no counter at the moment have a count to give. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USER_COUNTER_TICKS 0 /* 0 where no instruction gives the page's clock */

/* Does this folder know how counters are read? */
static inline bool user_counter_known(void)
{
    return false;
}

static inline bool user_counter_named(uint32_t index)
{
    (void)index;
    return false;
}

static inline uint64_t user_counter_read(uint32_t index)
{
    (void)index;
    return 0;
}

static inline uint64_t user_counter_ticks(void)
{
    return 0;
}

static inline bool user_counter_instruction(const void *instruction)
{
    (void)instruction;
    return false;
}

/* False, and *count untouched, while the event is on a counter. */
static inline bool user_counter_page(const volatile struct perf_event_mmap_page *page,
                                     uint64_t *count)
{
    uint32_t sequence, index;
    uint64_t value;
    do {
        sequence = page->lock;
        __asm__ volatile("" : : : "memory");
        index = page->index;
        value = (uint64_t)page->offset;
        __asm__ volatile("" : : : "memory");
    } while (page->lock != sequence);
    if (index)
        return false;
    *count = value;
    return true;
}

/* Where no ISA folder knows it: a signal handler does not learn which instruction trapped. */

static inline const void *trap_place(const void *context)
{
    (void)context;
    return NULL;
}
