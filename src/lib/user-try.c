/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Tries the whole way to a counter once, in a child process that may die of it: hypervisors and
 * emulators let pages promise what their instruction then refuses. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "syscall.h"

enum { TRY_READ, TRY_NO_COUNTER, TRY_NOT_OPENED, TRY_NOT_MAPPED };

/* How often the child looks whether it has got a counter, before it says it has none. */
#define TRY_LOOKS 1000

/* The signals a refused instruction comes as. */
static const int trap_signals[] = {SIGILL, SIGSEGV, SIGBUS};

/* In the child: dies of a trap, whatever the parent had made of these signals, and leaves no dump
 * of the parent's memory. Bare system calls, because other threads' locks may be held here. */
static void await_death(void)
{
    /* The kernel's own form of the action: all zero is the default. */
    struct {
        uint64_t words[8];
    } standard = {{0}};
    struct rlimit none = {0, 0};
    uint64_t mask = 0;
    assay_syscall4(SYS_prlimit64, 0, RLIMIT_CORE, (long)(uintptr_t)&none, 0);
    for (size_t i = 0; i < sizeof(trap_signals) / sizeof(trap_signals[0]); i++)
        assay_syscall4(SYS_rt_sigaction, trap_signals[i], (long)(uintptr_t)&standard, 0,
                       sizeof(mask));
    assay_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)&mask, 0, sizeof(mask));
}

static int try_in_child(const struct perf_event_attr *wanted, long page_size)
{
    struct perf_event_attr attr = *wanted;
    struct user_reading reading = {0};
    attr.disabled = 0;
    long file = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, 0, -1, -1, 0);
    if (file < 0)
        return TRY_NOT_OPENED;
    long address = assay_syscall6(SYS_mmap, 0, page_size, PROT_READ, MAP_SHARED, file, 0);
    if (address <= 0)
        return TRY_NOT_MAPPED;
    const volatile struct perf_event_mmap_page *page =
        (const volatile struct perf_event_mmap_page *)address;
    for (int look = 0; look < TRY_LOOKS; look++)
        if (user_read(page, &reading) && reading.scheduled)
            return TRY_READ;
    return TRY_NO_COUNTER;
}

/* A child that tells nobody of its end: no SIGCHLD reaches the program we are a guest in. */
static long start_child(void)
{
    return assay_syscall5(SYS_clone, 0, 0, 0, 0, 0);
}

/* The status the child ended with, or negative errno. */
static int run_child(const struct perf_event_attr *attr)
{
    long page_size = sysconf(_SC_PAGESIZE), ended;
    int status = 0;
    long child = start_child();
    if (child < 0)
        return (int)child;
    if (child == 0) {
        await_death();
        int outcome = try_in_child(attr, page_size);
        assay_syscall1(SYS_exit_group, outcome);
    }
    do
        ended = assay_syscall4(SYS_wait4, child, (long)(uintptr_t)&status, __WALL, 0);
    while (ended == -EINTR);
    return ended < 0 ? (int)ended : status;
}

/* Opens, maps and looks: what needs no child. The event counts, because some pages promise a read
 * (RISC-V) and name a counter only while it does. */
static int try_page(const char *root, const char *name, const struct perf_event_attr *wanted,
                    struct failure *failure)
{
    const volatile struct perf_event_mmap_page *page;
    struct perf_event_attr attr = *wanted;
    attr.disabled = 0;
    long file = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, 0, -1, -1,
                               PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return fail_with(failure, (int)file,
                         "user code can only read counters of the CPU, and %s cannot be opened "
                         "here (%s). `assay doctor` says why, and what to do",
                         name, strerror((int)-file));
    int result = user_access_map(root, name, (int)file, USER_MAP_TOUCHED, &page, failure);
    if (result == 0)
        result = user_access_check(root, name, 0, page, failure);
    user_access_unmap(page);
    assay_syscall1(SYS_close, file);
    return result;
}

static bool is_trap(int number)
{
    for (size_t i = 0; i < sizeof(trap_signals) / sizeof(trap_signals[0]); i++)
        if (trap_signals[i] == number)
            return true;
    return false;
}

int user_access_try(const char *root, const char *name, const struct perf_event_attr *attr,
                    struct failure *failure)
{
    int result = try_page(root, name, attr, failure);
    if (result < 0)
        return result;
    int status = run_child(attr);
    if (status < 0)
        return fail_with(failure, status, "no process can be started to try %s in: %s", name,
                         strerror(-status));
    if (WIFSIGNALED(status) && !is_trap(WTERMSIG(status)))
        return fail_with(failure, -EAGAIN,
                         "the process in which user code tried to read %s was ended from outside "
                         "(%s), so it is not known whether it can: try again",
                         name, strsignal(WTERMSIG(status)));
    if (WIFSIGNALED(status))
        return fail_with(failure, -EOPNOTSUPP,
                         "the operating system promises that user code can read the counter of "
                         "%s, but the instruction traps (%s): a hypervisor or an emulator keeps it "
                         "from this machine. Read by a system call, or have it let through there",
                         name, strsignal(WTERMSIG(status)));
    return 0;
}
