/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The clock of the process: whether the CPU's counter of time can be depended on, how fast it runs
 * and how exactly that is known, and what is read instead where it cannot. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "assay/counter-in-place.h"
#include "lib/calipers.h"
#include "lib/clock.h"
#include "lib/ticks.h"

/* ----------------------------------------------------------------------------------------------
 * Whether the CPU's counter of time can be depended on.
 *
 * The best witness is the operating system: it watches the counter from boot to shutdown, on all
 * CPUs, and keeps time by another one when it finds the counter stopping, changing its rate or
 * differing between CPUs. So the counter is taken exactly where the operating system takes it as it
 * is. Under kvm-clock, Hyper-V's page and Xen's clock it reads the same instruction, but with a
 * conversion that the hypervisor may replace at any time (a machine that moves to another host): no
 * bound with a rate of ours would survive that, and clock_gettime, which follows, costs some tens
 * of nanoseconds. */

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CPUS   "/proc/cpuinfo"

static const struct {
    const char *counter, *source;
} sources[] = {{"tsc", "tsc"}, {"cntvct", "arch_sys_counter"}, {"rdtime", "riscv_clocksource"}};

/* The beginning of a file as text; false where it cannot be read. */
static bool read_start(const char *root, const char *path, char *text, size_t size)
{
    char whole[512];
    int length = snprintf(whole, sizeof(whole), "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof(whole))
        return false;
    long file =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)whole, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    size_t filled = 0;
    long got = 1;
    while (got > 0 && filled < size - 1) {
        got = assay_syscall3(SYS_read, file, (long)(uintptr_t)(text + filled),
                             (long)(size - 1 - filled));
        filled += got > 0 ? (size_t)got : 0;
    }
    assay_syscall1(SYS_close, file);
    text[filled] = '\0';
    return filled > 0;
}

/* Is the word among those of a line? */
static bool has_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
        if (at > line && (at[-1] == ' ' || at[-1] == '\t') &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Of the first CPU: where they differ, the operating system does not keep time by the counter. */
static void read_flags(const char *root, struct clock_signs *signs)
{
    char text[8192];
    if (!read_start(root, CPUS, text, sizeof(text)))
        return;
    char *line = strstr(text, "\nflags");
    if (!line)
        return;
    line++;
    line[strcspn(line, "\n")] = '\0';
    signs->flags_known = true;
    signs->constant = has_word(line, "constant_tsc");
    signs->nonstop = has_word(line, "nonstop_tsc");
}

void clock_signs_of(const char *root, struct clock_signs *signs)
{
    *signs = (struct clock_signs){.forbidden = ticks_forbidden()};
#ifdef ASSAY_COUNTER_NAME
    signs->counter = ASSAY_COUNTER_NAME;
#endif
    read_flags(root, signs);
    if (!read_start(root, SOURCE, signs->source, sizeof(signs->source)))
        signs->source[0] = '\0';
    signs->source[strcspn(signs->source, "\n")] = '\0';
}

static bool keeps_time(const char *counter, const char *source)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (strcmp(sources[i].counter, counter) == 0)
            return strcmp(sources[i].source, source) == 0;
    return false;
}

int clock_choice(const struct clock_signs *signs, char *reason, size_t size)
{
    reason[0] = '\0';
    if (!signs->counter) {
        snprintf(reason, size, "user code has no counter of time on this ISA that is known here");
        return -EOPNOTSUPP;
    }
    if (signs->forbidden) {
        snprintf(reason, size, "%s", TICKS_FORBIDDEN);
        return -EPERM;
    }
    bool flags_matter = strcmp(signs->counter, "tsc") == 0;
    if (flags_matter && !signs->flags_known) {
        snprintf(reason, size,
                 "nothing says whether the CPU's counter of time has a constant rate: " CPUS
                 " cannot be read");
        return -EOPNOTSUPP;
    }
    if (flags_matter && !(signs->constant && signs->nonstop)) {
        snprintf(reason, size, "the CPU's counter of time %s (no %s in " CPUS ")",
                 signs->constant ? "may stop while the CPU sleeps"
                                 : "changes its rate with the CPU's frequency",
                 signs->constant ? "nonstop_tsc" : "constant_tsc");
        return -EOPNOTSUPP;
    }
    if (!signs->source[0]) {
        snprintf(
            reason, size,
            "nothing says whether the operating system trusts the CPU's counter of time: " SOURCE
            " cannot be read");
        return -EOPNOTSUPP;
    }
    if (!keeps_time(signs->counter, signs->source)) {
        snprintf(
            reason, size,
            "the operating system itself keeps time by %s, not by the CPU's counter as it is (%s)",
            signs->source, signs->counter);
        return -EOPNOTSUPP;
    }
    return 0;
}

/* Does the operating system, as of now, keep time by this counter? */
static bool clock_choice_shared(const char *root)
{
    struct clock_signs signs;
    char reason[256];
    clock_signs_of(root, &signs);
    return clock_choice(&signs, reason, sizeof(reason)) == 0;
}

