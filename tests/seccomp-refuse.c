/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * seccomp-refuse EPERM|ENOSYS -- CMD...: runs a command in which perf_event_open(2) is refused with
 * that errno, as container runtimes do; with START counters open but cannot be started, with PTRACE
 * nothing can be traced. Beside the tests; whatever the command starts inherits it. Exits 2 for
 * wrong use, 77 where the kernel has no seccomp filters, 127 when CMD cannot run. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>

static const struct {
    const char *name;
    unsigned open_action, start_action, trace_action;
} refusals[] = {
    {"EPERM", SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
    {"EACCES", SECCOMP_RET_ERRNO | EACCES, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
    {"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
    /* as filters that tolerate nothing do: SIGSYS */
    {"KILL", SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
    {"START", SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW},
    {"PTRACE", SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM},
};

#define SYSTEM_CALL_IS_NOT(number, skip)                                                           \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                         \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (skip))

/* The request is the low half of the second argument on the little-endian ISAs we test on. */
static int install(unsigned open_action, unsigned start_action, unsigned trace_action)
{
    struct sock_filter program[] = {
        SYSTEM_CALL_IS_NOT(SYS_perf_event_open, 1),
        BPF_STMT(BPF_RET | BPF_K, open_action),
        SYSTEM_CALL_IS_NOT(SYS_ptrace, 1),
        BPF_STMT(BPF_RET | BPF_K, trace_action),
        SYSTEM_CALL_IS_NOT(SYS_ioctl, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_ENABLE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, start_action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 ? -errno : 0;
}

int main(int count, char **arguments)
{
    if (count < 4 || strcmp(arguments[2], "--") != 0) {
        fputs("usage: seccomp-refuse EPERM|EACCES|ENOSYS|KILL|START|PTRACE -- CMD...\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (strcmp(arguments[1], refusals[i].name) != 0)
            continue;
        int error =
            install(refusals[i].open_action, refusals[i].start_action, refusals[i].trace_action);
        if (error < 0) {
            fprintf(stderr, "seccomp-refuse: cannot install a filter: %s\n", strerror(-error));
            return 77;
        }
        execvp(arguments[3], arguments + 3);
        fprintf(stderr, "seccomp-refuse: %s: %s\n", arguments[3], strerror(errno));
        return 127;
    }
    fprintf(stderr, "seccomp-refuse: %s: not a refusal I know\n", arguments[1]);
    return 2;
}
