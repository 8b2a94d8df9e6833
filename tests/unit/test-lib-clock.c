/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock of a process: which one it is and why, on made-up machines and where ticks are
 * forbidden; and its spans against CLOCK_MONOTONIC_RAW read around them. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay.h"
#include "case.h"
#include "lib/clock.h"
#include "tree.h"

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CPUS   "/proc/cpuinfo"
#define FLAGS  "processor\t: 0\nflags\t\t: fpu tsc "

TEST(the_operating_systems_choice_is_read)
{
    static const struct {
        const char *flags, *source;
        bool known, constant, nonstop;
    } cases[] = {{FLAGS "constant_tsc nonstop_tsc\n", "tsc\n", true, true, true},
                 {FLAGS "constant_tsc rep_good\nbugs: nonstop_tsc\n", "hpet\n", true, true, false},
                 {FLAGS "xconstant_tsc nonstop_tscs\n", "kvm-clock\n", true, false, false},
                 {"processor\t: 0\nBogoMIPS\t: 2\n", "arch_sys_counter\n", false, false, false},
                 {NULL, NULL, false, false, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tree tree = {0};
        struct clock_signs signs;
        tree_make(&tree);
        if (cases[i].flags) {
            tree_put(&tree, CPUS, cases[i].flags);
            tree_put(&tree, SOURCE, cases[i].source);
        }
        clock_signs_of(tree.root, &signs);
        tree_remove(&tree);
        assert_int_equal(signs.flags_known, cases[i].known);
        assert_int_equal(signs.constant, cases[i].constant);
        assert_int_equal(signs.nonstop, cases[i].nonstop);
        assert_int_equal(strlen(signs.source), cases[i].source ? strlen(cases[i].source) - 1 : 0);
    }
}

TEST(a_counter_is_taken_where_the_operating_system_takes_it)
{
    static const struct {
        struct clock_signs signs;
        int error;
        const char *says;
    } cases[] = {
        {{"tsc", false, true, true, true, "tsc"}, 0, ""},
        {{"cntvct", false, false, false, false, "arch_sys_counter"}, 0, ""},
        {{"rdtime", false, false, false, false, "riscv_clocksource"}, 0, ""},
        {{NULL, false, true, true, true, "tsc"}, -EOPNOTSUPP, "no counter of time on this ISA"},
        {{"tsc", true, true, true, true, "tsc"}, -EPERM, "PR_SET_TSC"},
        {{"tsc", false, false, true, true, "tsc"}, -EOPNOTSUPP, "/proc/cpuinfo cannot be read"},
        {{"tsc", false, true, false, true, "tsc"}, -EOPNOTSUPP, "changes its rate"},
        {{"tsc", false, true, true, false, "tsc"}, -EOPNOTSUPP, "may stop"},
        {{"tsc", false, true, true, true, ""}, -EOPNOTSUPP, "current_clocksource cannot be read"},
        {{"tsc", false, true, true, true, "hpet"}, -EOPNOTSUPP, "keeps time by hpet"},
        {{"tsc", false, true, true, true, "kvm-clock"}, -EOPNOTSUPP, "keeps time by kvm-clock"},
        {{"tsc", false, true, true, true, "tsc-early"}, -EOPNOTSUPP, "keeps time by tsc-early"},
        {{"cntvct", false, false, false, false, "jiffies"}, -EOPNOTSUPP, "keeps time by jiffies"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char reason[256];
        assert_int_equal(clock_choice(&cases[i].signs, reason, sizeof(reason)), cases[i].error);
        if (!strstr(reason, cases[i].says) || (cases[i].error == 0) != (reason[0] == '\0'))
            fail_msg("case %zu: %s", i, reason);
    }
}

/* In a child: 0 when all is well there, else the line. */
#define CHILD_WANTS(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit(__LINE__ % 200 + 1);                                                             \
    } while (0)

static int status_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Comes before any other use: the clock is chosen once, and children would have it. */
TEST(where_ticks_are_forbidden_the_clock_is_the_operating_systems)
{
    int mode;
#if defined(SANITIZED_THREADS) || defined(SANITIZED_ADDRESSES)
    skip_because("the sanitizer itself reads the counter");
#endif
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0)
        skip_because("the operating system cannot forbid ticks here");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct assay_span span;
        CHILD_WANTS(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
        uint64_t from = assay_clock_begin(), between = assay_clock_now(), to = assay_clock_end();
        CHILD_WANTS(from <= between && between <= to);
        CHILD_WANTS(assay_clock_span(from, to, &span) == 0);
        CHILD_WANTS(span.ns == (double)(to - from) && span.error_ns > 0);
        CHILD_WANTS(strcmp(assay_clock_name(), "CLOCK_MONOTONIC_RAW") == 0);
        CHILD_WANTS(strstr(assay_clock_reason(), "PR_SET_TSC"));
        double error = 1;
        CHILD_WANTS(assay_clock_rate(&error) == 1e9 && error == 0);
        CHILD_WANTS(assay_clock_shared() == 1);
        _exit(0);
    }
    assert_int_equal(status_of(child), 0);
}

