/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets of counters on this machine, with software events whose counts are known. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "case.h"
#include "countable.h"
#include "lib/calipers.h"

#define NEEDS(name)                                                                                \
    do {                                                                                           \
        char why[1024];                                                                            \
        struct assay_set *needed = opened_or_reason(name, why);                                    \
        if (!needed)                                                                               \
            skip_because("%s cannot be counted here: %s", name, why);                              \
        assay_set_close(needed);                                                                   \
    } while (0)

/* Counts so many touches from 0, until nothing else faulted meanwhile. */
static void touch_alone(struct assay_set *set, size_t n)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        assert_int_equal(assay_set_reset(set), 0);
        if (count_touches(set, n))
            break;
    }
}

TEST(page_faults_are_counted_to_the_fault)
{
    NEEDS("page-faults:u");
    static const size_t amounts[] = {0, 1, 10, 1000};
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        size_t n = amounts[i];
        struct assay_set *set = OPENED(0, "page-faults:u");
        struct assay_value value;
        touch_alone(set, n);
        assert_int_equal(assay_set_read(set, &value), 0);
        assert_int_equal(value.count, n);
        assert_true(value.scaled == (double)n);
        assert_int_equal(value.state, ASSAY_COUNTED);
        assert_true(value.enabled_ns > 0);
        assert_int_equal(value.enabled_ns, value.running_ns);
        assay_set_close(set);
    }
}

TEST(reset_starts_counts_and_times_again)
{
    NEEDS("page-faults:u");
    static const unsigned flags[] = {0, ASSAY_SEPARATE, ASSAY_INHERIT};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct assay_set *set = OPENED(flags[i], "page-faults:u", "minor-faults:u");
        struct assay_value first[2], second[2];
        count_touches(set, 20);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            assert_int_equal(assay_set_reset(set), 0);
            assert_int_equal(assay_set_read(set, first), 0);
            if (count_touches(set, 10))
                break;
        }
        assert_int_equal(assay_set_read(set, second), 0);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(first[k].count, 0);
            assert_int_equal(first[k].enabled_ns, 0);
            assert_int_equal(first[k].running_ns, 0);
            assert_int_equal(second[k].count, 10);
        }
        assay_set_close(set);
    }
}

TEST(a_group_of_eight_keeps_its_order)
{
    NEEDS("page-faults:u");
    struct assay_set *set =
        OPENED(0, "dummy:u", "page-faults:u", "major-faults:u", "task-clock:u", "minor-faults:u",
               "alignment-faults:u", "cpu-clock:u", "emulation-faults:u");
    struct assay_value values[8];
    assert_int_equal(assay_set_size(set), 8);
    assert_string_equal(assay_set_event(set, 4), "minor-faults:u");
    assert_null(assay_set_event(set, 8));
    touch_alone(set, 100);
    assert_int_equal(assay_set_read(set, values), 0);
    static const uint64_t expected[8] = {0, 100, 0, 1, 100, 0, 1, 0};
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(values[i].state, ASSAY_COUNTED);
        if (expected[i] == 1) /* clocks: some time */
            assert_true(values[i].count > 100);
        else
            assert_int_equal(values[i].count, expected[i]);
    }
    assay_set_close(set);
}

TEST(a_refused_member_does_not_spoil_the_set)
{
    NEEDS("page-faults:u");
    static const char *const orders[][3] = {
        {"page-faults:u", "mem:0x1001/4:w:u", "minor-faults:u"},
        {"mem:0x1001/4:w:u", "page-faults:u", "minor-faults:u"},
        {"page-faults:u", "minor-faults:u", "mem:0x1001/4:w:u"},
    };
    for (size_t o = 0; o < 6; o++) {
        struct assay_set *set = opened(orders[o % 3], 3, o < 3 ? 0 : ASSAY_SEPARATE);
        struct assay_value values[3];
        touch_alone(set, 7);
        assert_int_equal(assay_set_read(set, values), 0);
        for (size_t i = 0; i < 3; i++) {
            bool bad = strncmp(orders[o % 3][i], "mem:", 4) == 0;
            assert_int_equal(values[i].state, bad ? ASSAY_UNSUPPORTED : ASSAY_COUNTED);
            assert_int_equal(values[i].count, bad ? 0 : 7);
            assert_int_equal(assay_set_error(set, i) != 0, bad);
            assert_int_equal(assay_set_reason(set, i)[0] != '\0', bad);
        }
        assay_set_close(set);
    }
}

