/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loads that miss a data cache or a TLB, or hit it: along a cycle of pointers, and of a line that
 * was flushed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "base/cleanup.h"
#include "specimens/framed.h"
#include "syscall.h"

/* Follows a ring of pointers in random order for N steps: each load needs the one before, so the
 * ticks of a step are the latency of wherever the ring fits. What `assay caches` is made of. */

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

/* ----------------------------------------------------------------------------------------------
 * N loads along a cycle of pointers: over twice what a data cache or a TLB holds, so that it has
 * lost every line when it comes round again; over a few lines that it never loses; and one line
 * after the other, where prefetchers help. A call goes on where the last one stopped, so N need not
 * be a multiple of anything. Every iteration also touches what the code itself needs to end, so
 * that it stays; what the frame reads and writes may have been displaced all the same, once. */

/* As many pages as twice the entries of any common second-level TLB (today up to 4096). */
#define PAGES_UNKNOWN 8192u
#define HIT_LINES     16u

SPECIMEN_ASSEMBLY(specimen_walk_code, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_FOLLOW CODE_TOUCH_OWN)
                                          CODE_KEEP_MEMORY CODE_RETURN);

/* Loads and stores of the call and the frame. */
#define OWN_LOADS  (FRAME_LOADS + 1)
#define OWN_STORES (FRAME_STORES + 1)

#define TRUTH_WALK                                                                                 \
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2,                                            \
                FRAME_LOOP_INSTRUCTIONS + 1 + CODE_TOUCH_OWN_LOADS),                               \
        TRUTH_EXACT("loads", OWN_LOADS, 1 + CODE_TOUCH_OWN_LOADS),                                 \
        TRUTH_EXACT("stores", OWN_STORES, 0), TRUTH_FRAMED_BRANCHES, TRUTH_QUIET

/* Where the cycle lies, and whether it goes through it in order. */
struct walk {
    struct places places;
    bool in_sequence;
};

static void *place(const struct specimen_state *state, const struct walk *walk, uint64_t index)
{
    return places_at(state->memory, &walk->places, index);
}

static int lay_out(struct specimen_state *state, const struct walk *walk, struct failure *failure)
{
    AUTO_FREE uint64_t *order = calloc(walk->places.count, sizeof(*order));
    if (!order)
        return fail_with(failure, -ENOMEM, "no memory for a cycle of %llu places",
                         (unsigned long long)walk->places.count);
    if (walk->in_sequence)
        cycle_in_sequence(order, walk->places.count);
    else
        cycle_order(order, walk->places.count, 0, state->parameters.seed);
    /* In the order of the cycle: what is linked last is what a cache still holds. */
    for (uint64_t index = 0; index < walk->places.count; index++) {
        uint64_t next = index + 1 < walk->places.count ? index + 1 : 0;
        *(void **)place(state, walk, order[index]) = place(state, walk, order[next]);
    }
    state->memory = place(state, walk, order[0]);
    return 0;
}

static int prepare_walk(struct specimen_state *state, const struct walk *walk,
                        struct failure *failure)
{
    int result = region_map(state, &walk->places.region, failure);
    if (result == 0)
        result = lay_out(state, walk, failure);
    if (result < 0) {
        region_unmap(state);
        return result;
    }
    /* Whole passes end where they began. */
    struct specimen_state pass = {.n = walk->places.count * walk->places.passes,
                                  .memory = state->memory};
    if (pass.n)
        specimen_walk_code(&pass);
    (void)*(volatile uint64_t *)&state->n; /* what the code loads first is there */
    return 0;
}

static int prepare_lines(struct specimen_state *state, const struct places_of *of, struct walk walk,
                         struct failure *failure)
{
    uint64_t line = state->parameters.line;
    int result = places_require(state, of, failure);
    if (result < 0)
        return result;
    if (line < sizeof(void *) || line & (line - 1) || of->size < line)
        return fail_with(failure, -EINVAL,
                         "specimen %s wants a line that is a power of two from 8 bytes on, and a "
                         "cache of one line at least: line=%llu, %s=%llu do not do",
                         of->specimen, (unsigned long long)line, of->key,
                         (unsigned long long)of->size);
    places_in_lines(&walk.places, of, line);
    return prepare_walk(state, &walk, failure);
}

static int prepare_l1d_chase(struct specimen_state *state, struct failure *failure)
{
    const struct places_of l1d = {"l1d-chase", "l1d", state->parameters.l1d};
    return prepare_lines(state, &l1d, (struct walk){.places = {.passes = 2}}, failure);
}

/* Which sets a page falls into is the operating system's choice, unless the page is huge. */
#define ON_HUGE_PAGES(passes_before)                                                               \
    {                                                                                              \
        .region = {.huge = true}, .passes = (passes_before)                                        \
    }

