/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rings of pointers: every node once, where the layout says, in an order that is random within
 * clusters. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "case.h"
#include "specimens/framed.h"

#define MOST_NODES 4096u

struct walked {
    char *memory;
    uint64_t offsets[MOST_NODES]; /* in the order of the ring */
    uint64_t nodes;
};

/* Follows the ring once around; fails unless it closes after as many steps as it has nodes. */
static void walk(struct walked *walked, const struct chain_layout *layout)
{
    struct failure failure = {0};
    void *first = NULL;
    walked->memory = calloc(1, layout->bytes);
    assert_non_null(walked->memory);
    assert_int_equal(chain_link(walked->memory, layout, &first, &walked->nodes, &failure), 0);
    assert_true(walked->nodes <= MOST_NODES);
    char *node = first;
    for (uint64_t step = 0; step < walked->nodes; step++) {
        walked->offsets[step] = (uint64_t)(node - walked->memory);
        assert_true(walked->offsets[step] + sizeof(void *) <= layout->bytes);
        memcpy(&node, walked->memory + walked->offsets[step], sizeof(node));
    }
    assert_ptr_equal(node, first);
    free(walked->memory);
}

TEST(a_ring_holds_every_node_once)
{
    const struct chain_layout layouts[] = {
        {.bytes = 64, .stride = 64},
        {.bytes = 65536, .stride = 64},
        {.bytes = 65000, .stride = 64, .cluster = 4096},
        {.bytes = 262144, .stride = 4096, .spread = 64},
        {.bytes = 65536, .stride = 256, .cluster = 1000, .seed = 7},
    };
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
        struct walked walked;
        walk(&walked, &layouts[i]);
        uint64_t count = layouts[i].bytes / layouts[i].stride;
        bool seen[MOST_NODES] = {false};
        assert_int_equal(walked.nodes, count);
        for (uint64_t step = 0; step < count; step++) {
            uint64_t place = walked.offsets[step] / layouts[i].stride;
            assert_int_equal(walked.offsets[step] % layouts[i].stride,
                             place * layouts[i].spread % layouts[i].stride);
            assert_false(seen[place]);
            seen[place] = true;
        }
    }
}

TEST(clusters_are_visited_one_after_the_other)
{
    struct walked walked;
    struct chain_layout layout = {.bytes = 131072, .stride = 64, .cluster = 8192, .seed = 3};
    walk(&walked, &layout);
    uint64_t changes = 0;
    for (uint64_t step = 1; step < walked.nodes; step++)
        changes += walked.offsets[step] / 8192 != walked.offsets[step - 1] / 8192;
    assert_int_equal(changes, 131072 / 8192 - 1);
}

TEST(the_order_is_random_and_follows_the_seed)
{
    struct walked one, same, other;
    struct chain_layout layout = {.bytes = 65536, .stride = 64, .seed = 1};
    walk(&one, &layout);
    walk(&same, &layout);
    layout.seed = 2;
    walk(&other, &layout);
    assert_memory_equal(one.offsets, same.offsets, one.nodes * sizeof(uint64_t));
    assert_memory_not_equal(one.offsets, other.offsets, one.nodes * sizeof(uint64_t));
    uint64_t neighbours = 0;
    for (uint64_t step = 1; step < one.nodes; step++)
        neighbours += one.offsets[step] == one.offsets[step - 1] + 64;
    assert_true(neighbours < 16); /* of 1024: about one is chance */
}

TEST(a_pair_is_followed_from_far_to_near)
{
    struct walked walked;
    struct chain_layout layout = {.bytes = 65536, .stride = 1024, .pair = 128};
    walk(&walked, &layout);
    assert_int_equal(walked.nodes, 2 * 64);
    for (uint64_t step = 0; step + 2 < walked.nodes;
         step += 2) { /* near, far of the next, near … */
        assert_int_equal(walked.offsets[step] % 1024, 0);
        assert_int_equal(walked.offsets[step + 1] % 1024, 128);
        assert_int_equal(walked.offsets[step + 1], walked.offsets[step + 2] + 128);
    }
}

TEST(layouts_without_a_ring_are_refused)
{
    const struct chain_layout wrong[] = {
        {.bytes = 64, .stride = 128},                         /* no node */
        {.bytes = 64, .stride = 0},                           /* all on one place */
        {.bytes = 64, .stride = 4},                           /* nodes overlap */
        {.bytes = 640, .stride = 64, .spread = 3},            /* torn pointers */
        {.bytes = 640, .stride = 64, .pair = 48},             /* outside of its stride */
        {.bytes = 640, .stride = 64, .pair = 8, .spread = 8}, /* both */
    };
    char memory[640];
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct failure failure = {0};
        void *first;
        uint64_t nodes;
        assert_int_equal(chain_link(memory, &wrong[i], &first, &nodes, &failure), -EINVAL);
        assert_true(failure.text[0]);
    }
}

TEST(a_chase_runs_and_gives_its_memory_back)
{
    const struct specimen *chase = specimen_find("chase");
    assert_non_null(chase);
    struct specimen_state run = {.n = 1000, .parameters = {.bytes = 1 << 20, .cluster = 65536}};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(chase, &run, &failure), 0);
    chase->code(&run);
    chase->restore(&run);
    assert_null(run.own);
    struct specimen_state huge = {.n = 1000, .parameters = {.bytes = UINT64_MAX / 2}};
    assert_int_equal(specimen_prepare(chase, &huge, &failure), -ENOMEM);
    assert_null(huge.own);
}