/* What the operating system answers when a pinned counter was taken away, and when it fails. */
TEST(an_empty_read_is_unscheduled_and_a_failed_one_an_error)
{
    NEEDS("page-faults:u");
    struct assay_set *set = OPENED(0, "page-faults:u", "mem:0x1001/4:w:u", "minor-faults:u");
    struct assay_value values[3];
    assert_int_equal(assay_set_take(set, 0, values), 0);
    assert_int_equal(values[0].state, ASSAY_UNSCHEDULED);
    assert_int_equal(values[1].state, ASSAY_UNSUPPORTED);
    assert_int_equal(values[2].state, ASSAY_UNSCHEDULED);
    assert_int_equal(assay_set_take(set, -EBADF, values), -EBADF);
    assert_non_null(strstr(assay_last_error(), "page-faults:u"));
    assert_int_equal(assay_set_take(set, 8, values), -EIO);
    assay_set_close(set);
}

/* Times as a PMU with too few counters would report them. */
TEST(a_part_of_the_time_is_multiplexed_and_none_unscheduled)
{
    NEEDS("page-faults:u");
    struct assay_set *set = OPENED(0, "page-faults:u", "minor-faults:u");
    struct assay_reader *reader = (struct assay_reader *)(void *)set;
    struct assay_value values[2];
    static const uint64_t part[] = {2, 3000, 1000, 10, 20}, none[] = {2, 3000, 0, 0, 0};
    memcpy(reader->report, part, sizeof(part));
    assert_int_equal(assay_set_take(set, sizeof(part), values), 0);
    assert_int_equal(values[1].state, ASSAY_MULTIPLEXED);
    assert_int_equal(values[1].count, 20);
    assert_true(values[0].scaled == 30.0 && values[1].scaled == 60.0);
    memcpy(reader->report, none, sizeof(none));
    assert_int_equal(assay_set_take(set, sizeof(none), values), 0);
    assert_int_equal(values[0].state, ASSAY_UNSCHEDULED);
    assert_true(values[0].scaled == 0.0);
    assay_set_close(set);
}

/* Only a group's first event may be pinned: the second opens alone, and the reason says so. */
TEST(a_member_that_only_fits_alone_is_told_from_an_impossible_one)
{
    NEEDS("page-faults:u");
    struct assay_set *set = OPENED(0, "page-faults:u", "minor-faults:uD");
    assert_int_equal(assay_set_error(set, 0), 0);
    assert_int_equal(assay_set_error(set, 1), EINVAL);
    assert_non_null(strstr(assay_set_reason(set, 1), "page-faults:u"));
    assert_non_null(strstr(assay_set_reason(set, 1), "ASSAY_SEPARATE"));
    assay_set_close(set);
    set = OPENED(ASSAY_SEPARATE, "page-faults:u", "minor-faults:uD");
    assert_int_equal(assay_set_error(set, 1), 0);
    assay_set_close(set);
    set = OPENED(ASSAY_PINNED, "page-faults:u", "minor-faults:u");
    assert_int_equal(assay_set_error(set, 0), 0);
    assert_int_equal(assay_set_error(set, 1), 0);
    assay_set_close(set);
}

