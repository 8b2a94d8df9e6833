/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions whose page faults and system calls are known, read by system calls: the calipers' own
 * are taken off, exactly, alone and inside each other. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "case.h"
#include "countable.h"

#define EVERY 100

/* NULL and the reason where the machine does not count it. */
static struct assay_calipers *counting(const char *event, char reason[1024])
{
    struct assay_calipers *calipers = NULL;
    reason[0] = '\0';
    if (assay_calipers_open(&calipers, &event, 1, ASSAY_READ) < 0) {
        strncat(reason, assay_last_error(), 1023);
        return NULL;
    }
    if (assay_calipers_error(calipers, 0)) {
        strncat(reason, assay_calipers_reason(calipers, 0), 1023);
        assay_calipers_close(calipers);
        return NULL;
    }
    assert_int_equal(assay_calibrate(), 0);
    return calipers;
}

static double corrected(void)
{
    struct assay_count count;
    assert_int_equal(assay_counts(&count), 0);
    assert_int_equal(count.state, ASSAY_COUNTED);
    return count.corrected;
}

/* As many as the thread had by its own account, in case the machine takes a page away meanwhile. */
static long faults_so_far(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_minflt + usage.ru_majflt;
}

TEST(page_faults_are_exact)
{
    char reason[1024];
    struct assay_calipers *calipers = counting("page-faults", reason);
    if (!calipers)
        skip_because("%s", reason);
    static const size_t sizes[] = {0, 1, 10, 1000};
    unsigned exact = 0;
    faults_so_far();
    for (size_t i = 0; i < 4; i++) {
        for (int run = 0; run < EVERY; run++) {
            size_t n = sizes[i];
            char *pages = fresh_pages(n + 1);
            long before = faults_so_far();
            assay_begin();
            touch_pages(pages, n);
            assay_end();
            long had = faults_so_far() - before;
            assert_true(corrected() == (double)had || had > (long)n);
            exact += corrected() == (double)n;
            drop_pages(pages, n + 1);
        }
    }
    assert_in_range(exact, 4 * EVERY - 4, 4 * EVERY);
    assay_calipers_close(calipers);
}

TEST(page_faults_of_regions_inside_count_for_both)
{
    char reason[1024];
    struct assay_calipers *calipers = counting("page-faults", reason);
    if (!calipers)
        skip_because("%s", reason);
    unsigned exact = 0;
    for (int run = 0; run < EVERY; run++) {
        char *pages = fresh_pages(16);
        assay_begin();
        touch_pages(pages, 3);
        assay_begin();
        touch_pages(pages, 8); /* five new ones */
        assay_end();
        double inner = corrected();
        touch_pages(pages, 10);
        assay_end();
        exact += inner == 5 && corrected() == 10;
        drop_pages(pages, 16);
    }
    assert_in_range(exact, EVERY - 2, EVERY);
    assay_calipers_close(calipers);
}

static void call(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        syscall(SYS_getppid);
}

/* name: counts all system calls, or that one. */
static void assert_calls_exact(const char *name, bool all, struct assay_calipers *calipers)
{
    static const unsigned sizes[] = {0, 1, 2, 10, 1000};
    struct assay_overhead overhead;
    assert_int_equal(assay_calipers_overhead(calipers, 0, &overhead), 0);
    assert_true(overhead.window == all && overhead.pair == 2 * all); /* the reads */
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int run = 0; run < EVERY; run++) {
            assay_begin();
            call(sizes[i]);
            assay_end();
            if (corrected() != sizes[i])
                print_error("%s: %u read as %g\n", name, sizes[i], corrected());
            assert_true(corrected() == sizes[i]);
        }
    }
    for (int run = 0; run < EVERY; run++) {
        assay_begin();
        call(3);
        assay_begin();
        call(4);
        assay_begin();
        call(5);
        assay_end();
        assert_true(corrected() == 5);
        assay_end();
        assert_true(corrected() == 9);
        assay_end();
        assert_true(corrected() == 12);
    }
    assay_calipers_close(calipers);
}

TEST(all_system_calls_are_exact)
{
    char reason[1024];
    struct assay_calipers *calipers = counting("raw_syscalls:sys_enter", reason);
    if (!calipers)
        skip_because("%s", reason);
    assert_calls_exact("raw_syscalls:sys_enter", true, calipers);
}

TEST(calls_of_one_kind_are_exact)
{
    char reason[1024];
    struct assay_calipers *calipers = counting("syscalls:sys_enter_getppid", reason);
    if (!calipers)
        skip_because("%s", reason);
    assert_calls_exact("syscalls:sys_enter_getppid", false, calipers);
}

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
    (void)number;
    assay_begin();
    assay_end();
    handled++;
}

/* Signals come where system calls return, and so behind the reading that ends a region: what the
 * handler measures there is not inside. What is inside has one system call more, which returns from
 * the handler. */
TEST(regions_of_handlers_are_taken_off_where_they_were)
{
    char reason[1024];
    struct assay_calipers *calipers = counting("raw_syscalls:sys_enter", reason);
    if (!calipers)
        skip_because("%s", reason);
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    const struct itimerval every = {{0, 53}, {0, 53}}, never = {{0, 0}, {0, 0}};
    unsigned wrong = 0, rounds = 0, inside = 0;
    assay_end(); /* of nothing: changes nothing */
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
    for (; handled < 3000; rounds++) {
        assay_begin();
        assay_begin();
        assay_end();
        assay_end();
        double counted = corrected();
        wrong += counted < 0;
        inside += counted > 0;
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    signal(SIGALRM, SIG_IGN);
    print_message("# %u rounds, %u of them with a signal inside\n", rounds, inside);
    assert_int_equal(wrong, 0);
    assay_calipers_close(calipers);
}
