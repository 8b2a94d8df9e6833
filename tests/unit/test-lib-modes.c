/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Modes on software events: what :u, :k and :uk do to events that have no processor mode. The
 * findings here are what the cause "mode-not-applicable" rests on. As root, and as an ordinary user
 * at paranoid level 2. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "case.h"
#include "countable.h"
#include "events/event.h"

#define NOBODY 65534

/* Work that the event under test counts n times. */
static void do_faults(int n)
{
    char *pages = fresh_pages((size_t)n);
    touch_pages(pages, (size_t)n);
    drop_pages(pages, (size_t)n);
}

static void do_getppid(int n)
{
    for (int i = 0; i < n; i++)
        syscall(SYS_getppid);
}

static void do_sleeps(int n)
{
    for (int i = 0; i < n; i++)
        usleep(1);
}

/* What a mode does to an event: the count stays within [low, high] for n units of work. */
struct mode_case {
    const char *event;
    void (*work)(int n);
    int n;
    uint64_t low, high;
    int error; /* expected errno when it cannot be opened */
};

/* 0 as expected, 1 refused although it should open (text printed), 2 another result. */
static int try_case(const struct mode_case *one)
{
    struct assay_set *set = NULL;
    struct assay_value value = {0};
    if (assay_set_open(&set, &one->event, 1, 0) < 0) {
        print_message("# %s: %s\n", one->event, assay_last_error());
        return 1;
    }
    int error = assay_set_error(set, 0);
    if (error != one->error) {
        print_message("# %s: errno %d, expected %d: %s\n", one->event, error, one->error,
                      assay_set_reason(set, 0));
        assay_set_close(set);
        return error ? 1 : 2;
    }
    assay_set_enable(set);
    one->work(one->n);
    assay_set_disable(set);
    assay_set_read(set, &value);
    assay_set_close(set);
    if (error || (value.count >= one->low && value.count <= one->high))
        return 0;
    print_message("# %s: counted %llu, expected %llu to %llu\n", one->event,
                  (unsigned long long)value.count, (unsigned long long)one->low,
                  (unsigned long long)one->high);
    return 2;
}

static int try_cases(const struct mode_case *cases, size_t count)
{
    int worst = 0;
    for (size_t i = 0; i < count; i++) {
        int result = 2;
        for (int attempt = 0; attempt < 3 && result == 2; attempt++)
            result = try_case(&cases[i]);
        worst = result > worst ? result : worst;
    }
    return worst;
}
#define TRY_CASES(cases) try_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static bool is_root(void)
{
    return geteuid() == 0;
}

static int paranoid(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    int level = -100;
    if (file) {
        if (fscanf(file, "%d", &level) != 1)
            level = -100;
        fclose(file);
    }
    return level;
}

#define NEEDS_AS_ROOT(name)                                                                        \
    do {                                                                                           \
        char why[1024];                                                                            \
        if (!is_root())                                                                            \
            skip_because("needs root");                                                            \
        struct assay_set *needed = opened_or_reason(name, why);                                    \
        if (!needed)                                                                               \
            skip_because("%s cannot be counted here: %s", name, why);                              \
        assay_set_close(needed);                                                                   \
    } while (0)

/* A test of what modes do to this event, as root. */
#define MODES_OF(name, event, ...)                                                                 \
    TEST(name)                                                                                     \
    {                                                                                              \
        NEEDS_AS_ROOT(event);                                                                      \
        static const struct mode_case cases[] = {__VA_ARGS__};                                     \
        assert_int_equal(TRY_CASES(cases), 0);                                                     \
    }

MODES_OF(page_faults_of_user_code_are_user_mode, "page-faults",
         {"page-faults:u", do_faults, 100, 100, 105, 0},
         {"page-faults:uk", do_faults, 100, 100, 105, 0},
         {"page-faults", do_faults, 100, 100, 105, 0}, {"page-faults:k", do_faults, 100, 0, 5, 0})

/* Switches happen inside the kernel: user mode alone silently reads zero. A sleep whose timer fires
 * before the CPU is given up needs no switch, hence the room below 50. */
MODES_OF(context_switches_read_zero_in_user_mode, "context-switches",
         {"context-switches:u", do_sleeps, 50, 0, 0, 0},
         {"context-switches:k", do_sleeps, 50, 40, 500, 0},
         {"context-switches:uk", do_sleeps, 50, 40, 500, 0},
         {"context-switches", do_sleeps, 50, 40, 500, 0})

MODES_OF(task_clock_ignores_the_mode, "task-clock",
         {"task-clock:u", do_getppid, 1000, 10000, UINT64_MAX, 0},
         {"task-clock:k", do_getppid, 1000, 10000, UINT64_MAX, 0},
         {"cpu-clock:u", do_getppid, 1000, 10000, UINT64_MAX, 0},
         {"cpu-clock:k", do_getppid, 1000, 10000, UINT64_MAX, 0})

MODES_OF(a_system_call_s_tracepoint_ignores_the_mode, "syscalls:sys_enter_getppid",
         {"syscalls:sys_enter_getppid:u", do_getppid, 100, 100, 100, 0},
         {"syscalls:sys_enter_getppid:k", do_getppid, 100, 100, 100, 0},
         {"syscalls:sys_enter_getppid:uk", do_getppid, 100, 100, 100, 0})

