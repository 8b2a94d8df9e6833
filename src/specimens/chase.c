/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Follows a ring of pointers in random order for N steps: each load needs the one before, so the
 * ticks of a step are the latency of wherever the ring fits. What `assay caches` is made of. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "specimens/cycle.h"
#include "specimens/framed.h"
#include "syscall.h"

#define DEFAULT_BYTES  65536u
#define DEFAULT_STRIDE 64u
#define LEAST_WARMTH   4096u /* steps before the window, for rings that are short */
#define HUGE_ALIGNMENT (UINT64_C(2) << 20)

SPECIMEN_ASSEMBLY(specimen_chase_code, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_FOLLOW) CODE_RETURN);

static const struct truth truths[] = {
    TRUTH_FRAMED(1, 1, 1, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

static int map_memory(struct specimen_state *state, char **memory, struct failure *failure)
{
    struct sysinfo machine;
    uint64_t bytes = state->parameters.bytes;
    if (sysinfo(&machine) == 0 && bytes > (uint64_t)machine.totalram * machine.mem_unit / 4)
        return fail_with(failure, -ENOMEM, "bytes=%llu is more than a quarter of the memory",
                         (unsigned long long)bytes);
    uint64_t whole = (bytes + 2 * HUGE_ALIGNMENT - 1) / HUGE_ALIGNMENT * HUGE_ALIGNMENT;
    void *mapping = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return fail_with(failure, -errno, "no memory for bytes=%llu: %s", (unsigned long long)bytes,
                         strerror(errno));
    state->own = mapping;
    state->bytes = whole;
    *memory = (char *)mapping + (-(uintptr_t)mapping & (HUGE_ALIGNMENT - 1));
    int advice = state->parameters.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    size_t advised = (bytes + HUGE_ALIGNMENT - 1) / HUGE_ALIGNMENT * HUGE_ALIGNMENT;
    /* EINVAL: an operating system without huge pages, which is what huge=0 asks for. */
    if (madvise(*memory, advised < whole ? advised : whole - HUGE_ALIGNMENT, advice) < 0 &&
        (state->parameters.huge || errno != EINVAL))
        return fail_with(failure, -errno, "huge pages are not to be had: %s", strerror(errno));
    return 0;
}

/* Kilobytes of huge pages this process has; -1 where the operating system does not say. Without
 * libc's read(), which some paths measure. */
static long huge_kilobytes(void)
{
    char text[4096];
    long descriptor = assay_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/smaps_rollup",
                                     O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    long got = assay_syscall3(SYS_read, descriptor, (long)text, sizeof(text) - 1);
    assay_syscall1(SYS_close, descriptor);
    text[got > 0 ? got : 0] = '\0';
    const char *line = strstr(text, "AnonHugePages:");
    return line ? strtol(line + strlen("AnonHugePages:"), NULL, 10) : -1;
}

/* A wish for huge pages may be ignored, and then nothing would tell. */
static int check_granted(const struct specimen_state *state, struct failure *failure)
{
    long granted = state->parameters.huge ? huge_kilobytes() : -1;
    if (granted < 0 || (uint64_t)granted * 1024 >= state->parameters.bytes)
        return 0;
    return fail_with(failure, -EAGAIN,
                     "the operating system gave huge pages for %ld KiB of %llu: its memory is in "
                     "pieces, or it grants none",
                     granted, (unsigned long long)state->parameters.bytes / 1024);
}

static void restore(struct specimen_state *state)
{
    if (state->own)
        munmap(state->own, state->bytes);
    state->own = NULL;
    state->memory = NULL;
}

static int make_ring(struct specimen_state *state, struct failure *failure)
{
    const struct specimen_parameters *parameters = &state->parameters;
    struct chain_layout layout = {
        .bytes = parameters->bytes,
        .stride = parameters->stride,
        .spread = parameters->spread,
        .pair = parameters->pair,
        .cluster = parameters->cluster,
        .seed = parameters->seed,
    };
    char *memory = NULL;
    uint64_t nodes = 1;
    int result = map_memory(state, &memory, failure);
    if (result == 0)
        result = chain_link(memory, &layout, &state->memory, &nodes, failure);
    if (result == 0)
        result = check_granted(state, failure);
    if (result == 0)
        chain_follow(state->memory, nodes > LEAST_WARMTH ? nodes : LEAST_WARMTH / nodes * nodes);
    return result;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    struct specimen_parameters *parameters = &state->parameters;
    parameters->bytes = parameters->bytes ? parameters->bytes : DEFAULT_BYTES;
    parameters->stride = parameters->stride ? parameters->stride : DEFAULT_STRIDE;
    state->own = NULL;
    int result = make_ring(state, failure);
    if (result < 0)
        restore(state);
    return result;
}

const struct specimen specimen_chase = {
    .name = "chase",
    .summary = "N steps along a ring of pointers in random order through memory",
    .stresses = "latency of caches, TLBs and memory",
    .parameters = "bytes stride spread pair cluster huge seed",
    SPECIMEN_REPEATS(specimen_chase_code, trips, 100000000000u),
    .truth = truths,
    .prepare = prepare,
    .restore = restore,
};
