/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which pairs of CPUs are compared where there are too many for all: a choice that visits every
 * CPU. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/random.h"
#include "studies/clocks/plan.h"

static void shuffle_cpus(int32_t *cpus, size_t count, struct random *random)
{
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)random_below(random, left);
        int32_t last = cpus[left - 1];
        cpus[left - 1] = cpus[chosen];
        cpus[chosen] = last;
    }
}

static struct cpu_pair in_order(int32_t one, int32_t other)
{
    return one < other ? (struct cpu_pair){one, other} : (struct cpu_pair){other, one};
}

/* Every CPU with the one after it, the last with the one before: (0,1) (2,3) … */
static size_t put_matching(const int32_t *cpus, size_t count, struct cpu_pair *pairs)
{
    size_t made = 0;
    for (size_t i = 0; i + 1 < count; i += 2)
        pairs[made++] = in_order(cpus[i], cpus[i + 1]);
    if (count % 2)
        pairs[made++] = in_order(cpus[count - 2], cpus[count - 1]);
    return made;
}

static bool has(const struct cpu_pair *pairs, size_t count, struct cpu_pair pair)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].cpu == pair.cpu && pairs[i].partner == pair.partner)
            return true;
    return false;
}

/* Random ones beyond those that are there. */
static size_t put_random(const int32_t *cpus, size_t count, size_t most, struct random *random,
                         struct cpu_pair *pairs, size_t made)
{
    while (made < most) {
        size_t one = (size_t)random_below(random, count);
        size_t other = (size_t)random_below(random, count - 1);
        struct cpu_pair pair = in_order(cpus[one], cpus[other + (other >= one)]);
        if (!has(pairs, made, pair))
            pairs[made++] = pair;
    }
    return made;
}

static size_t put_all(const int32_t *cpus, size_t count, struct cpu_pair *pairs)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            pairs[made++] = in_order(cpus[i], cpus[j]);
    return made;
}

int clocks_pairs(const int32_t *cpus, size_t count, size_t most, uint64_t seed,
                 struct cpu_pair **pairs, size_t *pair_count)
{
    size_t all = count < 2 ? 0 : count * (count - 1) / 2, fewest = (count + 1) / 2;
    size_t wanted = most < fewest ? fewest : most;
    AUTO_FREE int32_t *order = calloc(count + 1, sizeof(*order));
    *pair_count = 0;
    if (wanted > all)
        wanted = all;
    *pairs = calloc(wanted + 1, sizeof(**pairs));
    if (!order || !*pairs)
        return -ENOMEM;
    if (wanted == all) {
        *pair_count = put_all(cpus, count, *pairs);
        return 0;
    }
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++)
        order[i] = cpus[i];
    shuffle_cpus(order, count, &random);
    *pair_count = put_matching(order, count, *pairs);
    *pair_count = put_random(order, count, wanted, &random, *pairs, *pair_count);
    return 0;
}
