/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads without a system call, from the mapped pages. The three callers differ in what is done to
 * the pages before a cold tour: in a warm one they are the same. */
#include <errno.h>

#include "lib/user-read.h"
#include "probe/tour/instruments.h"

/* There is at least one page. */
static void call_read(struct tour_state *state, uint32_t times)
{
    const uint32_t count = state->count;
    bool read = true;
    do {
        uint32_t index = 0;
        do
            read &= user_read_count(state->pages[index], &state->counts[index]);
        while (++index < count);
    } while (--times);
    state->status = read ? 0 : -EOPNOTSUPP;
}

#define USER_CALLER(symbol, name, state_of_page, what)                                             \
    const struct caller caller_##symbol = {                                                        \
        .path = (name),                                                                            \
        .instrument = "perf",                                                                      \
        .note = "reads counters in user code; its pages " what,                                    \
        .page = #state_of_page,                                                                    \
        .usable = user_pages_usable,                                                               \
        .open = perf_instrument_open,                                                              \
        .settle = perf_instrument_settle,                                                          \
        .prepare = user_pages_prepare_##state_of_page,                                             \
        .check = user_pages_check,                                                                 \
        .close = perf_instrument_close,                                                            \
        .calls = {[CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}},                              \
    }

USER_CALLER(perf_user, "perf-user", populated, "are mapped in before a cold tour");
USER_CALLER(perf_user_touched, "perf-user-touched", touched, "are read once before a cold tour");
USER_CALLER(perf_user_cold, "perf-user-cold", cold,
            "are not mapped in before the first read of a cold tour, which may take a page fault");
