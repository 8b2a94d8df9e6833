/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * May user code read an event's counter itself? Asking for counters that it can, mapping their
 * pages, trying all of it once, and the reasons why not. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ticks.h"
#include "lib/user-access.h"
#include "lib/user-read.h"

/* --- Asking, mapping and looking --- */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* since Linux 5.14 */
#endif

#define PMUS   "/sys/bus/event_source/devices"
#define SYSCTL "/proc/sys/kernel/"

#define BY_CALL "Read it by a system call instead"

/* The first line of a file of the machine, or false. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
    char whole[512];
    int length = snprintf(whole, sizeof(whole), "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof(whole))
        return false;
    long file =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)whole, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    long got = assay_syscall3(SYS_read, file, (long)(uintptr_t)line, (long)(size - 1));
    assay_syscall1(SYS_close, file);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return got > 0;
}

/* One kind of core each; x86 keeps the setting with the PMU. */
static const char *const rdpmc_files[] = {PMUS "/cpu/rdpmc", PMUS "/cpu_core/rdpmc",
                                          PMUS "/cpu_atom/rdpmc"};

enum user_setting user_access_setting(const char *root)
{
    char line[32];
    for (size_t i = 0; i < sizeof(rdpmc_files) / sizeof(rdpmc_files[0]); i++)
        if (read_line(root, rdpmc_files[i], line, sizeof(line)))
            return atoi(line) ? USER_SETTING_ON : USER_SETTING_OFF;
    if (read_line(root, SYSCTL "perf_user_access", line, sizeof(line)))
        return atoi(line) ? USER_SETTING_ON : USER_SETTING_OFF;
    return USER_SETTING_UNKNOWN;
}

/* How to throw the switch. A machine of the lab (src/lab/machine.c names it) is booted anew
 * for every command: what is typed there is lost. */
static const char *switch_on(const char *root, bool sysctl)
{
    char line[32];
    if (read_line(root, "/etc/os-release", line, sizeof(line)) && strcmp(line, "ID=assay-lab") == 0)
        return "Boot it with user-access=on among the settings behind --via lab:aarch64";
    return sysctl ? "`sudo sysctl kernel.perf_user_access=1`"
                  : "`echo 1 | sudo tee " PMUS "/cpu*/rdpmc`";
}

static int fail_switched_off(const char *root, const char *name, struct failure *failure)
{
    char line[32];
    bool sysctl = read_line(root, SYSCTL "perf_user_access", line, sizeof(line));
    return fail_with(failure, -EACCES,
                     "user code may not read the counter of %s: the operating system has switched "
                     "such reads off (%s is 0). %s",
                     name, sysctl ? "kernel.perf_user_access" : "rdpmc of the CPU's PMU",
                     switch_on(root, sysctl));
}

#if defined(__aarch64__)
/* "config1:5" -> the bit in attr->config1. 0 when the PMU describes no such field. */
static uint64_t format_bit(const char *root, const char *pmu, const char *field)
{
    char path[256], line[64];
    unsigned bit;
    snprintf(path, sizeof(path), PMUS "/%s/format/%s", pmu, field);
    if (!read_line(root, path, line, sizeof(line)) || sscanf(line, "config1:%u", &bit) != 1 ||
        bit > 63)
        return 0;
    return UINT64_C(1) << bit;
}

/* What the kernel packs into one record of a directory. */
struct entry {
    uint64_t inode, offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* Is this PMU the event's? Events with a type of the operating system's own go to the PMU of the
 * core; any that knows the field will do, because all of its kind have it in the same place. */
static bool pmu_takes(const char *root, const char *pmu, const struct perf_event_attr *attr)
{
    char path[256], line[32];
    if (attr->type < PERF_TYPE_MAX)
        return true;
    snprintf(path, sizeof(path), PMUS "/%.180s/type", pmu);
    return read_line(root, path, line, sizeof(line)) && strtoul(line, NULL, 10) == attr->type;
}

static void find_bits(const char *root, const struct perf_event_attr *attr, uint64_t *access,
                      uint64_t *wide)
{
    char folder[512];
    __attribute__((aligned(8))) char buffer[4096];
    snprintf(folder, sizeof(folder), "%s" PMUS, root);
    long file = assay_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t)folder,
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long got = 0;
    *access = *wide = 0;
    while (!*access && file >= 0 &&
           (got = assay_syscall3(SYS_getdents64, file, (long)(uintptr_t)buffer, sizeof(buffer))) >
               0) {
        for (long at = 0; at < got && !*access;) {
            const struct entry *entry = (const void *)(buffer + at);
            if (entry->name[0] != '.' && pmu_takes(root, entry->name, attr)) {
                *access = format_bit(root, entry->name, "rdpmc");
                *wide = *access ? format_bit(root, entry->name, "long") : 0;
            }
            at += entry->length;
        }
    }
    if (file >= 0)
        assay_syscall1(SYS_close, file);
}

