/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a region by calipers costs: against the bare system calls that it needs, and against PAPI.
 * All are timed in short batches that alternate within one process, because what a system call
 * costs differs between processes and over time; figures are ratios of medians. And how many
 * instructions of user code a region is, which no other load on the machine moves: counted step by
 * step. Through the shared library, as programs use it. */
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
#include <time.h>
#include <unistd.h>

#include "assay.h"
#include "caliper-peers.h"
#include "syscall.h"

#define BATCHES 1000
#define REGIONS 32 /* in a batch */

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

static __attribute__((noinline)) void calipers_regions(int times)
{
    for (int i = 0; i < times; i++) {
        assay_begin();
        assay_end();
    }
}

static const struct peer peer_calipers = {"calipers", calipers_open, calipers_regions, 0};

static int already_open(size_t events, char *reason, size_t size)
{
    (void)events;
    (void)reason;
    (void)size;
    return 0;
}

static __attribute__((noinline)) void named_regions(int times)
{
    static struct assay_region region = ASSAY_REGION("bench");
    for (int i = 0; i < times; i++) {
        assay_begin();
        assay_end_in(&region);
    }
}

static const struct peer peer_named = {"a region with a name", already_open, named_regions, 0};

/* As other languages call them. */
static __attribute__((noinline)) void called_regions(int times)
{
    for (int i = 0; i < times; i++) {
        (assay_begin)();
        (assay_end)();
    }
}

static const struct peer peer_called = {"calipers through functions", already_open, called_regions,
                                        0};

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

static inline __attribute__((always_inline)) void bare(const struct assay_reader *reader, int times)
{
    uint64_t reports[2][3 + PEER_EVENTS_MOST + 2];
    for (int i = 0; i < times; i++) {
        for (int end = 0; end < 2; end++) {
            if (assay_syscall3(SYS_read, reader->descriptor, (long)(uintptr_t)reports[end],
                               (long)reader->size) <= 0)
                abort();
        }
    }
}

static __attribute__((noinline)) void watched_regions(int times)
{
    bare(watched, times);
}

static __attribute__((noinline)) void alone_regions(int times)
{
    bare(alone, times);
}

static const struct peer peer_alone = {"the two bare reads it needs", bare_open, alone_regions,
                                       1.05};
static const struct peer peer_watched = {"two bare reads with faults and switches along",
                                         already_open, watched_regions, 0};

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
        if (peer->open && peer->open(events, reason, sizeof(reason)) < 0)
            _exit(1);
        peer->regions(8);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        mark();
        peer->regions(times);
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

/* A region's: of three less those of two. */
static uint64_t instructions_of(const struct peer *peer, size_t events)
{
    uint64_t two = steps_of(peer, events, 2), three = steps_of(peer, events, 3);
    return two && three > two ? three - two : 0;
}

/* --- time --- */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static double median(uint64_t *batches)
{
    qsort(batches, BATCHES, sizeof(*batches), compare);
    const uint64_t *middle = &batches[BATCHES / 2];
    return (double)(middle[-1] + middle[0]) / 2 / REGIONS;
}

#define PEERS_MOST 6

/* In turn, beginning with another one each time. */
static void time_all(const struct peer *const *peers, size_t count, double *medians)
{
    static uint64_t times[PEERS_MOST][BATCHES];
    for (int batch = -BATCHES / 4; batch < BATCHES; batch++) {
        for (size_t turn = 0; turn < count; turn++) {
            size_t index = (turn + (size_t)(batch + BATCHES)) % count;
            uint64_t begun = nanoseconds();
            peers[index]->regions(REGIONS);
            uint64_t took = nanoseconds() - begun;
            if (batch >= 0) /* those before warm up */
                times[index][batch] = took;
        }
    }
    for (size_t index = 0; index < count; index++)
        medians[index] = median(times[index]);
}

/* --- the figures: each row in a process of its own --- */

static void report(const struct peer *const *peers, size_t count, size_t events)
{
    double medians[PEERS_MOST];
    char reason[1024] = "";
    for (size_t i = 0; i < count; i++) {
        if (peers[i]->open(events, reason, sizeof(reason)) < 0) {
            printf("caliper-ratio: %s: left out, %s\n", peers[i]->name, reason);
            return;
        }
    }
    time_all(peers, count, medians);
    for (size_t i = 1; i < count; i++) {
        printf("caliper-ratio, %zu event%s: %.3f of %s", events, events == 1 ? "" : "s",
               medians[0] / medians[i], peers[i]->name);
        if (peers[i]->limit > 0)
            printf(" (limit %.2f)", peers[i]->limit);
        printf(": a region by calipers %.0f ns, the other %.0f ns\n", medians[0], medians[i]);
    }
}

static void report_instructions(const struct peer *peer, size_t events)
{
    uint64_t instructions = instructions_of(peer, events);
    if (instructions)
        printf("caliper-ratio, %zu event%s: %" PRIu64 " instructions of user code a region: %s\n",
               events, events == 1 ? "" : "s", instructions, peer->name);
}

static void in_own_process(const struct peer *const *peers, size_t count, size_t events)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        report(peers, count, events);
        fflush(stdout);
        _exit(0); /* PAPI would write a report at a proper end */
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("caliper-ratio: %s: ended by signal %d\n", peers[count - 1]->name, WTERMSIG(status));
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
    static const struct peer *const own[] = {&peer_calipers, &peer_alone, &peer_watched,
                                             &peer_named, &peer_called};
    static const struct peer *const low[] = {&peer_calipers, &peer_papi_low};
    static const struct peer *const high[] = {&peer_calipers, &peer_papi_high};
    static const struct peer *const counted[] = {&peer_calipers, &peer_watched, &peer_alone,
                                                 &peer_named,    &peer_called,  &peer_papi_low,
                                                 &peer_papi_high};
    static const size_t events[] = {1, 4};
    char folder[] = "/tmp/caliper-ratio.XXXXXX"; /* for what PAPI may write */
    if (!mkdtemp(folder) || setenv("PAPI_OUTPUT_DIRECTORY", folder, 1) < 0)
        return 1;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        in_own_process(own, sizeof(own) / sizeof(own[0]), events[i]);
        in_own_process(low, 2, events[i]);
        in_own_process(high, 2, events[i]);
        for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]); k++)
            report_instructions(counted[k], events[i]);
    }
    nftw(folder, forget, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