/* --- What rate the CPU's counter of time is said to have --- */

#if defined(__aarch64__)
/* The firmware wrote it down, and the operating system converts with it. */
double clock_claim(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (double)hz;
}
#else
/* On the page of any event: what the operating system itself makes nanoseconds with. */
double clock_claim(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    long descriptor = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, 0, -1, -1,
                                     PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0)
        return 0;
    size_t length = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_mmap_page *page =
        mmap(NULL, length, PROT_READ, MAP_SHARED, (int)descriptor, 0);
    double hz = 0;
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult && page->time_shift < 64)
            hz = 1e9 * (double)(UINT64_C(1) << page->time_shift) / (double)page->time_mult;
        munmap(page, length);
    }
    assay_syscall1(SYS_close, descriptor);
    return hz;
}
#endif

/* --- Rates as intervals that hold the truth, and spans from them --- */

#define CLAIM_ERROR 1e-6
#define ROUNDING    0x1p-50 /* of some operations with doubles, one after the other */

bool clock_rate_between(const struct clock_anchor *from, const struct clock_anchor *to,
                        uint64_t step, struct clock_rate *rate)
{
    /* A reading is at most a step behind what the clock would show if it moved evenly. */
    int64_t least = (int64_t)(to->before - from->after - step);
    int64_t most = (int64_t)(to->after + step - from->before);
    int64_t ns = (int64_t)(to->ns - from->ns);
    if (least <= 0 || most < least || ns <= 1)
        return false;
    /* Both anchors lost a part of a nanosecond: the true distance is less than one from ns. */
    rate->low = (double)least / (double)(ns + 1);
    rate->high = (double)most / (double)(ns - 1);
    return true;
}

/* Takes in what was seen: the rate is in both. False when it cannot be in both: then it has
 * changed, and is known only to be somewhere in the whole of them. */
static bool clock_rate_refine(struct clock_rate *known, const struct clock_rate *seen)
{
    bool both = seen->low <= known->high && known->low <= seen->high;
    if (both) {
        known->low = seen->low > known->low ? seen->low : known->low;
        known->high = seen->high < known->high ? seen->high : known->high;
    } else {
        known->low = seen->low < known->low ? seen->low : known->low;
        known->high = seen->high > known->high ? seen->high : known->high;
    }
    return both;
}

bool clock_rate_claim(struct clock_rate *known, double ticks_a_second)
{
    double rate = ticks_a_second * 1e-9;
    struct clock_rate claimed = {rate * (1 - CLAIM_ERROR), rate * (1 + CLAIM_ERROR)};
    if (!(rate > 0) || claimed.low > known->high || known->low > claimed.high)
        return false;
    return clock_rate_refine(known, &claimed);
}