TEST(children_count_when_inherited_and_reset_forgets_them)
{
    NEEDS("page-faults:u");
    for (unsigned flags = 0; flags <= ASSAY_INHERIT; flags += ASSAY_INHERIT) {
        char *pages = fresh_pages(200);
        struct assay_set *set = OPENED(flags, "page-faults:u");
        struct assay_value value = {0};
        assert_int_equal(assay_set_enable(set), 0);
        pid_t child = fork();
        if (child == 0) {
            touch_pages(pages, 200);
            _exit(0);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(assay_set_disable(set), 0);
        assert_int_equal(assay_set_read(set, &value), 0);
        assert_true(flags ? value.count >= 200 : value.count < 200);
        assert_int_equal(assay_set_reset(set), 0);
        assert_int_equal(assay_set_read(set, &value), 0);
        assert_int_equal(value.count, 0);
        assay_set_close(set);
        drop_pages(pages, 200);
    }
}

static volatile uint32_t watched __attribute__((aligned(8)));

TEST(a_breakpoint_counts_every_write)
{
    char name[64];
    snprintf(name, sizeof(name), "mem:%p/4:w:u", (const void *)(uintptr_t)&watched);
    NEEDS(name);
    struct assay_set *set = OPENED(0, name);
    struct assay_value value;
    assert_int_equal(assay_set_enable(set), 0);
    for (uint32_t i = 0; i < 50; i++)
        watched = i;
    assert_int_equal(assay_set_disable(set), 0);
    assert_int_equal(assay_set_read(set, &value), 0);
    assert_int_equal(value.count, 50);
    assay_set_close(set);
}

__attribute__((noinline)) static void called_often(void)
{
    __asm__ volatile("" ::: "memory");
}

TEST(a_uprobe_counts_every_call)
{
    char path[256], name[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    assert_true(length > 0);
    path[length] = '\0';
    snprintf(name, sizeof(name), "uprobe:%s:called_often", path);
    NEEDS(name);
    struct assay_set *set = OPENED(0, name);
    struct assay_value value;
    assert_int_equal(assay_set_enable(set), 0);
    for (int i = 0; i < 25; i++)
        called_often();
    assert_int_equal(assay_set_disable(set), 0);
    assert_int_equal(assay_set_read(set, &value), 0);
    assert_int_equal(value.count, 25);
    assay_set_close(set);
}

/* Descriptors that are open now; with `perf`, only counters, which must not survive exec. */
static int count_descriptors(bool perf)
{
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char target[64] = "";
        if (entry->d_name[0] == '.')
            continue;
        assert_true(readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1) > 0);
        bool counter = strcmp(target, "anon_inode:[perf_event]") == 0;
        if (counter)
            assert_true(fcntl(atoi(entry->d_name), F_GETFD) & FD_CLOEXEC);
        count += !perf || counter;
    }
    closedir(folder);
    return count;
}

TEST(counters_do_not_survive_exec)
{
    NEEDS("page-faults:u");
    struct assay_set *set = OPENED(0, "page-faults:u", "minor-faults:u");
    assert_int_equal(count_descriptors(true), 2);
    assay_set_close(set);
    assert_int_equal(count_descriptors(true), 0);
}

TEST(nothing_leaks_over_many_sets)
{
    int before = count_descriptors(false);
    for (int i = 0; i < 500; i++) {
        static const char *const good[] = {"page-faults:u", "mem:0x1001/4:w:u", "task-clock:u",
                                           "raw_syscalls:sys_enter:u"};
        static const char *const bad[] = {"page-faults:u", "sched:no_such_thing", "task-clock:u"};
        static const char *const worse[] = {"page-faults:u", "\x01"};
        struct assay_set *set = NULL;
        int error = assay_set_open(&set, good, i % 100 ? 3 : 4, i % 3 ? 0 : ASSAY_SEPARATE);
        if (!error)
            assay_set_close(set);
        assert_true(assay_set_open(&set, bad, 3, 0) < 0);
        assert_null(set);
        assert_int_equal(assay_set_open(&set, worse, 2, 0), -EINVAL);
    }
    assay_set_close(NULL);
    assert_int_equal(count_descriptors(false), before);
}

