/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The filter's program, and the listener's way from the process to the liar. */
#include "filter.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* since Linux 5.19 */
#endif

/* On little-endian machines the low half of an argument, which is all that matters of
 * descriptors and small numbers. */
#define LOAD(field)          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ARGUMENT(number)     LOAD(args[number])
#define EQUALS(value, a, b)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (a), (b))
#define REACHES(value, a, b) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (a), (b))
#define ANSWER(action)       BPF_STMT(BPF_RET | BPF_K, (action))

/* Six statements each: for this call, when the argument lies in the range, the action; else the
 * next one. */
#define WHEN_BETWEEN(call, argument, first, end, action)                                           \
    LOAD(nr), EQUALS((call), 0, 4), ARGUMENT(argument), REACHES((first), 0, 2),                    \
        REACHES((end), 1, 0), ANSWER(action)

/* With the flag, a task that waits for an answer is not disturbed by anything but its death: an
 * answer is never lost to a signal, nor to being stepped. */
static int install(const struct sock_filter *program, size_t length)
{
    struct sock_fprog filter = {.len = (unsigned short)length,
                                .filter = (struct sock_filter *)(uintptr_t)program};
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    if (listener < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    return listener < 0 ? -errno : (int)listener;
}

int filter_install(bool emulate)
{
    /* A real event is started and stopped without the liar, so that nothing is added to its window;
     * mapping its page is refused, because what user code reads there could not be falsified. */
    const unsigned ask = SECCOMP_RET_USER_NOTIF, refuse = SECCOMP_RET_ERRNO | ENODEV;
    const unsigned account = emulate ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
    const struct sock_filter program[] = {
        LOAD(arch),
        EQUALS(AUDIT_ARCH_X86_64, 1, 0),
        ANSWER(SECCOMP_RET_ALLOW),
        LOAD(nr),
        EQUALS(SYS_perf_event_open, 0, 1),
        ANSWER(ask),
        WHEN_BETWEEN(SYS_read, 0, REAL_FIRST, EMULATED_END, ask),
        WHEN_BETWEEN(SYS_ioctl, 0, EMULATED_FIRST, EMULATED_END, ask),
        WHEN_BETWEEN(SYS_close, 0, EMULATED_FIRST, EMULATED_END, ask),
        WHEN_BETWEEN(SYS_mmap, 4, REAL_FIRST, EMULATED_END, refuse),
        WHEN_BETWEEN(SYS_prctl, 0, PR_TASK_PERF_EVENTS_DISABLE, PR_TASK_PERF_EVENTS_ENABLE + 1,
                     ask),
        WHEN_BETWEEN(SYS_getrusage, 0, RUSAGE_THREAD, RUSAGE_THREAD + 1, account),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return install(program, sizeof(program) / sizeof(program[0]));
}

/* --- passing a descriptor --- */

union control {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

int descriptor_send(int socket, int descriptor)
{
    char byte = 0;
    struct iovec io = {&byte, 1};
    union control control;
    struct msghdr message = {.msg_iov = &io,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    memset(&control, 0, sizeof(control));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int descriptor_receive(int socket)
{
    char byte;
    int descriptor;
    struct iovec io = {&byte, 1};
    union control control;
    struct msghdr message = {.msg_iov = &io,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0)
        return -errno;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (got == 0 || !header || header->cmsg_type != SCM_RIGHTS)
        return -EPIPE;
    memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
    return descriptor;
}
