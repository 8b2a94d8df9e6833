/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trying user reads on a machine whose pages promise them only while their event counts, as
 * RISC-V's do. The machine is a thread that answers perf_event_open in the operating system's
 * place. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "lib/user-access.h"
#include "tree.h"

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
    struct failure failure = {0};
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
