/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of system calls: what each may bring in that is not the same in every execution. */
#include "judge/repeat/calls.h"

#include <errno.h>
#include <string.h>

/* Flags in the order of struct call_kind. */
#define SOURCE  true, false, false
#define USUAL   false, false, false
#define WEAK    false, true, false
#define A_PLACE false, true, true

/* The first row that fits. Files come before names, since what is read says more. */
static const struct call_kind kinds[] = {
    {"open", NULL, PARTING_FILES, USUAL},
    {"openat", NULL, PARTING_FILES, USUAL},
    {"openat2", NULL, PARTING_FILES, USUAL},
    {"access", NULL, PARTING_FILES, USUAL},
    {"faccessat", NULL, PARTING_FILES, USUAL},
    {"faccessat2", NULL, PARTING_FILES, USUAL},
    {"close", NULL, PARTING_FILES, USUAL},
    {"stat", NULL, PARTING_FILES, WEAK},
    {"lstat", NULL, PARTING_FILES, WEAK},
    {"fstat", NULL, PARTING_FILES, WEAK},
    {"newfstatat", NULL, PARTING_FILES, WEAK},
    {"fstatat64", NULL, PARTING_FILES, WEAK},
    {"stat64", NULL, PARTING_FILES, WEAK},
    {"lstat64", NULL, PARTING_FILES, WEAK},
    {"fstat64", NULL, PARTING_FILES, WEAK},
    {"statx", NULL, PARTING_FILES, WEAK},
    {"statfs", NULL, PARTING_FILES, WEAK},
    {"fstatfs", NULL, PARTING_FILES, WEAK},
    {"mmap", NULL, PARTING_ADDRESSES, A_PLACE},
    {"mmap2", NULL, PARTING_ADDRESSES, A_PLACE},
    {"mremap", NULL, PARTING_ADDRESSES, A_PLACE},
    {"brk", NULL, PARTING_ADDRESSES, A_PLACE},
    {"shmat", NULL, PARTING_ADDRESSES, A_PLACE},
    {"getrandom", NULL, PARTING_RANDOM, SOURCE},
    {NULL, "/dev/urandom", PARTING_RANDOM, SOURCE},
    {NULL, "/dev/random", PARTING_RANDOM, SOURCE},
    {NULL, "/dev/hwrng", PARTING_RANDOM, SOURCE},
    {NULL, "/proc/sys/kernel/random", PARTING_RANDOM, SOURCE},
    {NULL, "/proc/uptime", PARTING_TIME, SOURCE},
    {NULL, "/proc/self/stat", PARTING_IDENTITY, SOURCE},
    {NULL, "/proc/self/", PARTING_FILES, USUAL},
    {NULL, "/proc/", PARTING_MACHINE, SOURCE},
    {NULL, "/sys/", PARTING_MACHINE, SOURCE},
    {"clock_gettime", NULL, PARTING_TIME, SOURCE},
    {"clock_gettime64", NULL, PARTING_TIME, SOURCE},
    {"gettimeofday", NULL, PARTING_TIME, SOURCE},
    {"time", NULL, PARTING_TIME, SOURCE},
    {"times", NULL, PARTING_TIME, SOURCE},
    {"getrusage", NULL, PARTING_TIME, SOURCE},
    {"getitimer", NULL, PARTING_TIME, SOURCE},
    {"timer_gettime", NULL, PARTING_TIME, SOURCE},
    {"timerfd_gettime", NULL, PARTING_TIME, SOURCE},
    {"getpid", NULL, PARTING_IDENTITY, SOURCE},
    {"gettid", NULL, PARTING_IDENTITY, SOURCE},
    {"getppid", NULL, PARTING_IDENTITY, SOURCE},
    {"getpgid", NULL, PARTING_IDENTITY, SOURCE},
    {"getpgrp", NULL, PARTING_IDENTITY, SOURCE},
    {"getsid", NULL, PARTING_IDENTITY, SOURCE},
    {"set_tid_address", NULL, PARTING_IDENTITY, A_PLACE},
    {"clone", NULL, PARTING_IDENTITY, A_PLACE},
    {"clone3", NULL, PARTING_IDENTITY, A_PLACE},
    {"fork", NULL, PARTING_IDENTITY, A_PLACE},
    {"vfork", NULL, PARTING_IDENTITY, A_PLACE},
    {"wait4", NULL, PARTING_IDENTITY, A_PLACE},
    {"waitid", NULL, PARTING_IDENTITY, A_PLACE},
    {"futex", NULL, PARTING_THREADS, A_PLACE},
    {"sched_yield", NULL, PARTING_THREADS, A_PLACE},
    {"sysinfo", NULL, PARTING_MACHINE, SOURCE},
    {"sched_getaffinity", NULL, PARTING_MACHINE, SOURCE},
    {"getcpu", NULL, PARTING_MACHINE, SOURCE},
    {"poll", NULL, PARTING_PARTIAL, USUAL},
    {"ppoll", NULL, PARTING_PARTIAL, USUAL},
    {"select", NULL, PARTING_PARTIAL, USUAL},
    {"pselect6", NULL, PARTING_PARTIAL, USUAL},
    {"epoll_wait", NULL, PARTING_PARTIAL, USUAL},
    {"epoll_pwait", NULL, PARTING_PARTIAL, USUAL},
    {"read", NULL, PARTING_FILES, USUAL},
    {"pread64", NULL, PARTING_FILES, USUAL},
    {"readv", NULL, PARTING_FILES, USUAL},
    {"preadv", NULL, PARTING_FILES, USUAL},
    {"recvfrom", NULL, PARTING_FILES, USUAL},
    {"recvmsg", NULL, PARTING_FILES, USUAL},
    /* Between names lies what lay in memory before. */
    {"getdents", NULL, PARTING_FILES, WEAK},
    {"getdents64", NULL, PARTING_FILES, WEAK},
    {"readlink", NULL, PARTING_FILES, USUAL},
    {"readlinkat", NULL, PARTING_FILES, USUAL},
    {"getcwd", NULL, PARTING_FILES, USUAL},
    {"write", NULL, PARTING_FILES, USUAL},
    {"writev", NULL, PARTING_FILES, USUAL},
    {"pwrite64", NULL, PARTING_FILES, USUAL},
    {"sendto", NULL, PARTING_FILES, USUAL},
    {"sendmsg", NULL, PARTING_FILES, USUAL},
    {NULL, NULL, PARTING_FILES, WEAK},
};