void clock_span_of(const struct clock_rate *rate, const struct clock_habits *habits, uint64_t from,
                   uint64_t to, struct assay_span *span)
{
    int backwards = to - from > INT64_MAX;
    double ticks = (double)(backwards ? from - to : to - from);
    double most = ticks / rate->low, least = ticks / rate->high;
    double ns = least + (most - least) / 2;
    span->ns = backwards ? -ns : ns;
    span->error_ns = (most - least) / 2 +
                     ((double)habits->cost + (double)habits->step) / rate->low + ns * ROUNDING;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

#define MOST_READINGS 512

void clock_habits_of(const uint64_t *readings, size_t count, struct clock_habits *habits)
{
    uint64_t steps[MOST_READINGS];
    size_t found = 0;
    uint64_t step = 0;
    for (size_t i = 1; i < count && found < MOST_READINGS; i++) {
        if (readings[i] < readings[i - 1])
            continue;
        steps[found++] = readings[i] - readings[i - 1];
        uint64_t a = step;
        uint64_t b = steps[found - 1];
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        step = a;
    }
    if (found)
        qsort(steps, found, sizeof(steps[0]), by_size);
    /* 39 of 40 readings cost no more; what interrupts the others is no cost of theirs. */
    habits->cost = found ? steps[found - 1 - found / 40] : 0;
    habits->step = step ? step : 1;
}

/* --- A clock that is held against the operating system's for as long as the process runs --- */

#define TRIES    16      /* to read both clocks at nearly the same moment */
#define READINGS 256     /* in a row, to learn what they are like */
#define AT_LEAST 4000000 /* ns behind the first rate */

/* The nanoseconds of CLOCK_MONOTONIC_RAW, by libc. */
static uint64_t clock_raw(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The narrowest of some tries. */
static void clock_anchor_take(const struct clock_pair *pair, struct clock_anchor *anchor)
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

/* What readings of ticks are like. */
static void clock_habits_watch(const struct clock_pair *pair, struct clock_habits *habits)
{
    uint64_t readings[READINGS];
    for (int i = 0; i < READINGS; i++)
        readings[i] = pair->ticks();
    clock_habits_of(readings, READINGS, habits);
}

bool running_clock_start(struct running_clock *clock, const struct clock_pair *pair, double claimed)
{
    struct clock_anchor now;
    *clock = (struct running_clock){.pair = *pair};
    clock_habits_watch(pair, &clock->habits);
    clock_anchor_take(pair, &clock->first);
    /* Until the reference has moved far enough; asleep, because the counter must also count
     * then. */
    struct timespec while_asleep = {0, AT_LEAST / 8};
    for (int i = 0; i < 64 && pair->ns() - clock->first.ns < AT_LEAST; i++)
        assay_syscall2(SYS_nanosleep, (long)(uintptr_t)&while_asleep, 0);
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

/* ----------------------------------------------------------------------------------------------
 * The clock of the process: chosen once, read by function where it cannot be read in place. */

int assay_clock_in_place;

static struct {
    pthread_once_t once;
    char reason[256]; /* why it is not the counter */
    bool counter;
    uint64_t (*fallback)(void);
    struct running_clock running;
} chosen = {.once = PTHREAD_ONCE_INIT};

#ifdef ASSAY_COUNTER_NAME
/* The same by a bare system call, which is good where the CPU's counter of time is forbidden, too.
 */
static uint64_t clock_raw_called(void)
{
#if defined(__LP64__)
    struct timespec now = {0, 0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, (long)(uintptr_t)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else /* the system call may take another structure than libc */
    return clock_raw();
#endif
}

static uint64_t read_counter(void)
{
    return assay_counter_begin();
}

static bool choose_counter(void)
{
    const struct clock_pair pair = {read_counter, clock_raw};
    struct clock_signs signs;
    clock_signs_of("", &signs);
    if (clock_choice(&signs, chosen.reason, sizeof(chosen.reason)) < 0) {
        chosen.fallback = signs.forbidden ? clock_raw_called : clock_raw;
        return false;
    }
    if (!running_clock_start(&chosen.running, &pair, clock_claim())) {
        snprintf(chosen.reason, sizeof(chosen.reason),
                 "the CPU's counter of time (%s) did not count while CLOCK_MONOTONIC_RAW did",
                 ASSAY_COUNTER_NAME);
        return false;
    }
    return true;
}
#else
static bool choose_counter(void)
{
    struct clock_signs signs;
    clock_signs_of("", &signs);
    clock_choice(&signs, chosen.reason, sizeof(chosen.reason));
    return false;
}
#endif

static void choose(void)
{
    chosen.counter = choose_counter();
    if (!chosen.counter) {
        /* Nanoseconds by definition: nothing is unknown of their rate. */
        if (!chosen.fallback)
            chosen.fallback = clock_raw;
        const struct clock_pair pair = {chosen.fallback, chosen.fallback};
        chosen.running = (struct running_clock){.pair = pair, .rates = {{1, 1}}};
        clock_habits_watch(&pair, &chosen.running.habits);
    }
    __atomic_store_n(&assay_clock_in_place, chosen.counter, __ATOMIC_RELEASE);
}

int assay_clock_prepare(void)
{
    return -pthread_once(&chosen.once, choose);
}

/* Once it is chosen, without a look at what pthread_once keeps: handlers of signals come here. */
static bool by_counter(void)
{
    if (__atomic_load_n(&assay_clock_in_place, __ATOMIC_ACQUIRE))
        return true;
    pthread_once(&chosen.once, choose);
    return chosen.counter;
}

#ifndef ASSAY_COUNTER_NAME /* never asked: none is chosen */
#define assay_counter_now   chosen.fallback
#define assay_counter_begin chosen.fallback
#define assay_counter_end   chosen.fallback
#endif

uint64_t assay_clock_now(void)
{
    return by_counter() ? assay_counter_now() : chosen.fallback();
}

uint64_t assay_clock_begin(void)
{
    return by_counter() ? assay_counter_begin() : chosen.fallback();
}

uint64_t assay_clock_end(void)
{
    return by_counter() ? assay_counter_end() : chosen.fallback();
}

static struct clock_rate rate_at(uint64_t now)
{
    return by_counter() ? running_clock_rate(&chosen.running, now) : chosen.running.rates[0];
}

int assay_clock_span(uint64_t from, uint64_t to, struct assay_span *span)
{
    struct clock_rate rate = rate_at(to);
    clock_span_of(&rate, &chosen.running.habits, from, to, span);
    if (to - from > INT64_MAX)
        return set_fail(-ERANGE, "the second moment was before the first");
    return 0;
}

const char *assay_clock_name(void)
{
#ifdef ASSAY_COUNTER_NAME
    if (by_counter())
        return ASSAY_COUNTER_NAME;
#endif
    return "CLOCK_MONOTONIC_RAW";
}

const char *assay_clock_reason(void)
{
    by_counter();
    return chosen.reason;
}

double assay_clock_rate(double *error)
{
    struct clock_rate rate = rate_at(assay_clock_now());
    double middle = (rate.low + rate.high) / 2;
    if (error)
        *error = (rate.high - rate.low) / 2 / middle;
    return middle * 1e9;
}

int assay_clock_shared(void)
{
    return by_counter() ? clock_choice_shared("") : 1;
}