static int prepare_l2_chase(struct specimen_state *state, struct failure *failure)
{
    const struct places_of l2 = {"l2-chase", "l2", state->parameters.l2};
    return prepare_lines(state, &l2, (struct walk){.places = ON_HUGE_PAGES(1)}, failure);
}

/* Where no third level is claimed, the second is the last. Linking it was a pass already, and a
 * pass through memory takes long. */
static int prepare_llc_chase(struct specimen_state *state, struct failure *failure)
{
    const struct specimen_parameters *parameters = &state->parameters;
    const struct places_of last = {"llc-chase", "llc",
                                   parameters->llc ? parameters->llc : parameters->l2};
    return prepare_lines(state, &last, (struct walk){.places = ON_HUGE_PAGES(0)}, failure);
}

static int prepare_stride(struct specimen_state *state, struct failure *failure)
{
    const struct places_of l2 = {"stride", "l2", state->parameters.l2};
    const struct walk walk = {.places = ON_HUGE_PAGES(1), .in_sequence = true};
    return prepare_lines(state, &l2, walk, failure);
}

static int prepare_l1d_hits(struct specimen_state *state, struct failure *failure)
{
    const struct places_of lines = {"l1d-hits", "line", HIT_LINES / 2 * state->parameters.line};
    return prepare_lines(state, &lines, (struct walk){.places = {.passes = 4}}, failure);
}

static int prepare_dtlb_pages(struct specimen_state *state, struct failure *failure)
{
    const struct places_of dtlb = {"dtlb-pages", "dtlb", state->parameters.dtlb};
    uint64_t line = state->parameters.line;
    struct walk walk = {.places = {.spread = line ? line : 64}};
    places_in_pages(&walk.places, &dtlb, PAGES_UNKNOWN);
    return prepare_walk(state, &walk, failure);
}

/* One specimen; its rows follow those of the walk. Ways are among its parameters for those who
 * simulate a cache: the cycle holds for any. */
#define WALK(symbol, label, words, stressed, keys, preparing, ...)                                 \
    static const struct truth symbol##_truths[] = {TRUTH_WALK, __VA_ARGS__, TRUTH_END};            \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (label),                                                                           \
        .summary = (words),                                                                        \
        .stresses = (stressed),                                                                    \
        .parameters = (keys),                                                                      \
        SPECIMEN_REPEATS(specimen_walk_code, trips, 1000000000u),                                  \
        .truth = symbol##_truths,                                                                  \
        .prepare = (preparing),                                                                    \
        .restore = region_unmap,                                                                   \
    };

/* First level and TLB: from N, every step of the walk, to that and whatever the frame itself
 * accesses. The levels behind do not see the frame, which the first holds, but replace so freely
 * that N is no more than a model there. */
#define TRUTH_STEPS(class, own, why) TRUTH_BETWEEN(class, 0, 1, own, 1, why)
#define OWN_ACCESSES                 (OWN_LOADS + OWN_STORES)
#define OWN_CODE                     8 /* lines or pages of window and specimen, at most */

#define WHY_OWN                                                                                    \
    "; the few accesses of the call itself may miss as well, once each, but nothing more"
#define WHY_L1D                                                                                    \
    "twice the first level in random order, of which a cache of the claimed size that replaces "   \
    "the least recently used line, or the oldest, holds none when it comes round; one that "       \
    "replaces at random keeps some" WHY_OWN
#define WHY_L2                                                                                     \
    "derived: twice the second level in random order, of which a cache that replaces the least "   \
    "recently used line holds none; others do not replace so strictly, and without huge pages "    \
    "sets are filled unevenly"
#define WHY_LLC                                                                                    \
    "derived: twice the last level as claimed in random order; its replacement is adaptive and "   \
    "hashed on most CPUs, it is shared, and a virtual machine's claim may be another's"
#define WHY_FITS                                                                                   \
    "derived: what was warmed stays in the next level, which is larger than twice the first"

WALK(l1d_chase, "l1d-chase", "N loads in random order over twice the first-level data cache",
     "misses of the first-level data cache that hit the second", "l1d l1d_ways line seed",
     prepare_l1d_chase, TRUTH_STEPS("l1d-load-misses", OWN_LOADS, WHY_L1D),
     TRUTH_STEPS("l1d-misses", OWN_ACCESSES, WHY_L1D), TRUTH_MODELLED("l2-misses", 0, 0, WHY_FITS),
     TRUTH_MODELLED("l2d-misses", 0, 0, WHY_FITS), TRUTH_MODELLED("l2-load-misses", 0, 0, WHY_FITS),
     TRUTH_MODELLED("llc-load-misses", 0, 0, WHY_FITS))

