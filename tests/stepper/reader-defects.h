/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The read protocol in plain C, and how it can be done wrong: each defect is one that a reader
 * could have without any test on a quiet machine noticing. The test of the protocol must. */
#pragma once

#include "lib/user-read.h"

#define READER_DEFECTS(_)                                                                          \
    _(control, DEFECT_NONE)                                                                        \
    _(lock_not_read_again, DEFECT_LOCK_NOT_READ_AGAIN)                                             \
    _(lock_read_after_data, DEFECT_LOCK_READ_AFTER_DATA)                                           \
    _(lock_ignored_on_retry, DEFECT_LOCK_IGNORED_ON_RETRY)                                         \
    _(index_read_outside, DEFECT_INDEX_READ_OUTSIDE)                                               \
    _(width_read_outside, DEFECT_WIDTH_READ_OUTSIDE)                                               \
    _(clock_read_outside, DEFECT_CLOCK_READ_OUTSIDE)                                               \
    _(offset_read_twice, DEFECT_OFFSET_READ_TWICE)                                                 \
    _(counter_read_outside, DEFECT_COUNTER_READ_OUTSIDE)                                           \
    _(sign_not_extended, DEFECT_SIGN_NOT_EXTENDED)                                                 \
    _(width_ignored, DEFECT_WIDTH_IGNORED)                                                         \
    _(index_zero_read, DEFECT_INDEX_ZERO_READ)                                                     \
    _(capability_ignored, DEFECT_CAPABILITY_IGNORED)                                               \
    _(stale_times_as_fresh, DEFECT_STALE_TIMES_AS_FRESH)                                           \
    _(fresh_times_without_counter, DEFECT_FRESH_TIMES_WITHOUT_COUNTER)                             \
    _(narrow_clock_ignored, DEFECT_NARROW_CLOCK_IGNORED)

#define READER_DEFECT_NAME(name, value) value,
enum reader_defect { READER_DEFECTS(READER_DEFECT_NAME) };

/* What one round of the loop took from the page and the hardware. */
struct round {
    struct user_clock clock;
    uint64_t enabled, running, offset, raw;
    uint32_t lock, index;
    unsigned width;
    bool readable, timed;
};

static inline __attribute__((always_inline)) uint64_t defective_raw(uint32_t index,
                                                                    enum reader_defect defect)
{
    if (defect == DEFECT_INDEX_ZERO_READ)
        return user_counter_read(index ? index : 1);
    return index && user_counter_named(index) ? user_counter_read(index) : 0;
}

static inline __attribute__((always_inline)) void
defective_round(const volatile struct perf_event_mmap_page *page, struct round *round,
                enum reader_defect defect)
{
    if (defect != DEFECT_LOCK_READ_AFTER_DATA)
        round->lock = page->lock;
    user_read_barrier();
    if (defect != DEFECT_INDEX_READ_OUTSIDE)
        round->index = page->index;
    round->readable = defect == DEFECT_CAPABILITY_IGNORED || page->cap_user_rdpmc;
    if (!round->readable)
        round->index = 0;
    round->offset = (uint64_t)page->offset;
    if (defect != DEFECT_WIDTH_READ_OUTSIDE)
        round->width = page->pmc_width;
    if (defect != DEFECT_COUNTER_READ_OUTSIDE)
        round->raw = defective_raw(round->index, defect);
    round->enabled = page->time_enabled;
    round->running = page->time_running;
    round->timed =
        page->cap_user_time && (round->index || defect == DEFECT_FRESH_TIMES_WITHOUT_COUNTER);
    if (round->timed && defect != DEFECT_CLOCK_READ_OUTSIDE)
        user_clock_take(page, &round->clock);
    user_read_barrier();
    if (defect == DEFECT_LOCK_READ_AFTER_DATA)
        round->lock = page->lock;
}

/* What is taken from the page too early or too late. */
static inline __attribute__((always_inline)) void
defective_leftovers(const volatile struct perf_event_mmap_page *page, struct round *round,
                    enum reader_defect defect)
{
    if (defect == DEFECT_CLOCK_READ_OUTSIDE && round->timed)
        user_clock_take(page, &round->clock);
    if (defect == DEFECT_OFFSET_READ_TWICE)
        round->offset = (uint64_t)page->offset;
    if (defect == DEFECT_COUNTER_READ_OUTSIDE)
        round->raw = defective_raw(round->index, defect);
    if (defect == DEFECT_NARROW_CLOCK_IGNORED)
        round->clock.narrow = false;
}

static inline __attribute__((always_inline)) uint64_t defective_extend(const struct round *round,
                                                                       enum reader_defect defect)
{
    if (!round->index)
        return defect == DEFECT_INDEX_ZERO_READ ? round->raw : 0;
    if (defect == DEFECT_WIDTH_IGNORED)
        return round->raw;
    if (defect == DEFECT_SIGN_NOT_EXTENDED)
        return round->width < 64 ? round->raw & ((UINT64_C(1) << round->width) - 1) : round->raw;
    return user_extend(round->raw, round->width);
}

static inline __attribute__((always_inline)) bool
defective_read(const volatile struct perf_event_mmap_page *page, struct user_reading *reading,
               enum reader_defect defect)
{
    struct round round = {.index = page->index, .width = page->pmc_width};
    defective_round(page, &round, defect);
    bool again = defect != DEFECT_LOCK_NOT_READ_AGAIN;
    while (again && page->lock != round.lock) {
        defective_round(page, &round, defect);
        again = defect != DEFECT_LOCK_IGNORED_ON_RETRY;
    }
    if (!round.readable || (round.index && !user_counter_named(round.index)))
        return false;
    defective_leftovers(page, &round, defect);
    bool fresh = round.timed && round.clock.multiplier != 0;
    uint64_t elapsed =
        fresh && defect != DEFECT_STALE_TIMES_AS_FRESH ? user_elapsed(&round.clock) : 0;
    reading->count = round.offset + defective_extend(&round, defect);
    reading->enabled_ns = round.enabled + elapsed;
    reading->running_ns = round.running + (round.index ? elapsed : 0);
    reading->scheduled = round.index != 0;
    reading->times_fresh = fresh;
    return true;
}