static void *use_the_clock(void *context)
{
    bool *well = context;
    for (int i = 0; i < 3000; i++) {
        struct assay_span span;
        uint64_t from = assay_clock_begin(), to = assay_clock_end();
        *well = *well && assay_clock_span(from, to, &span) == 0 && span.ns >= 0;
    }
    return NULL;
}

/* In a child that has chosen nothing yet, as no case above has: all of them meet at the first use.
 */
TEST(threads_may_meet_at_the_first_use)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pthread_t threads[4];
        bool well[4] = {true, true, true, true};
        CHILD_WANTS(assay_clock_in_place == 0);
        for (int i = 0; i < 4; i++)
            CHILD_WANTS(pthread_create(&threads[i], NULL, use_the_clock, &well[i]) == 0);
        for (int i = 0; i < 4; i++)
            CHILD_WANTS(pthread_join(threads[i], NULL) == 0 && well[i]);
        _exit(0);
    }
    assert_int_equal(status_of(child), 0);
}

static uint64_t raw(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Until so much has passed: what is between the two moments. */
static void spend(uint64_t ns)
{
    uint64_t start = raw();
    if (ns >= 1000000) {
        struct timespec asleep = {0, (long)ns};
        nanosleep(&asleep, NULL);
    }
    while (raw() - start < ns)
        ;
}

static void check_span(uint64_t ns)
{
    struct assay_span span;
    uint64_t before_from = raw();
    uint64_t from = assay_clock_begin();
    uint64_t behind_from = raw();
    spend(ns);
    uint64_t before_to = raw();
    uint64_t to = assay_clock_end();
    uint64_t behind_to = raw();
    assert_int_equal(assay_clock_span(from, to, &span), 0);
    double least = (double)(before_to - behind_from) - 1;
    double most = (double)(behind_to - before_from) + 1;
    if (span.ns + span.error_ns < least || span.ns - span.error_ns > most)
        fail_msg("%f ns with an error of %f, between %f and %f", span.ns, span.error_ns, least,
                 most);
}

TEST(spans_agree_with_the_operating_systems_clock)
{
    static const struct {
        uint64_t ns;
        int times;
    } lengths[] = {{100, 4000},    {1000, 2000},   {10000, 1000}, {100000, 500},
                   {1000000, 100}, {10000000, 20}, {100000000, 4}};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (int j = 0; j < lengths[i].times; j++)
            check_span(lengths[i].ns);
}

TEST(the_rate_agrees_with_what_is_claimed_and_has_a_bound)
{
    double error, rate = assay_clock_rate(&error), again = assay_clock_rate(NULL);
    assert_true(rate > 0 && error >= 0 && error < 1e-3);
    assert_true(again > rate * (1 - error) * 0.999999 && again < rate * (1 + error) * 1.000001);
    double claim = assay_clock_in_place ? clock_claim() : 0;
    if (claim > 0)
        assert_true(claim > rate * (1 - error - 2e-6) && claim < rate * (1 + error + 2e-6));
}

TEST(moments_in_the_wrong_order_are_noticed)
{
    struct assay_span span;
    uint64_t from = assay_clock_begin(), to = from + 1000;
    assert_int_equal(assay_clock_span(to, from, &span), -ERANGE);
    assert_true(span.ns < 0);
    assert_non_null(strstr(assay_last_error(), "before the first"));
}
