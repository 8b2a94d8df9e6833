/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps, touches and unmaps the memory of specimens, within what the machine or a container allows.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "specimens/framed.h"

/* --- Scratch: memory that no longer faults --- */

int scratch_map(struct specimen_state *state, size_t bytes, struct failure *failure)
{
    struct sysinfo machine;
    state->memory = NULL;
    state->bytes = 0;
    if (sysinfo(&machine) < 0)
        return fail_with(failure, -errno, "the size of this machine's memory cannot be read: %s",
                         strerror(errno));
    if (bytes > (uint64_t)machine.totalram * machine.mem_unit / 2)
        return fail_with(failure, -ENOMEM,
                         "N = %llu takes %zu bytes of memory, more than half of what this machine "
                         "has; take a smaller N",
                         (unsigned long long)state->n, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail_with(failure, -errno, "%zu bytes of memory cannot be had: %s", bytes,
                         strerror(errno));
    memset(memory, 0, bytes);
    state->memory = memory;
    state->bytes = bytes;
    return 0;
}

int scratch_prepare_page(struct specimen_state *state, struct failure *failure)
{
    return scratch_map(state, (size_t)sysconf(_SC_PAGESIZE), failure);
}

void scratch_unmap(struct specimen_state *state)
{
    if (state->memory)
        munmap(state->memory, state->bytes);
    state->memory = NULL;
}

/* --- Regions: large memory --- */

#define ALIGNMENT (UINT64_C(2) << 20) /* of huge pages on most machines */
#define SHARE     4                   /* of memory: this part at most */

uint64_t region_product(uint64_t left, uint64_t right)
{
    uint64_t product;
    return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}

/* A container may use less than the machine has. UINT64_MAX where nothing is said ("max"). */
static uint64_t container_limit(const char *path)
{
    uint64_t limit = 0;
    AUTO_FILE FILE *file = fopen(path, "re");
    return file && fscanf(file, "%20" SCNu64, &limit) == 1 && limit ? limit : UINT64_MAX;
}

static int check_size(const struct region *region, struct failure *failure)
{
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    struct sysinfo machine;
    uint64_t usable = UINT64_MAX;
    if (sysinfo(&machine) == 0)
        usable = (uint64_t)machine.totalram * machine.mem_unit;
    for (size_t index = 0; index < sizeof(limits) / sizeof(*limits); index++) {
        uint64_t limit = container_limit(limits[index]);
        usable = limit < usable ? limit : usable;
    }
    if (region->used <= usable / SHARE && region->bytes < SIZE_MAX / 2)
        return 0;
    return fail_with(failure, -ENOMEM,
                     "specimen %s would work on %" PRIu64 " MiB, which follows from its %s, and a "
                     "quarter of the %" PRIu64 " MiB of memory here is the most it takes: give a "
                     "smaller %s (%s/%s=VALUE/), or measure where there is more memory",
                     region->specimen, region->used >> 20, region->key, usable >> 20, region->key,
                     region->specimen, region->key);
}

int region_map(struct specimen_state *state, const struct region *region, struct failure *failure)
{
    state->memory = state->own = NULL;
    int result = check_size(region, failure);
    if (result < 0)
        return result;
    /* Where a huge page is wanted, a whole one: rounded up at both ends. */
    size_t whole = (region->bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *mapping = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return fail_with(failure, -errno, "%zu MiB of memory for specimen %s cannot be had: %s",
                         whole >> 20, region->specimen, strerror(errno));
    /* Refused where the operating system was built without huge pages: then there are none. */
    (void)madvise(mapping, whole, region->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    state->own = mapping;
    state->bytes = whole;
    state->memory = (char *)mapping + (-(uintptr_t)mapping & (ALIGNMENT - 1));
    return 0;
}

int region_make_executable(const struct specimen_state *state, const char *specimen,
                           struct failure *failure)
{
    if (mprotect(state->own, state->bytes, PROT_READ | PROT_EXEC) == 0)
        return 0;
    return fail_with(failure, -errno,
                     "specimen %s makes its code at run time, and this system lets no memory be "
                     "executed that was written (%s): a security policy forbids it to this program",
                     specimen, strerror(errno));
}

void region_unmap(struct specimen_state *state)
{
    if (state->own)
        munmap(state->own, state->bytes);
    state->memory = state->own = NULL;
}

/* Draws cycles, lays out places and links rings. All of it works before a window opens. */

/* ----------------------------------------------------------------------------------------------
 * Cycles. Pairs of neighbours are shuffled; then all their first halves are visited, then all
 * second halves in the same order. Where the reach is limited, pairs are shuffled within ranges, of
 * which every other one is visited on the way up and the rest on the way down: so the end of the
 * cycle is near its beginning. */

/* splitmix64: every seed is a good one. */
static uint64_t draw(uint64_t *state)
{
    uint64_t mixed = (*state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* Any order with the same chance; the state is the generator's, and any seed is a good one. */
static void cycle_shuffle(uint64_t *list, uint64_t count, uint64_t *state)
{
    for (uint64_t left = count; left > 1; left--) {
        uint64_t chosen = draw(state) % left, last = list[left - 1];
        list[left - 1] = list[chosen];
        list[chosen] = last;
    }
}

/* Pairs of neighbours in a round: all of 64 places' even ones. */
#define ROUND 32u

/* The even places, shuffled within ranges of so many of them. */
static void order_pairs(uint64_t *order, uint64_t pairs, uint64_t width, uint64_t state)
{
    uint64_t ranges = (pairs + width - 1) / width;
    for (uint64_t step = 0; step < ranges; step++) {
        /* The step-th range to visit: */
        uint64_t begin = (step < (ranges + 1) / 2 ? 2 * step : 2 * (ranges - 1 - step) + 1) * width,
                 got = 0;
        for (; got < width && begin + got < pairs; got++)
            order[got] = 2 * (begin + got);
        /* Each remainder's places change rounds among themselves, then each round's their
         * order. */
        uint64_t rounds = got / ROUND;
        for (uint64_t left = rounds; left > 1; left--)
            for (uint64_t column = 0; column < ROUND; column++) {
                uint64_t *last = &order[(left - 1) * ROUND + column];
                uint64_t *chosen = &order[draw(&state) % left * ROUND + column], other = *last;
                *last = *chosen;
                *chosen = other;
            }
        for (uint64_t at = 0; at < got; at += ROUND)
            cycle_shuffle(order + at, got - at < ROUND ? got - at : ROUND, &state);
        order += got;
    }
}

void cycle_order(uint64_t *order, uint64_t count, uint64_t reach, uint64_t seed)
{
    uint64_t pairs = (count + 1) / 2, at = pairs;
    /* Between ranges on the way up lies one on the way down: three ranges, six places a pair of
     * both halves. */
    uint64_t width = reach && reach / 6 < pairs ? reach / 6 : pairs;
    order_pairs(order, pairs, width ? width : 1, seed);
    for (uint64_t pair = 0; pair < pairs; pair++)
        if (order[pair] + 1 < count)
            order[at++] = order[pair] + 1;
}

void cycle_in_sequence(uint64_t *order, uint64_t count)
{
    for (uint64_t place = 0; place < count; place++)
        order[place] = place;
}

/* --- Places of which a cache or a TLB cannot hold all --- */

#define PAGES_APART 8u

void *places_at(void *memory, const struct places *places, uint64_t index)
{
    uint64_t moved = places->spread ? index * places->spread % places->stride : 0;
    return (char *)memory + index * places->stride + moved;
}

int places_require(const struct specimen_state *state, const struct places_of *of,
                   struct failure *failure)
{
    int result = geometry_require(of->specimen, "line", state->parameters.line, failure);
    return result < 0 ? result : geometry_require(of->specimen, of->key, of->size, failure);
}

void places_in_lines(struct places *places, const struct places_of *of, uint64_t line)
{
    uint64_t twice = region_product(2, of->size);
    places->region.specimen = of->specimen;
    places->region.key = of->key;
    places->region.bytes = places->region.used = twice;
    places->count = twice / line;
    places->stride = line;
}

void places_in_pages(struct places *places, const struct places_of *of, uint64_t unknown)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    places->count = of->size ? region_product(2, of->size) : unknown;
    places->stride = PAGES_APART * page;
    places->region.specimen = of->specimen;
    places->region.key = of->key;
    places->region.bytes = region_product(places->count, places->stride);
    places->region.used = region_product(places->count, page);
}

/* --- Rings of pointers --- */

static int check_layout(const struct chain_layout *layout, struct failure *failure)
{
    uint64_t node = sizeof(void *);
    if (layout->stride < node || layout->stride % node || layout->spread % node)
        return fail_with(failure, -EINVAL, "stride must be a multiple of %u, and so must spread",
                         (unsigned)node);
    if (layout->pair % node || layout->pair > layout->stride / 2)
        return fail_with(failure, -EINVAL,
                         "pair must be a multiple of %u and at most half of stride",
                         (unsigned)node);
    if (layout->pair && layout->spread)
        return fail_with(failure, -EINVAL, "pair and spread exclude each other");
    if (layout->bytes < layout->stride)
        return fail_with(failure, -EINVAL, "bytes must be at least stride, which is %llu",
                         (unsigned long long)layout->stride);
    return 0;
}

static void *node_at(char *memory, uint64_t place, const struct chain_layout *layout)
{
    return memory + place * layout->stride + place * layout->spread % layout->stride;
}

int chain_link(char *memory, const struct chain_layout *layout, void **first, uint64_t *nodes,
               struct failure *failure)
{
    int result = check_layout(layout, failure);
    if (result < 0)
        return result;
    uint64_t count = layout->bytes / layout->stride;
    /* Scratch memory from the operating system: the allocator's would lie where the specimen's
     * pages could have been. */
    void *list = mmap(NULL, (2 * count) * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t *order = list == MAP_FAILED ? NULL : list;
    if (!order)
        return fail_with(failure, -ENOMEM, "no memory for a ring of %llu nodes",
                         (unsigned long long)count);
    /* The numbers of all strides in the order in which they are visited. */
    uint64_t state = layout->seed;
    uint64_t each = layout->cluster / layout->stride;
    if (each == 0 || each > count)
        each = count;
    uint64_t clusters = (count + each - 1) / each;
    uint64_t *sequence = order + count; /* the second half of the scratch memory */
    for (uint64_t cluster = 0; cluster < clusters; cluster++)
        sequence[cluster] = cluster;
    cycle_shuffle(sequence, clusters, &state);
    uint64_t at = 0;
    for (uint64_t cluster = 0; cluster < clusters; cluster++) {
        uint64_t begin = at;
        for (uint64_t place = sequence[cluster] * each;
             place < (sequence[cluster] + 1) * each && place < count; place++)
            order[at++] = place;
        cycle_shuffle(order + begin, at - begin, &state);
    }
    for (uint64_t index = 0; index < count; index++) {
        void *node = node_at(memory, order[index], layout);
        void *next = node_at(memory, order[index + 1 < count ? index + 1 : 0], layout);
        void *entry = (char *)next + layout->pair;
        if (layout->pair) /* its far half leads to its near half, that to the next far one */
            memcpy((char *)node + layout->pair, &node, sizeof(node));
        memcpy(node, &entry, sizeof(entry));
    }
    *first = node_at(memory, order[0], layout);
    *nodes = layout->pair ? 2 * count : count;
    munmap(order, 2 * count * sizeof(*order));
    return 0;
}

void chain_follow(void *first, uint64_t steps)
{
    void *volatile *node = first;
    for (uint64_t step = 0; step < steps; step++)
        node = *node;
}