TEST(wrong_calls_are_told_what_is_wrong)
{
    static const char *const names[ASSAY_MAX_COUNTERS + 1] = {"page-faults"};
    struct assay_set *set;
    assert_int_equal(assay_set_open(NULL, names, 1, 0), -EINVAL);
    assert_int_equal(assay_set_open(&set, NULL, 1, 0), -EINVAL);
    assert_int_equal(assay_set_open(&set, names, 0, 0), -EINVAL);
    assert_int_equal(assay_set_open(&set, names, ASSAY_MAX_COUNTERS + 1, 0), -EINVAL);
    assert_non_null(strstr(assay_last_error(), "33"));
    assert_int_equal(assay_set_open(&set, names, 2, 0), -EINVAL);
    assert_non_null(strstr(assay_last_error(), "NULL"));
    assert_int_equal(assay_set_open(&set, names, 1, 0x80), -EINVAL);
    assert_non_null(strstr(assay_last_error(), "0x80"));
    const char *unknown = "page-fault";
    assert_int_equal(assay_set_open(&set, &unknown, 1, 0), -ENOENT);
    assert_non_null(strstr(assay_last_error(), "page-faults"));
}

/* From here on perf_event_open answers with this errno. */
static bool forbid(uint32_t error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_forbidden_system_call_is_recognised)
{
    static const uint32_t errors[] = {EPERM, ENOSYS};
    for (size_t i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (!forbid(errors[i]))
                _exit(77);
            const char *name = "page-faults:u";
            struct assay_set *set;
            if (assay_set_open(&set, &name, 1, 0) < 0)
                _exit(1);
            if (assay_set_error(set, 0) != (int)errors[i])
                _exit(2);
            _exit(strstr(assay_set_reason(set, 0), "seccomp") ? 0 : 3);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            skip_because("seccomp filters cannot be installed here");
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* --- what a count is worth --- */

TEST(states_follow_from_the_two_times)
{
    static const struct {
        struct counter_report report;
        enum assay_state expected;
    } cases[] = {{{5, 100, 100}, ASSAY_COUNTED},   {{0, 100, 100}, ASSAY_COUNTED},
                 {{0, 0, 0}, ASSAY_COUNTED},       {{5, 100, 99}, ASSAY_MULTIPLEXED},
                 {{5, 100, 1}, ASSAY_MULTIPLEXED}, {{0, 100, 0}, ASSAY_UNSCHEDULED},
                 {{0, 1, 0}, ASSAY_UNSCHEDULED}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(counter_state(&cases[i].report), cases[i].expected);
}

static double scaled(uint64_t count, uint64_t enabled, uint64_t running)
{
    return counter_scale(&(struct counter_report){count, enabled, running});
}

TEST(scaling_keeps_every_digit_a_double_holds)
{
    assert_true(scaled(1000, 100, 100) == 1000.0);
    assert_true(scaled(1000, 200, 100) == 2000.0);
    assert_true(scaled(1, 3, 2) == 1.5);
    assert_true(scaled(0, 100, 50) == 0.0);
    assert_true(scaled(7, 100, 0) == 0.0);
    /* The product has 93 bits: in 64 it would wrap, in doubles lose its last digits. */
    assert_true(scaled(3000000000000001, 3000000000000, 1000000000000) == 9000000000000003.0);
    assert_true(scaled(UINT64_MAX, UINT64_MAX, UINT64_MAX) == 18446744073709551615.0);
    assert_true(scaled(UINT64_MAX, UINT64_MAX, UINT64_MAX / 2) > 3.6e19);
    assert_true(fabs(scaled(UINT64_MAX, UINT64_MAX, 1) - 0x1p128) < 0x1p80);
}