WALK(l2_chase, "l2-chase", "N loads in random order over twice the second-level cache",
     "misses of the second-level cache", "l2 l2_ways line seed", prepare_l2_chase,
     TRUTH_MODELLED("l2-misses", 0, 1, WHY_L2), TRUTH_MODELLED("l2d-misses", 0, 1, WHY_L2),
     TRUTH_MODELLED("l2-load-misses", 0, 1, WHY_L2))

WALK(llc_chase, "llc-chase", "N loads in random order over twice the last-level cache",
     "misses of the last-level cache", "llc llc_ways l2 line seed", prepare_llc_chase,
     TRUTH_MODELLED("l2-misses", 0, 1, WHY_LLC), TRUTH_MODELLED("l2d-misses", 0, 1, WHY_LLC),
     TRUTH_MODELLED("l2-load-misses", 0, 1, WHY_LLC),
     TRUTH_MODELLED("llc-load-misses", 0, 1, WHY_LLC))

#define WHY_STRIDE "a prefetcher may bring any of the lines in time, and none need be there at all"

WALK(stride, "stride", "N loads of one line after the other over twice the second-level cache",
     "prefetchers", "l2 l2_ways line", prepare_stride,
     TRUTH_BETWEEN("l1d-load-misses", 0, 0, OWN_LOADS, 1, WHY_STRIDE),
     TRUTH_BETWEEN("l2-load-misses", 0, 0, OWN_LOADS, 1, WHY_STRIDE))

#define WHY_HITS                                                                                   \
    "each line was loaded before the window opened; what ran since may have displaced it once"

WALK(l1d_hits, "l1d-hits", "N loads of sixteen lines over and over",
     "loads that hit the first-level data cache", "line seed", prepare_l1d_hits,
     TRUTH_BETWEEN("l1d-load-misses", 0, 0, OWN_LOADS + HIT_LINES, 0, WHY_HITS),
     TRUTH_BETWEEN("l1d-misses", 0, 0, OWN_LOADS + OWN_STORES + HIT_LINES, 0, WHY_HITS),
     TRUTH_BETWEEN("l2-load-misses", 0, 0, OWN_LOADS + HIT_LINES, 0, WHY_HITS),
     TRUTH_BETWEEN("llc-load-misses", 0, 0, OWN_LOADS + HIT_LINES, 0, WHY_HITS))

#define WHY_DTLB                                                                                   \
    "a load in each of twice as many pages as the TLB has entries (dtlb=), or in 8192 where that " \
    "is not known, more than twice any common one has; one that replaces at random keeps "         \
    "some" WHY_OWN

WALK(dtlb_pages, "dtlb-pages", "N loads, each in another page than the TLB holds",
     "misses of the data TLB", "dtlb seed", prepare_dtlb_pages,
     TRUTH_STEPS("dtlb-load-misses", OWN_LOADS, WHY_DTLB),
     TRUTH_STEPS("dtlb-misses", OWN_ACCESSES, WHY_DTLB),
     TRUTH_STEPS("tlb-misses", OWN_ACCESSES + OWN_CODE, WHY_DTLB))

/* ----------------------------------------------------------------------------------------------
 * N times: a line is flushed from every cache, then loaded. Needs no geometry, and no prefetcher
 * can be ahead of it. */

#define FLUSHED_SUMMARY  "N times: flush a line from every cache, then load it"
#define FLUSHED_STRESSES "misses of every data cache"

#if CODE_CAN_FLUSH
SPECIMEN_ASSEMBLY(specimen_flushed_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_FLUSH CODE_LOAD) CODE_RETURN);

#define WHY_FLUSHED                                                                                \
    "derived: a line that was flushed is in no cache; what the operating system or a hypervisor "  \
    "does between flush and load is not seen"

static const struct truth flushed_truths[] = {
    TRUTH_FRAMED(1, 1, CODE_FLUSH_INSTRUCTIONS + 1, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_MODELLED("l1d-load-misses", 0, 1, WHY_FLUSHED),
    TRUTH_MODELLED("l2-load-misses", 0, 1, WHY_FLUSHED),
    TRUTH_MODELLED("llc-load-misses", 0, 1, WHY_FLUSHED),
    TRUTH_END,
};

const struct specimen specimen_flushed = {
    .name = "flushed",
    .summary = FLUSHED_SUMMARY,
    .stresses = FLUSHED_STRESSES,
    SPECIMEN_REPEATS(specimen_flushed_code, trips, 1000000000u),
    .truth = flushed_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};
#else
SPECIMEN_ABSENT(flushed, "flushed", FLUSHED_SUMMARY, FLUSHED_STRESSES,
                "user code cannot flush a cache line here: RV64GC has no such instruction");
#endif
