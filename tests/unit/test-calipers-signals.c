/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A storm of signals whose handler has regions of its own, over a program in and out of regions:
 * nesting stays balanced, and no sum is torn. */
#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>

#include "case.h"
#include "counted-faults.h"
#include "lib/calipers.h"

#define SIGNALS 3000

static struct assay_region all = ASSAY_REGION("storm"), outer = ASSAY_REGION("storm outer"),
                           inner = ASSAY_REGION("storm inner"), own = ASSAY_REGION("handler");

static struct fresh handlers_pages;
static volatile sig_atomic_t handled;
static struct assay_count handler_count;
static sigjmp_buf out;
static volatile sig_atomic_t may_jump;

static void touch_in_region(void)
{
    assay_begin();
    if (handlers_pages.left) {
        *handlers_pages.at = 1;
        handlers_pages.at += handlers_pages.size;
        handlers_pages.left--;
    }
    assay_end_in(&own);
    assay_counts(&handler_count);
    handled++;
}

static void on_alarm(int number)
{
    (void)number;
    touch_in_region();
    if (may_jump)
        siglongjmp(out, 1);
}

static void start_storm(int flags)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | flags};
    const struct itimerval every = {{0, 53}, {0, 53}};
    handlers_pages = fresh_memory();
    handled = 0;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void end_storm(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    signal(SIGALRM, SIG_IGN);
    release(&handlers_pages);
}

static uint64_t regions_of(const char *name)
{
    struct assay_region_total total;
    return assay_total(name, 0, &total) == 0 ? total.regions : 0;
}

/* Every page that the handler touches is fresh, and faults once: inside a region of its own, inside
 * of what it interrupted, and inside the region around all. */
static void storm_over(struct assay_calipers *calipers, int flags)
{
    uint64_t loops = 0;
    struct assay_count count;
    start_storm(flags);
    assay_begin();
    uint64_t before = faults_so_far();
    for (; handled < SIGNALS; loops++) {
        assay_begin();
        assay_begin();
        assay_end_in(&inner);
        assay_end_in(&outer);
        if (calipers->here.depth != 1 || calipers->here.frame != &calipers->frames[1])
            fail_msg("%u regions are open in round %lu", calipers->here.depth, loops);
    }
    end_storm();
    uint64_t truth = faults_so_far() - before;
    assay_end_in(&all);
    assert_int_equal(assay_counts(&count), 0);
    assert_true(truth >= SIGNALS);
    assert_true(count.corrected == (double)truth);
    struct assay_region_total total;
    assert_int_equal(assay_total("handler", 0, &total), 0);
    assert_int_equal(total.regions + calipers->regions->dropped, handled);
    assert_true(total.minimum == 1);
    assert_int_equal(regions_of("storm inner"), loops);
    assert_int_equal(regions_of("storm outer"), loops);
    assert_int_equal(calipers->here.depth, 0);
    print_message("# %lu rounds, %d signals, %lu of their regions came while another was added\n",
                  loops, (int)handled, calipers->regions->dropped);
}

TEST(a_storm_of_signals_leaves_sums_and_nesting_whole)
{
    FAULT_CALIPERS(calipers);
    storm_over(calipers, 0);
    assay_calipers_close(calipers);
}

TEST(handlers_on_a_stack_of_their_own_do_too)
{
    static char stack[1 << 16];
    stack_t signals = {.ss_sp = stack, .ss_size = sizeof(stack)}, none = {.ss_flags = SS_DISABLE};
    FAULT_CALIPERS(calipers);
    memset(stack, 1, sizeof(stack)); /* faults of the operating system's own are not of :u */
    assert_int_equal(sigaltstack(&signals, NULL), 0);
    storm_over(calipers, SA_ONSTACK);
    assert_int_equal(sigaltstack(&none, NULL), 0);
    assay_calipers_close(calipers);
}

/* Wherever the handler jumps out of, the calipers go on when what is open was ended. */
TEST(calipers_outlive_handlers_that_jump_out)
{
#ifdef SANITIZED_ADDRESSES
    skip_because("the sanitizer does not outlive a jump out of its own code");
#endif
    static struct assay_calipers *calipers;
    static volatile uint64_t jumps;
    calipers = fault_calipers();
    if (!calipers)
        skip_because("page faults cannot be counted here");
    start_storm(0);
    may_jump = 1;
    while (jumps < 500) {
        if (sigsetjmp(out, 1) != 0) {
            jumps++;
            for (int i = 0; i < 4; i++) /* more than can be open */
                assay_end();
        }
        if (calipers->here.depth == 0) {
            assay_begin();
            assay_begin();
            assay_end_in(&inner);
            assay_end_in(&outer);
        }
    }
    may_jump = 0;
    end_storm();
    for (int i = 0; i < 4; i++)
        assay_end();
    uint64_t before = regions_of("storm outer"), dropped = calipers->regions->dropped;
    struct fresh fresh = fresh_memory();
    for (int i = 0; i < 100; i++) {
        struct assay_count count;
        assay_begin();
        uint64_t truth = fault(&fresh, 2);
        assay_end_in(&outer);
        assert_int_equal(assay_counts(&count), 0);
        assert_true(count.corrected == (double)truth);
    }
    assert_int_equal(regions_of("storm outer"), before + 100);
    assert_int_equal(calipers->regions->dropped, dropped);
    release(&fresh);
    assay_calipers_close(calipers);
}
