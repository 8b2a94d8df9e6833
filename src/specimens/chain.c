/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Links rings of pointers. Works before a window opens. */
#include "specimens/chain.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "specimens/cycle.h"

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

/* Scratch memory from the operating system: the allocator's would lie where the specimen's pages
 * could have been. */
static uint64_t *scratch_map(uint64_t count)
{
    void *list = mmap(NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return list == MAP_FAILED ? NULL : list;
}

/* The numbers of all strides in the order in which they are visited. */
static void draw_order(uint64_t *order, uint64_t count, const struct chain_layout *layout)
{
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
}

static void *node_at(char *memory, uint64_t place, const struct chain_layout *layout)
{
    return memory + place * layout->stride + place * layout->spread % layout->stride;
}

static void link_nodes(char *memory, const uint64_t *order, uint64_t count,
                       const struct chain_layout *layout)
{
    for (uint64_t index = 0; index < count; index++) {
        void *node = node_at(memory, order[index], layout);
        void *next = node_at(memory, order[index + 1 < count ? index + 1 : 0], layout);
        void *entry = (char *)next + layout->pair;
        if (layout->pair) /* its far half leads to its near half, that to the next far one */
            memcpy((char *)node + layout->pair, &node, sizeof(node));
        memcpy(node, &entry, sizeof(entry));
    }
}

int chain_link(char *memory, const struct chain_layout *layout, void **first, uint64_t *nodes,
               struct failure *failure)
{
    int result = check_layout(layout, failure);
    if (result < 0)
        return result;
    uint64_t count = layout->bytes / layout->stride;
    uint64_t *order = scratch_map(2 * count);
    if (!order)
        return fail_with(failure, -ENOMEM, "no memory for a ring of %llu nodes",
                         (unsigned long long)count);
    draw_order(order, count, layout);
    link_nodes(memory, order, count, layout);
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