static bool opens(const struct perf_event_attr *wanted)
{
    struct perf_event_attr attr = *wanted;
    attr.disabled = 1;
    long file = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, 0, -1, -1,
                               PERF_FLAG_FD_CLOEXEC);
    if (file >= 0)
        assay_syscall1(SYS_close, file);
    return file >= 0;
}

/* The PMU must be asked. A core without counters of 64 bits refuses to give them to user code. */
static int request_bits(const char *root, const char *name, struct perf_event_attr *attr,
                        struct failure *failure)
{
    uint64_t access, wide;
    find_bits(root, attr, &access, &wide);
    if (!access)
        return fail_with(
            failure, -EOPNOTSUPP,
            "user code cannot read the counter of %s: its PMU's driver has no such reads to offer "
            "(Linux has them for AArch64 since 5.17, for the CPU's own counters). " BY_CALL,
            name);
    attr->config1 |= access | wide;
    if (wide && !opens(attr))
        attr->config1 &= ~wide;
    return 0;
}
#else
static int request_bits(const char *root, const char *name, struct perf_event_attr *attr,
                        struct failure *failure)
{
    (void)root, (void)name, (void)attr, (void)failure;
    return 0;
}
#endif

int user_access_request(const char *root, const char *name, struct perf_event_attr *attr,
                        struct failure *failure)
{
    if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT ||
        attr->type == PERF_TYPE_BREAKPOINT)
        return fail_with(failure, -EOPNOTSUPP,
                         "user code cannot read %s: the operating system counts it, not a counter "
                         "of the CPU. " BY_CALL,
                         name);
    if (!user_counter_known())
        return fail_with(failure, -EOPNOTSUPP,
                         "user code cannot read the counter of %s: assay does not know this ISA's "
                         "instruction for it. " BY_CALL,
                         name);
    if (USER_COUNTER_TICKS && !*root && ticks_forbidden())
        return fail_with(failure, -EPERM,
                         "user code cannot read the counter of %s: " TICKS_FORBIDDEN
                         ", and without it nobody can tell for how long an event counted. " BY_CALL,
                         name);
    if (user_access_setting(root) == USER_SETTING_OFF)
        return fail_switched_off(root, name, failure);
    return request_bits(root, name, attr, failure);
}

static int fail_mapping(const char *root, const char *name, int error, struct failure *failure)
{
    char limit[32];
    if (error == -EPERM || error == -ENOMEM)
        return fail_with(failure, error,
                         "the page of %s cannot be mapped: the memory that a user may lock for "
                         "events is used up (kernel.perf_event_mlock_kb is %s, and RLIMIT_MEMLOCK "
                         "comes on top). Close other events, or raise one of the two",
                         name,
                         read_line(root, SYSCTL "perf_event_mlock_kb", limit, sizeof(limit))
                             ? limit
                             : "unknown");
    if (error == -EINVAL)
        return fail_with(failure, error,
                         "the page of %s cannot be mapped: events that children inherit have none. "
                         "Count this thread alone, or read by a system call",
                         name);
    return fail_with(failure, error, "the page of %s cannot be mapped: %s", name, strerror(-error));
}

