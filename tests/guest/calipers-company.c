/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers that read counters in user code, in company: of children of fork, inside of a region and
 * outside, of a thread with calipers of its own, and of signal handlers with regions of their own.
 * Part of calipers.c. */
#include "calipers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay.h>

#define NOTHING          0 /* sizes of regions, by index */
#define HUNDRED          3
#define HUNDRED_THOUSAND 6
#define STORM_US         500 /* between signals of a timer */

static const struct region_maker *const maker = &region_maker_O2;
static const double region_sizes[REGION_SIZES] = {REGION_SIZES_LIST};

/* Known regions, one counter: how many were wrong. */
static int wrong_now(void)
{
    return wrong(maker->make[REGION_SINGLE][HUNDRED], 1, 100, 0, false) +
           wrong(maker->make[REGION_ONE_CHILD][HUNDRED], 1, 100 + REGION_INSIDE, 0, false);
}

/* ---- fork ---- */

static bool counts_nothing(const struct assay_calipers *calipers)
{
    struct assay_count count = {.state = ASSAY_COUNTED};
    return assay_counts(&count) == 0 && count.state == ASSAY_UNSUPPORTED &&
           count.noticed & ASSAY_NOT_MEASURED && assay_calipers_error(calipers, 0) == ESRCH &&
           strstr(assay_calipers_reason(calipers, 0), "opened before fork");
}

/* What is not as it should be in a child. */
static int child_errs(struct assay_calipers *parents, bool inside, bool ends)
{
    int errs = 0;
    if (inside && ends)
        assay_end();
    errs |= counts_nothing(parents) ? 0 : 1;
    maker->make[REGION_NAMED_CHILDREN][HUNDRED]();
    errs |= counts_nothing(parents) ? 0 : 2;
    struct assay_calipers *own = open_calipers(1, ASSAY_USER);
    errs |= maker->calibrate() || wrong_now() ? 4 : 0;
    if (inside && !ends)
        assay_end(); /* of the parent's region: none of the child's calipers */
    errs |= wrong_now() ? 8 : 0;
    assay_calipers_close(parents);
    errs |= wrong_now() ? 16 : 0;
    assay_calipers_close(own);
    return errs;
}

static void children_of_fork_count_for_themselves(bool inside, bool ends)
{
    struct assay_count count = {.state = ASSAY_COUNTED};
    struct assay_calipers *calipers = open_calipers(1, ASSAY_USER);
    int status = -1;
    maker->calibrate();
    maker->make[REGION_SINGLE][HUNDRED]();
    if (inside)
        assay_begin();
    pid_t child = fork();
    if (child == 0)
        _exit(child_errs(calipers, inside, ends));
    waitpid(child, &status, 0);
    if (inside) {
        assay_end();
        assay_counts(&count);
    }
    tell(WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "perf-user: a child of fork %s%s counts nothing by its parent's calipers, and by its own "
         "exactly (status 0x%x)",
         inside ? "inside of a region" : "outside of regions",
         inside && !ends ? ", which it does not end," : "", status);
    int found = wrong_now();
    tell(count.state == ASSAY_COUNTED && !found, "and the parent goes on, %d wrong", found);
    assay_calipers_close(calipers);
}

/* ---- threads ---- */

static void *thread_counts(void *unused)
{
    static int found;
    (void)unused;
    open_calipers(2, ASSAY_USER); /* closed by the thread's end */
    found = maker->calibrate() ? TIMES : wrong_now();
    return &found;
}

static void threads_count_for_themselves(void)
{
    struct assay_calipers *calipers = open_calipers(1, ASSAY_USER);
    pthread_t thread;
    void *result = NULL;
    maker->calibrate();
    bool made = pthread_create(&thread, NULL, thread_counts, NULL) == 0;
    int meanwhile = wrong_now();
    if (made)
        pthread_join(thread, &result);
    int found = result ? *(int *)result : -1, later = wrong_now();
    tell(made && !found && !meanwhile && !later,
         "perf-user: two threads, each with calipers of its own: %d and %d wrong, and %d after one "
         "ended",
         found, meanwhile, later);
    assay_calipers_close(calipers);
}

/* ---- signal handlers ---- */

static volatile int repeats;            /* regions of the handler */
static volatile sig_atomic_t delivered; /* signals */

static __attribute__((noinline)) void repeat(void)
{
    for (int i = 0; i < repeats; i++)
        maker->make[REGION_SINGLE][HUNDRED]();
}

static void on_signal(int number)
{
    (void)number;
    delivered++;
    repeat();
}

