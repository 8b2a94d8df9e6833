/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions whose page faults and system calls are known, read by system calls: the calipers' own
 * are taken off, exactly, alone and inside each other. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "assay.h"
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

#define COUNTING_OR_SKIP(event)                                                                    \
    char reason[1024];                                                                             \
    struct assay_calipers *calipers = counting(event, reason);                                     \
    if (!calipers)                                                                                 \
    skip_because("%s", reason)

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
    COUNTING_OR_SKIP("page-faults");
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
    COUNTING_OR_SKIP("raw_syscalls:sys_enter");
    assert_calls_exact("raw_syscalls:sys_enter", true, calipers);
}

TEST(calls_of_one_kind_are_exact)
{
    COUNTING_OR_SKIP("syscalls:sys_enter_getppid");
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
    COUNTING_OR_SKIP("raw_syscalls:sys_enter");
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

/* --- what regions notice on this machine --- */

#define PAGES ((size_t)7)

static struct assay_count counts[2];

/* Counts both events in a region that touches so many pages for the first time. */
static void measure(const char *const *events, unsigned flags, size_t pages)
{
    struct assay_calipers *calipers;
    assert_int_equal(assay_calipers_open(&calipers, events, 2, ASSAY_READ | flags), 0);
    assert_int_equal(assay_calibrate(), 0);
    if (assay_calipers_error(calipers, 0) || assay_calipers_error(calipers, 1))
        skip_because("%s%s", assay_calipers_reason(calipers, 0),
                     assay_calipers_reason(calipers, 1));
    volatile char *memory =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise((void *)memory, PAGES * 4096, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++) /* what a sanitizer keeps about it faults here, once */
        memory[i * 4096] = 1;
    madvise((void *)memory, PAGES * 4096, MADV_DONTNEED);
    assay_begin();
    for (size_t i = 0; i < pages; i++)
        memory[i * 4096] = 1;
    assay_end();
    assert_int_equal(assay_counts(counts), 0);
    munmap((void *)memory, PAGES * 4096);
    assay_calipers_close(calipers);
}

TEST(faults_are_noticed_where_they_are_watched)
{
    static const char *const events[] = {"minor-faults:u", "task-clock:u"};
    measure(events, ASSAY_WATCH, PAGES);
    assert_true(counts[0].corrected == PAGES && counts[0].uncertainty == 0);
    assert_false(counts[0].noticed & ASSAY_SAW_FAULTS); /* it does not suffer from what it counts */
    assert_true(counts[1].noticed & ASSAY_SAW_FAULTS);
}

TEST(a_region_without_faults_is_not_accused)
{
    static const char *const events[] = {"minor-faults:u", "task-clock:u"};
    measure(events, ASSAY_WATCH, 0);
    assert_true(counts[0].corrected == 0 && counts[0].uncertainty == 0);
    assert_false(counts[1].noticed & ASSAY_SAW_FAULTS);
    measure(events, 0, PAGES); /* nobody watched */
    assert_true(counts[0].corrected == PAGES);
    assert_false(counts[1].noticed & ASSAY_SAW_FAULTS);
}