/* The closing ioctl is a system call too: one more than the work. */
MODES_OF(raw_system_calls_read_zero_in_user_mode_and_one_more_otherwise, "raw_syscalls:sys_enter",
         {"raw_syscalls:sys_enter:u", do_getppid, 100, 0, 0, 0},
         {"raw_syscalls:sys_enter:k", do_getppid, 100, 101, 101, 0},
         {"raw_syscalls:sys_enter", do_getppid, 100, 101, 101, 0})

MODES_OF(the_time_stamp_counter_refuses_user_mode, "msr/tsc/",
         {"msr/tsc/u", do_getppid, 1, 0, 0, EINVAL}, {"msr/tsc/k", do_getppid, 1, 0, 0, EINVAL},
         {"msr/tsc/uk", do_getppid, 1000, 10000, UINT64_MAX, 0})

/* Runs the cases in a process that has given up root; its exit status is the result. */
static int try_as_nobody(const struct mode_case *cases, size_t count)
{
    pid_t child = fork();
    if (child == 0) {
        if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
            _exit(99);
        _exit(try_cases(cases, count));
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST(an_ordinary_user_at_level_2_gets_user_mode_only)
{
    NEEDS_AS_ROOT("page-faults");
    if (paranoid() != 2)
        skip_because("perf_event_paranoid is %d, and the findings are about 2", paranoid());
    static const struct mode_case cases[] = {
        {"page-faults:u", do_faults, 100, 100, 105, 0},
        {"page-faults:uk", do_faults, 100, 0, 0, EACCES},
        {"page-faults", do_faults, 100, 0, 0, EACCES},
        {"page-faults:k", do_faults, 100, 0, 0, EACCES},
        {"context-switches:u", do_sleeps, 20, 0, 0, 0},
        {"task-clock:u", do_getppid, 1000, 10000, UINT64_MAX, 0},
        {"task-clock:k", do_getppid, 1000, 0, 0, EACCES},
        {"instructions:k", do_getppid, 1, 0, 0, EACCES},
        {"cycles:uk", do_getppid, 1, 0, 0, EACCES},
    };
    assert_int_equal(try_as_nobody(cases, sizeof(cases) / sizeof(cases[0])), 0);
}

TEST(an_ordinary_user_never_opens_the_time_stamp_counter)
{
    NEEDS_AS_ROOT("msr/tsc/");
    if (paranoid() != 2)
        skip_because("perf_event_paranoid is %d, and the findings are about 2", paranoid());
    static const struct mode_case cases[] = {{"msr/tsc/", do_getppid, 1, 0, 0, EACCES},
                                             {"msr/tsc/u", do_getppid, 1, 0, 0, EINVAL}};
    assert_int_equal(try_as_nobody(cases, sizeof(cases) / sizeof(cases[0])), 0);
}

/* tracefs is closed to ordinary users, but a number looked up by somebody else counts. */
TEST(an_ordinary_user_counts_tracepoints_by_number)
{
    NEEDS_AS_ROOT("syscalls:sys_enter_getppid");
    if (paranoid() != 2)
        skip_because("perf_event_paranoid is %d, and the findings are about 2", paranoid());
    struct event_view view;
    struct event event;
    char name[64];
    event_view_open(&view, "");
    assert_int_equal(event_resolve(&view, "syscalls:sys_enter_getppid", &event, NULL), 0);
    snprintf(name, sizeof(name), "tracepoint/config=%llu/u", (unsigned long long)event.attr.config);
    event_release(&event);
    event_view_close(&view);
    const struct mode_case cases[] = {{name, do_getppid, 100, 100, 100, 0}};
    assert_int_equal(try_as_nobody(cases, 1), 0);
}

/* In a process that has given up root: 0 when a tracepoint that cannot be looked up is refused by
 * itself, in sets and in calipers, and its neighbour counts; else the number of the step. */
#define OPEN_TO_ALL 77
static int count_beside_a_closed_tracefs(void)
{
    static const char *const events[] = {"raw_syscalls:sys_enter", "page-faults:u"};
    struct assay_set *set = NULL;
    struct assay_calipers *calipers = NULL;
    struct assay_value values[2] = {0};
    if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || assay_set_open(&set, events, 2, 0) < 0)
        return 1;
    if (assay_set_error(set, 0) == 0)
        return OPEN_TO_ALL;
    if (assay_set_error(set, 0) != EACCES || !strstr(assay_set_reason(set, 0), "tracefs") ||
        strcmp(assay_set_event(set, 0), events[0]) != 0 || assay_set_error(set, 1) != 0)
        return 2;
    assay_set_enable(set);
    do_faults(100);
    assay_set_disable(set);
    if (assay_set_read(set, values) < 0 || values[0].state != ASSAY_UNSUPPORTED ||
        values[1].count < 100)
        return 3;
    assay_set_close(set);
    if (assay_calipers_open(&calipers, events, 2, ASSAY_OR_TRAP) < 0)
        return 4;
    if (assay_calipers_error(calipers, 0) != EACCES || assay_calipers_error(calipers, 1) != 0)
        return 5;
    assay_calipers_close(calipers);
    return 0;
}

TEST(an_event_that_cannot_be_looked_up_leaves_the_others)
{
    NEEDS_AS_ROOT("raw_syscalls:sys_enter");
    if (paranoid() != 2)
        skip_because("perf_event_paranoid is %d, and the findings are about 2", paranoid());
    pid_t child = fork();
    if (child == 0)
        _exit(count_beside_a_closed_tracefs());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == OPEN_TO_ALL)
        skip_because("an ordinary user may read tracefs here");
    assert_int_equal(status, 0);
}