static __attribute__((noinline)) void around_repeat(void)
{
    assay_begin();
    repeat();
    assay_end();
}

static __attribute__((noinline)) void around_signal(void)
{
    assay_begin();
    syscall(SYS_kill, getpid(), SIGUSR1);
    assay_end();
}

/* What a region counts, if it is always the same; -1: it is not. Like wrong(), it makes those again
 * that say that a reading was. */
static double always(void (*make)(void), int times)
{
    struct assay_count count;
    double same = -1;
    repeats = times;
    make();
    for (int time = 0, again = 0; time < TIMES; time++) {
        make();
        assay_counts(&count);
        if (count.noticed & ASSAY_SAW_DISTURBED && again++ < AGAIN_MOST)
            continue;
        if (count.state != ASSAY_COUNTED || (same >= 0 && count.corrected != same))
            return -1;
        same = count.corrected;
    }
    return same;
}

/* A handler's regions are taken off what they interrupted exactly as those of a function are. */
static double a_handlers_regions_are_taken_off(void)
{
    signal(SIGUSR1, SIG_IGN);
    double call = always(around_signal, 0), one = 0;
    signal(SIGUSR1, on_signal);
    double none = always(around_signal, 0), plain = always(around_repeat, 0);
    bool right = call >= 0 && none > call && plain >= 0;
    for (int times = 1; times <= 3; times++) {
        double handled = always(around_signal, times), called = always(around_repeat, times);
        right = right && handled >= 0 && called - plain >= 100 * times &&
                handled - none == called - plain;
        if (times == 1)
            one = handled - call;
        printf("# %d regions: %g more by a handler, %g by a function\n", times, handled - none,
               called - plain);
    }
    tell(right, "perf-user: regions of a handler cost what it interrupted as much as those of a "
                "function");
    int found = 0;
    repeats = 1;
    for (int time = 0; time < TIMES; time++) {
        struct assay_count count;
        syscall(SYS_kill, getpid(), SIGUSR1);
        assay_counts(&count);
        found += count.state != ASSAY_COUNTED || count.corrected != 100;
    }
    tell(!found, "and are exact themselves, %d wrong", found);
    return one;
}

/* Signals at any instruction, in short regions mostly those of their ends. Each adds what handling
 * one costs, or nothing, or the region says that it was disturbed. Where one comes within an end,
 * its region is taken off although it is not in there: nobody can tell yet, and it must be no more
 * than that. */
static void storm(size_t size, int regions, double handling, double pair)
{
    const struct itimerval every = {{0, STORM_US}, {0, STORM_US}}, never = {{0, 0}, {0, 0}};
    int found = 0, hit = 0, disturbed = 0, at_ends = 0, all = delivered;
    repeats = 1;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int time = 0; time < regions; time++) {
        struct assay_count count;
        int before = delivered;
        maker->make[REGION_SINGLE][size]();
        assay_counts(&count);
        int signals = delivered - before;
        double added = count.corrected - region_sizes[size];
        if (signals && count.corrected == 100)
            continue; /* a handler between the region's end and the question: its own count */
        for (; signals > 0 && added >= handling; signals--, hit++)
            added -= handling;
        for (; signals > 0 && added <= -pair; signals--, at_ends++)
            added += pair;
        disturbed += !!(count.noticed & ASSAY_SAW_DISTURBED);
        if (!(count.noticed & ASSAY_SAW_DISTURBED) &&
            (count.state != ASSAY_COUNTED || added != 0) && found++ < 3)
            printf("# %g too many, of %g a signal\n", added, handling);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    tell(!found && delivered > all,
         "perf-user: %d signals at any instruction of %d regions of %g, %d within, %d at ends: %d "
         "regions disturbed, %d wrong",
         delivered - all, regions, region_sizes[size], hit, at_ends, disturbed, found);
}

void calipers_in_company(void)
{
    children_of_fork_count_for_themselves(false, true);
    children_of_fork_count_for_themselves(true, true);
    children_of_fork_count_for_themselves(true, false);
    threads_count_for_themselves();
    struct assay_overhead overhead;
    struct assay_calipers *calipers = open_calipers(1, ASSAY_USER);
    maker->calibrate();
    double handling = a_handlers_regions_are_taken_off();
    assay_calipers_overhead(calipers, 0, &overhead);
    storm(HUNDRED_THOUSAND, 300, handling, overhead.pair);
    storm(NOTHING, 100000, handling, overhead.pair);
    assay_calipers_close(calipers);
}
