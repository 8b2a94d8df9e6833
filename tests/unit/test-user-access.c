/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why user code cannot read a counter, on made-up machines and pages; and mappings, on files that
 * stand in for events. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "lib/user-access.h"
#include "lib/user-read.h"
#include "tree.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define SYSCTL  "/proc/sys/kernel/"

static struct failure failure;

TEST(settings_are_found_where_the_isa_keeps_them)
{
    static const struct {
        const char *path, *content;
        enum user_setting expected;
    } cases[] = {{"/nothing", "", USER_SETTING_UNKNOWN},
                 {SYSCTL "perf_user_access", "0\n", USER_SETTING_OFF},
                 {SYSCTL "perf_user_access", "1\n", USER_SETTING_ON},
                 {SYSCTL "perf_user_access", "2\n", USER_SETTING_ON}, /* RISC-V: as it was before */
                 {DEVICES "cpu/rdpmc", "0\n", USER_SETTING_OFF},
                 {DEVICES "cpu/rdpmc", "1\n", USER_SETTING_ON},
                 {DEVICES "cpu/rdpmc", "2\n", USER_SETTING_ON},
                 {DEVICES "cpu_core/rdpmc", "0\n", USER_SETTING_OFF},
                 {DEVICES "cpu_atom/rdpmc", "1\n", USER_SETTING_ON}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tree tree = {0};
        tree_make(&tree);
        tree_put(&tree, cases[i].path, cases[i].content);
        enum user_setting found = user_access_setting(tree.root);
        tree_remove(&tree);
        if (found != cases[i].expected)
            fail_msg("case %zu: %s", i, cases[i].path);
    }
}

TEST(what_the_operating_system_counts_has_no_counter_to_read)
{
    static const uint32_t types[] = {PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT,
                                     PERF_TYPE_BREAKPOINT};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct perf_event_attr attr = {.type = types[i]};
        assert_int_equal(user_access_request("", "page-faults:u", &attr, &failure), -EOPNOTSUPP);
        assert_non_null(strstr(failure.text, "page-faults:u"));
        assert_non_null(strstr(failure.text, "the operating system counts it"));
    }
}

TEST(reads_that_are_switched_off_are_refused_with_the_switch)
{
    static const struct {
        const char *path, *system, *fix;
    } cases[] = {
        {SYSCTL "perf_user_access", "ID=debian\n", "sysctl kernel.perf_user_access=1"},
        {DEVICES "cpu/rdpmc", "ID=assay-laboratory\n", "/cpu*/rdpmc"},
        {SYSCTL "perf_user_access", "ID=assay-lab\nNAME=x\n", "Boot it with user-access=on"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE};
        struct tree tree = {0};
        tree_make(&tree);
        tree_put(&tree, cases[i].path, "0\n");
        tree_put(&tree, "/etc/os-release", cases[i].system);
        int result = user_access_request(tree.root, "cycles:u", &attr, &failure);
        tree_remove(&tree);
        assert_int_equal(result, -EACCES);
        assert_non_null(strstr(failure.text, "cycles:u"));
        assert_non_null(strstr(failure.text, cases[i].fix));
    }
}

#if defined(__aarch64__)
TEST(the_pmu_is_asked_by_the_bits_it_describes)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .config1 = 0x100};
    struct tree tree = {0};
    tree_make(&tree);
    tree_put(&tree, DEVICES "armv8_pmuv3/type", "8\n");
    tree_put(&tree, DEVICES "armv8_pmuv3/format/rdpmc", "config1:5\n");
    int result = user_access_request(tree.root, "cycles:u", &attr, &failure);
    tree_remove(&tree);
    assert_int_equal(result, 0);
    assert_int_equal(attr.config1, 0x120);
}
#endif

static struct perf_event_mmap_page promising(void)
{
    struct perf_event_mmap_page page = {.pmc_width = 48};
    page.cap_bit0_is_deprecated = 1;
    page.cap_user_rdpmc = 1;
    return page;
}

static void expect_refusal(pid_t pid, const struct perf_event_mmap_page *page, const char *words)
{
    struct tree tree = {0};
    tree_make(&tree);
    int result = user_access_check(tree.root, "cycles:u", pid, page, &failure);
    tree_remove(&tree);
    assert_int_equal(result, -EOPNOTSUPP);
    assert_non_null(strstr(failure.text, "cycles:u"));
    assert_non_null(strstr(failure.text, words));
}

