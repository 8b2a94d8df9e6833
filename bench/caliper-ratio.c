/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a region by calipers costs: against the bare system calls that it needs, and against PAPI,
 * as balance.h compares. Every region holds a call of libc, so that its closing end, too, has the
 * same state of the CPU before it whatever the way; that call's own cost is taken off. And how many
 * instructions of user code a region adds, which no other load on the machine moves: counted step
 * by step. Through the shared library, as programs use it. */
#include <elf.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay.h"
#include "caliper-peers.h"
#include "syscall.h"

static const char *const names[PEER_EVENTS_MOST] = {"page-faults:u", "minor-faults:u",
                                                    "major-faults:u", "cpu-migrations"};

/* --- calipers --- */

static struct assay_calipers *calipers;

static int calipers_open(size_t events, char *reason, size_t size)
{
    if (assay_calipers_open(&calipers, names, events, ASSAY_READ) == 0 && assay_calibrate() == 0 &&
        assay_calipers_path(calipers) == ASSAY_PATH_READ)
        return 0;
    snprintf(reason, size, "%s%s", assay_last_error(),
             calipers ? assay_calipers_reason(calipers, 0) : "");
    return -1;
}

static void calipers_region(void)
{
    assay_begin();
    (void)getppid();
    assay_end();
}

static int already_open(size_t events, char *reason, size_t size)
{
    (void)events;
    (void)reason;
    (void)size;
    return 0;
}

static void named_region(void)
{
    static struct assay_region region = ASSAY_REGION("bench");
    assay_begin();
    (void)getppid();
    assay_end_in(&region);
}

/* As other languages call them. */
static void called_region(void)
{
    (assay_begin)();
    (void)getppid();
    (assay_end)();
}

/* --- the bare calls: on the events that the calipers count, and on a group with faults and
 * switches along, as ASSAY_WATCH has it --- */

static const struct assay_reader *watched, *alone;

static const struct assay_reader *open_group(const char *const *events, size_t count)
{
    struct assay_set *set = NULL;
    if (assay_set_open(&set, events, count, 0) < 0 || assay_set_enable(set) < 0)
        return NULL;
    return (const struct assay_reader *)(const void *)set;
}

static int bare_open(size_t events, char *reason, size_t size)
{
    const char *all[PEER_EVENTS_MOST + 2];
    size_t count = events;
    memcpy(all, names, sizeof(names));
    all[count++] = "page-faults:u";
    all[count++] = "context-switches";
    watched = open_group(all, count);
    alone = open_group(names, events);
    if (watched && alone && watched->descriptor >= 0 && alone->descriptor >= 0)
        return 0;
    snprintf(reason, size, "%s", assay_last_error());
    return -1;
}

static inline __attribute__((always_inline)) void bare(const struct assay_reader *reader)
{
    uint64_t report[3 + PEER_EVENTS_MOST + 2];
    if (assay_syscall3(SYS_read, reader->descriptor, (long)(uintptr_t)report, (long)reader->size) <=
        0)
        abort();
}

static void watched_region(void)
{
    bare(watched);
    (void)getppid();
    bare(watched);
}

static void alone_region(void)
{
    bare(alone);
    (void)getppid();
    bare(alone);
}

static void nothing(void)
{
    (void)getppid();
}

enum { NOTHING, CALIPERS, ALONE, WATCHED, NAMED, CALLED };
static const struct peer peer_nothing = {{"nothing", nothing, 0, 0}, already_open};
static const struct peer peer_calipers = {{"a region by calipers", calipers_region, 0, ALONE},
                                          calipers_open};
static const struct peer peer_alone = {{"the two bare reads it needs", alone_region, 1.05, 0},
                                       bare_open};
static const struct peer peer_watched = {
    {"two bare reads with faults and switches along", watched_region, 0, ALONE}, already_open};
static const struct peer peer_named = {{"a region with a name", named_region, 0, ALONE},
                                       already_open};
static const struct peer peer_called = {{"calipers through functions", called_region, 0, ALONE},
                                        already_open};

/* --- instructions --- */

#if ASSAY_SYSCALL_INLINE
#include "decode.h"

static uintptr_t place_of(pid_t child)
{
    decode_registers registers = {0};
    struct iovec io = {&registers, sizeof(registers)};
    ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &io);
    return decode_program_counter(&registers);
}

