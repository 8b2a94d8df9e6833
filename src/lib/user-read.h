/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading an own event without a system call: from the page the operating system maps for it, and
 * from the counter the page names. Inline and without libc, because it stands inside measurement
 * windows. lib/user-access.h says whether a page can be read this way, and must be asked before.
 *
 * The page has a sequence lock. What it says and what the counter holds belong together only when
 * the lock is the same before and after. Barriers of the compiler suffice, on CPUs that reorder
 * memory too: the page of a thread's own event is written on the CPU the thread runs on, in
 * interrupts and system calls between two of its instructions, and when the thread moves to another
 * CPU the move itself orders memory. For the same reason a lock that is odd is never seen. Pages of
 * other threads' events have neither guarantee: they cannot be read this way. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "user-counter.h"

#define USER_READ_INLINE static inline __attribute__((always_inline))

/* The offsets that the ISA folders have in their instructions. */
_Static_assert(offsetof(struct perf_event_mmap_page, lock) == 8, "lock");
_Static_assert(offsetof(struct perf_event_mmap_page, index) == 12, "index");
_Static_assert(offsetof(struct perf_event_mmap_page, offset) == 16, "offset");
_Static_assert(offsetof(struct perf_event_mmap_page, pmc_width) == 48, "pmc_width");

struct user_reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
    bool scheduled;   /* on a counter at the moment of the read */
    bool times_fresh; /* the times are of this moment, else of the page's last update */
};

/* What the page says of its clock: nanoseconds since its last update come from it. */
struct user_clock {
    uint64_t ticks; /* now */
    uint64_t offset, cycles, mask;
    uint32_t multiplier;
    uint16_t shift;
    bool narrow; /* the clock has fewer than 64 bits: cycles and mask extend it */
};

USER_READ_INLINE void user_read_barrier(void)
{
    __asm__ volatile("" : : : "memory");
}

/* The lowest `width` bits as a signed number. All 64 where the page gives no width that makes
 * sense. */
USER_READ_INLINE uint64_t user_extend(uint64_t raw, unsigned width)
{
    unsigned unused = width >= 1 && width <= 64 ? 64 - width : 0;
    return (uint64_t)((int64_t)(raw << unused) >> unused);
}

/* The count from its two parts. When Linux writes the page of an event that is counting (because it
 * is mapped only then, or reset) after it has been read, the offset is short of 2^width until the
 * counter is next programmed: there the counter was taken as a number without a sign. No event has
 * counted less than nothing, so that a negative count tells; but only below 2^width, beyond which
 * nothing does: map pages before their events count. */
USER_READ_INLINE uint64_t user_sum(uint64_t offset, uint64_t raw, unsigned width)
{
    uint64_t count = offset + user_extend(raw, width);
    bool shorter = width >= 1 && width <= 63;
    return shorter && (int64_t)count < 0 ? count + (UINT64_C(1) << width) : count;
}

/* Nanoseconds since the page was updated. In two parts, so that no product overflows. */
USER_READ_INLINE uint64_t user_elapsed(const struct user_clock *clock)
{
    unsigned shift = clock->shift & 63u;
    uint64_t ticks = clock->ticks;
    if (clock->narrow)
        ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
    uint64_t quotient = ticks >> shift, rest = ticks & ((UINT64_C(1) << shift) - 1);
    return clock->offset + quotient * clock->multiplier + (rest * clock->multiplier >> shift);
}

USER_READ_INLINE void user_clock_take(const volatile struct perf_event_mmap_page *page,
                                      struct user_clock *clock)
{
    clock->ticks = user_counter_ticks();
    clock->offset = page->time_offset;
    clock->multiplier = page->time_mult;
    clock->shift = page->time_shift;
    clock->narrow = page->cap_user_time_short;
    clock->cycles = clock->narrow ? page->time_cycles : 0;
    clock->mask = clock->narrow ? page->time_mask : 0;
}

/* May the page be read at all? Bit 0 of the capabilities once meant two things at a time; the
 * operating system says in bit 1 that it has left that behind. */
USER_READ_INLINE bool user_page_readable(const volatile struct perf_event_mmap_page *page)
{
    return page->cap_bit0_is_deprecated && page->cap_user_rdpmc;
}

/* The count alone, by the fewest instructions. An event that is on no counter gives what it had
 * counted when it lost it. False, and *count untouched, where the counter has no instruction. The
 * page must have passed user_page_readable once, and its width be at most 64; it must have been
 * mapped before the event counted, and the event not be reset while it counts: see user_sum. */
USER_READ_INLINE bool user_read_count(const volatile struct perf_event_mmap_page *page,
                                      uint64_t *count)
{
    return user_counter_page(page, count);
}

/* Count and times. False where the page or the counter cannot be read from user code.
 *
 * Without a counter (index 0) the times stay those of the page's last update: the page does not
 * tell an event that waits for a counter, and goes on being enabled, from one that is switched off.
 */
USER_READ_INLINE bool user_read(const volatile struct perf_event_mmap_page *page,
                                struct user_reading *reading)
{
    struct user_clock clock = {0};
    uint64_t raw, offset, enabled, running;
    uint32_t sequence, index;
    unsigned width;
    bool fresh;
    do {
        sequence = page->lock;
        user_read_barrier();
        index = page->index;
        if (!user_page_readable(page) || (index && !user_counter_named(index)))
            return false;
        offset = (uint64_t)page->offset;
        width = page->pmc_width;
        raw = index ? user_counter_read(index) : 0;
        enabled = page->time_enabled;
        running = page->time_running;
        fresh = USER_COUNTER_TICKS && index && page->cap_user_time;
        if (fresh)
            user_clock_take(page, &clock);
        user_read_barrier();
    } while (page->lock != sequence);
    fresh = fresh && clock.multiplier != 0; /* a clock whose rate is not known */
    uint64_t elapsed = fresh ? user_elapsed(&clock) : 0;
    reading->count = user_sum(offset, raw, width);
    reading->enabled_ns = enabled + elapsed;
    reading->running_ns = running + elapsed;
    reading->scheduled = index != 0;
    reading->times_fresh = fresh;
    return true;
}