TEST(a_page_is_refused_for_what_it_lacks)
{
    struct perf_event_mmap_page page = promising();
    assert_int_equal(user_access_check("/nowhere", "cycles:u", 0, &page, &failure), 0);
    assert_int_equal(user_access_check("/nowhere", "cycles:u", gettid(), &page, &failure), 0);
    expect_refusal(getppid(), &page, "counts for task");
    page.cap_user_rdpmc = 0;
    expect_refusal(0, &page, "cap_user_rdpmc");
    page = promising();
    page.pmc_width = 65;
    expect_refusal(0, &page, "65 bits");
    page = promising();
    page.index = 40;
    if (!user_counter_named(40))
        expect_refusal(0, &page, "counter 40");
}

TEST(every_way_of_mapping_shows_the_page)
{
    struct perf_event_mmap_page content = promising();
    content.offset = 4711;
    int file = memfd_create("page", MFD_CLOEXEC);
    assert_true(file >= 0 && ftruncate(file, sysconf(_SC_PAGESIZE)) == 0);
    assert_int_equal(write(file, &content, sizeof(content)), sizeof(content));
    static const enum user_mapping ways[] = {USER_MAP_COLD, USER_MAP_POPULATED, USER_MAP_TOUCHED};
    for (size_t i = 0; i < 3; i++) {
        const volatile struct perf_event_mmap_page *page;
        uint64_t count = 0;
        assert_int_equal(user_access_map("", "x", file, ways[i], &page, &failure), 0);
        assert_true(user_read_count(page, &count));
        assert_int_equal(count, 4711);
        user_access_unmap(page);
    }
    close(file);
}

static volatile sig_atomic_t signals_seen;

static void see(int number)
{
    (void)number;
    signals_seen++;
}

/* A library's guest: neither its handlers nor its children notice. */
TEST(trying_disturbs_nobody)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct sigaction before, after;
    signal(SIGCHLD, see);
    sigaction(SIGSEGV, NULL, &before);
    int result = user_access_request("", "instructions:u", &attr, &failure);
    if (result == 0)
        result = user_access_try("", "instructions:u", &attr, &failure);
    sigaction(SIGSEGV, NULL, &after);
    assert_int_equal(signals_seen, 0);
    assert_ptr_equal(before.sa_handler, after.sa_handler);
    if (result < 0) {
        assert_non_null(strstr(failure.text, "instructions:u"));
        print_message("# here: %s\n", failure.text);
    }
}

/* --- trying user reads on a machine whose pages promise them only while their event counts, a ---
 */

enum { REFUSED = 1, NO_LISTENER };

/* A page in memory that stands in for the event's. */
static int make_page(bool counts)
{
    struct perf_event_mmap_page page = {.pmc_width = 64};
    page.cap_bit0_is_deprecated = 1;
    page.cap_user_rdpmc = counts;
    int file = memfd_create("page", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sysconf(_SC_PAGESIZE)) < 0 ||
        write(file, &page, sizeof(page)) != sizeof(page))
        return -1;
    return file;
}

/* The first event is the one whose page is looked at; the others, of children, do not open. */
static void *answer(void *argument)
{
    const int listener = *(int *)argument;
    for (bool first = true;; first = false) {
        struct seccomp_notif asked = {0};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
            return NULL;
        struct seccomp_notif_resp reply = {.id = asked.id, .error = -ENOENT};
        if (first) {
            const struct perf_event_attr *attr = (const void *)(uintptr_t)asked.data.args[0];
            struct seccomp_notif_addfd given = {.id = asked.id,
                                                .srcfd = (uint32_t)make_page(!attr->disabled)};
            reply.val = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
            reply.error = 0;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
}

/* From here on perf_event_open of this thread and its children is asked of the other. */
static int hand_over(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* In a process of its own: filters stay. */
static int try_there(const char *root)
{
    struct perf_event_attr attr = {.size = sizeof(attr), .disabled = 1};
    failure = (struct failure){0};
    pthread_t machine;
    int listener = hand_over();
    if (listener < 0 || pthread_create(&machine, NULL, answer, &listener) != 0)
        return NO_LISTENER;
    int result = user_access_try(root, "instructions:u", &attr, &failure);
    if (result < 0)
        print_message("# %s\n", failure.text);
    return result < 0 ? REFUSED : 0;
}

TEST(a_page_that_promises_only_while_its_event_counts_is_tried)
{
    struct tree tree;
    int status = 0;
    tree_make(&tree);
    pid_t child = fork();
    if (child == 0)
        _exit(try_there(tree.root));
    waitpid(child, &status, 0);
    tree_remove(&tree);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_LISTENER)
        skip_because("system calls cannot be answered by another thread here");
    assert_int_equal(WEXITSTATUS(status), 0);
}