static __attribute__((noinline)) void mark(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Between two visits of mark: 0 where the machine cannot step. */
static uint64_t steps_of(const struct peer *peer, size_t events, int times)
{
    int status = 0;
    uint64_t marks = 0, steps = 0;
    pid_t child = fork();
    if (child == 0) {
        char reason[256];
        calipers = NULL;
        if ((peer == &peer_named || peer == &peer_called) && calipers_open(events, reason, 256) < 0)
            _exit(1);
        if (peer == &peer_watched && bare_open(events, reason, 256) < 0)
            _exit(1);
        if (peer->open(events, reason, sizeof(reason)) < 0)
            _exit(1);
        for (int i = 0; i < 8; i++)
            peer->way.once();
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        mark();
        for (int i = 0; i < times; i++)
            peer->way.once();
        mark();
        _exit(0);
    }
    waitpid(child, &status, 0);
    while (WIFSTOPPED(status) && marks < 2) {
        marks += place_of(child) == (uintptr_t)mark;
        steps += marks == 1;
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0)
            break;
        waitpid(child, &status, 0);
    }
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    return marks == 2 ? steps : 0;
}
#else
static uint64_t steps_of(const struct peer *peer, size_t events, int times)
{
    (void)peer;
    (void)events;
    (void)times;
    return 0;
}
#endif

/* A region's: of three less those of two; 0 where the machine cannot step. */
static uint64_t instructions_of(const struct peer *peer, size_t events)
{
    uint64_t two = steps_of(peer, events, 2), three = steps_of(peer, events, 3);
    return two && three > two ? three - two : 0;
}

/* --- the figures: each row in a process of its own --- */

static bool report(const struct peer *const *peers, size_t count, size_t events)
{
    struct way ways[BALANCE_WAYS];
    char reason[1024] = "", title[64];
    for (size_t i = 0; i < count; i++) {
        ways[i] = peers[i]->way;
        if (peers[i]->open(events, reason, sizeof(reason)) < 0) {
            printf("caliper-ratio: %s: left out, %s\n", ways[i].name, reason);
            return true;
        }
    }
    if (count <= ALONE + 1) /* what regions by calipers contain is not among them */
        ways[CALIPERS].contains = 0;
    snprintf(title, sizeof(title), "caliper-ratio, %zu event%s", events, events == 1 ? "" : "s");
    balance_measure(ways, count);
    return balance_report(title, ways, count);
}

static void report_instructions(const struct peer *peer, size_t events)
{
    uint64_t instructions = instructions_of(peer, events);
    uint64_t around = instructions_of(&peer_nothing, events);
    if (around && instructions > around)
        printf("caliper-ratio, %zu event%s: %" PRIu64 " instructions of user code: %s\n", events,
               events == 1 ? "" : "s", instructions - around, peer->way.name);
}

static bool in_own_process(const struct peer *const *peers, size_t count, size_t events)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool possible = report(peers, count, events);
        fflush(stdout);
        _exit(!possible); /* PAPI would write a report at a proper end */
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("caliper-ratio");
        return false;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "caliper-ratio: %s: ended by signal %d\n", peers[count - 1]->way.name,
                WTERMSIG(status));
    return status == 0;
}

static int forget(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

int main(void)
{
    static const struct peer *const own[] = {&peer_nothing, &peer_calipers, &peer_alone,
                                             &peer_watched, &peer_named,    &peer_called};
    static const struct peer *const low[] = {&peer_nothing, &peer_calipers, &peer_papi_low};
    static const struct peer *const high[] = {&peer_nothing, &peer_calipers, &peer_papi_high};
    static const struct peer *const counted[] = {&peer_calipers, &peer_watched, &peer_alone,
                                                 &peer_named,    &peer_called,  &peer_papi_low,
                                                 &peer_papi_high};
    static const size_t events[] = {1, 4};
    bool possible = true;
    char folder[] = "/tmp/caliper-ratio.XXXXXX"; /* for what PAPI may write */
    if (!mkdtemp(folder) || setenv("PAPI_OUTPUT_DIRECTORY", folder, 1) < 0)
        return 1;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        possible &= in_own_process(own, sizeof(own) / sizeof(own[0]), events[i]);
        possible &= in_own_process(low, 3, events[i]);
        possible &= in_own_process(high, 3, events[i]);
        for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]); k++)
            report_instructions(counted[k], events[i]);
    }
    nftw(folder, forget, 8, FTW_DEPTH | FTW_PHYS);
    return !possible;
}