int user_access_map(const char *root, const char *name, int descriptor, enum user_mapping how,
                    const volatile struct perf_event_mmap_page **page, struct failure *failure)
{
    long size = sysconf(_SC_PAGESIZE);
    long flags = MAP_SHARED | (how == USER_MAP_POPULATED ? MAP_POPULATE : 0);
    long address = assay_syscall6(SYS_mmap, 0, size, PROT_READ, flags, descriptor, 0);
    *page = NULL;
    if (address < 0 && address >= -4095)
        return fail_mapping(root, name, (int)address, failure);
    *page = (const volatile struct perf_event_mmap_page *)address;
    if (how == USER_MAP_TOUCHED)
        (void)(*page)->lock;
    return 0;
}

void user_access_unmap(const volatile struct perf_event_mmap_page *page)
{
    if (page)
        assay_syscall2(SYS_munmap, (long)(uintptr_t)page, sysconf(_SC_PAGESIZE));
}

static bool advise(const volatile struct perf_event_mmap_page *page, long advice)
{
    return assay_syscall3(SYS_madvise, (long)(uintptr_t)page, sysconf(_SC_PAGESIZE), advice) == 0;
}

int user_access_renew(const char *root, const char *name, int descriptor, enum user_mapping how,
                      const volatile struct perf_event_mmap_page **page, struct failure *failure)
{
    if (how == USER_MAP_TOUCHED && *page) {
        (void)(*page)->lock;
        return 0;
    }
    if (*page && advise(*page, MADV_DONTNEED) &&
        (how == USER_MAP_COLD || advise(*page, MADV_POPULATE_READ)))
        return 0;
    user_access_unmap(*page);
    return user_access_map(root, name, descriptor, how, page, failure);
}

int user_access_check(const char *root, const char *name, pid_t pid,
                      const volatile struct perf_event_mmap_page *page, struct failure *failure)
{
    if (pid != 0 && pid != (pid_t)assay_syscall0(SYS_gettid))
        return fail_with(failure, -EOPNOTSUPP,
                         "user code cannot read the counter of %s: it counts for task %d, and a "
                         "CPU's counter belongs to whom it runs. " BY_CALL,
                         name, (int)pid);
    if (user_access_setting(root) == USER_SETTING_OFF)
        return fail_switched_off(root, name, failure);
    if (!user_page_readable(page))
        return fail_with(failure, -EOPNOTSUPP,
                         "user code cannot read the counter of %s: the operating system does not "
                         "offer it for this event (its page has no cap_user_rdpmc: a PMU outside "
                         "the core, or an emulated one). " BY_CALL,
                         name);
    if (page->pmc_width > 64)
        return fail_with(
            failure, -EOPNOTSUPP,
            "user code cannot read the counter of %s: its page says it has %u bits. " BY_CALL, name,
            (unsigned)page->pmc_width);
    if (page->index && !user_counter_named(page->index))
        return fail_with(failure, -EOPNOTSUPP,
                         "user code cannot read the counter of %s: it sits on counter %u, which no "
                         "instruction reads. " BY_CALL,
                         name, (unsigned)page->index);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Tries the whole way to a counter once, in a child process that may die of it: hypervisors and
 * emulators let pages promise what their instruction then refuses. */

enum { TRY_READ, TRY_NO_COUNTER, TRY_NOT_OPENED, TRY_NOT_MAPPED };

/* How often the child looks whether it has got a counter, before it says it has none. */
#define TRY_LOOKS 1000

/* The signals a refused instruction comes as. */
static const int trap_signals[] = {SIGILL, SIGSEGV, SIGBUS};

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

/* The status the child ended with, or negative errno. */
static int run_child(const struct perf_event_attr *attr)
{
    long page_size = sysconf(_SC_PAGESIZE), ended;
    int status = 0;
    /* A child that tells nobody of its end: no SIGCHLD reaches the program we are a guest in. */
    long child = assay_syscall5(SYS_clone, 0, 0, 0, 0, 0);
    if (child < 0)
        return (int)child;
    if (child == 0) {
        /* In the child: dies of a trap, whatever the parent had made of these signals, and
         * leaves no dump of the parent's memory. Bare system calls, because other threads'
         * locks may be held here. */
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
                         "the operating system promises that user code can read the counter of %s, "
                         "but the instruction traps (%s): a hypervisor or an emulator keeps it "
                         "from this machine. Read by a system call, or have it let through there",
                         name, strsignal(WTERMSIG(status)));
    return 0;
}
