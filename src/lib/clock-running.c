/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A clock that is held against the operating system's for as long as the process runs. */
#define ASSAY_NO_INLINE
#include <time.h>

#include "lib/clock-parts.h"
#include "syscall.h"

#define TRIES    16      /* to read both clocks at nearly the same moment */
#define READINGS 256     /* in a row, to learn what they are like */
#define AT_LEAST 4000000 /* ns behind the first rate */

uint64_t clock_raw(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_raw_called(void)
{
#if defined(__LP64__)
    struct timespec now = {0, 0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, (long)(uintptr_t)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else /* the system call may take another structure than libc */
    return clock_raw();
#endif
}

void clock_anchor_take(const struct clock_pair *pair, struct clock_anchor *anchor)
{
    *anchor = (struct clock_anchor){.after = UINT64_MAX};
    for (int i = 0; i < TRIES; i++) {
        struct clock_anchor one;
        one.before = pair->ticks();
        one.ns = pair->ns();
        one.after = pair->ticks();
        if (one.after - one.before < anchor->after - anchor->before)
            *anchor = one;
    }
}

void clock_habits_watch(const struct clock_pair *pair, struct clock_habits *habits)
{
    uint64_t readings[READINGS];
    for (int i = 0; i < READINGS; i++)
        readings[i] = pair->ticks();
    clock_habits_of(readings, READINGS, habits);
}

/* Until the reference has moved far enough; asleep, because the counter must also count then. */
static void wait_a_while(const struct clock_pair *pair, uint64_t since)
{
    struct timespec while_asleep = {0, AT_LEAST / 8};
    for (int i = 0; i < 64 && pair->ns() - since < AT_LEAST; i++)
        assay_syscall2(SYS_nanosleep, (long)(uintptr_t)&while_asleep, 0);
}

bool running_clock_start(struct running_clock *clock, const struct clock_pair *pair, double claimed)
{
    struct clock_anchor now;
    *clock = (struct running_clock){.pair = *pair};
    clock_habits_watch(pair, &clock->habits);
    clock_anchor_take(pair, &clock->first);
    wait_a_while(pair, clock->first.ns);
    clock_anchor_take(pair, &now);
    if (!clock_rate_between(&clock->first, &now, clock->habits.step, &clock->rates[0]))
        return false;
    clock_rate_claim(&clock->rates[0], claimed);
    clock->seen[0] = now.before - clock->first.after;
    return true;
}

struct clock_rate running_clock_rate(struct running_clock *clock, uint64_t now)
{
    int newest = __atomic_load_n(&clock->newest, __ATOMIC_ACQUIRE);
    uint64_t since = now - clock->first.after;
    if (since > INT64_MAX || since / 2 < clock->seen[newest] || newest + 1 == CLOCK_RATES ||
        __atomic_test_and_set(&clock->refining, __ATOMIC_ACQUIRE))
        return clock->rates[newest];
    /* Another thread may have been here meanwhile. */
    newest = __atomic_load_n(&clock->newest, __ATOMIC_RELAXED);
    struct clock_anchor anchor;
    clock_anchor_take(&clock->pair, &anchor);
    struct clock_rate seen, rate = clock->rates[newest];
    uint64_t behind = anchor.before - clock->first.after;
    if (behind <= INT64_MAX && behind / 2 >= clock->seen[newest] && newest + 1 < CLOCK_RATES &&
        clock_rate_between(&clock->first, &anchor, clock->habits.step, &seen)) {
        clock_rate_refine(&rate, &seen);
        clock->rates[newest + 1] = rate;
        clock->seen[newest + 1] = behind;
        __atomic_store_n(&clock->newest, newest + 1, __ATOMIC_RELEASE);
    }
    __atomic_clear(&clock->refining, __ATOMIC_RELEASE);
    return rate;
}