const struct call_kind *call_kind_of(const struct repeat_call *call)
{
    const struct call_kind *kind = kinds;
    while ((kind->name && strcmp(kind->name, call->name) != 0) ||
           (kind->file && strncmp(kind->file, call->what, strlen(kind->file)) != 0))
        kind++;
    return kind;
}

static bool is_named(const struct repeat_call *call, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, call->name) == 0)
            return true;
    return false;
}

static bool moves_bytes(const struct repeat_call *call)
{
    static const char *const names[] = {"read",     "pread64", "readv",   "preadv",
                                        "recvfrom", "recvmsg", "write",   "writev",
                                        "pwrite64", "sendto",  "sendmsg", NULL};
    return is_named(call, names);
}

/* The operating system's own codes for a call that a signal broke off. */
static bool was_interrupted(int64_t result)
{
    return result == -EINTR || result == -EAGAIN || (result <= -512 && result >= -516);
}

/* A file gives less at its end; pipes, sockets and terminals give what is there. */
static bool was_partial(const struct repeat_call *call)
{
    static const char *const writes[] = {"write", "pwrite64", "sendto", NULL};
    const bool is_less =
        call->result > 0 && call->asked > 0 && (uint64_t)call->result < call->asked;
    return was_interrupted(call->result) ||
           (is_less && (is_named(call, writes) || call->what[0] != '/'));
}

/* The C library asks for eight bytes for itself when it first allocates memory, and nothing
 * depends on them. */
static bool is_of_the_library(const struct repeat_call *call)
{
    return strcmp(call->name, "getrandom") == 0 && call->asked == 8;
}

int call_source(const struct repeat_call *call)
{
    const struct call_kind *kind = call_kind_of(call);
    if (kind->source)
        return is_of_the_library(call) ? -1 : (int)kind->cause;
    return moves_bytes(call) && was_partial(call) ? PARTING_PARTIAL : -1;
}

/* Numbers of pipes and sockets say nothing. */
static bool same_file(const char *one, const char *other)
{
    const size_t length = strcspn(one, "[");
    return strcmp(one, other) == 0 ||
           (one[0] != '/' && one[length] == '[' && strncmp(one, other, length + 1) == 0);
}

bool call_same(const struct repeat_call *one, const struct repeat_call *other)
{
    return strcmp(one->name, other->name) == 0 && one->asked == other->asked &&
           same_file(one->what, other->what);
}

bool call_differs(const struct repeat_call *one, const struct repeat_call *other,
                  enum repeat_parting *cause, bool *weak)
{
    const struct call_kind *kind = call_kind_of(one);
    const bool failed_alike = (one->result < 0) == (other->result < 0);
    *cause = kind->cause;
    *weak = kind->weak || is_of_the_library(one);
    if (kind->place && failed_alike && (one->result >= 0 || one->result == other->result))
        return false;
    if (one->result == other->result && one->sum == other->sum)
        return false;
    /* No request of its own fails by chance, unless it is broken off. */
    if (!failed_alike)
        *weak = false;
    if (one->result != other->result && moves_bytes(one) &&
        (was_interrupted(one->result) || was_interrupted(other->result) || was_partial(one) ||
         was_partial(other)))
        *cause = PARTING_PARTIAL;
    return true;
}
