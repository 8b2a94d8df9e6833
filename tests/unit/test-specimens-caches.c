/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What counting tools cannot see of the specimens for caches and TLBs: that their cycles visit
 * every place once, overfill every set, differ with the seed, go on where they stopped, and refuse
 * what the machine cannot hold. And their instructions, stepped. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "called.h"
#include "case.h"
#include "specimens/framed.h"

extern const struct specimen specimen_broken_l1d_chase, specimen_broken_l1i_blocks;

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static uint64_t apart(uint64_t one, uint64_t other)
{
    return one > other ? one - other : other - one;
}

static uint64_t *drawn(uint64_t count, uint64_t reach, uint64_t seed)
{
    uint64_t *order = calloc(count, sizeof(*order));
    assert_non_null(order);
    cycle_order(order, count, reach, seed);
    return order;
}

TEST(a_cycle_visits_every_place_once)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 1001}, reaches[] = {0, 6, 15, 100, 5000};
    for (size_t index = 0; index < COUNT(counts) * COUNT(reaches); index++) {
        uint64_t count = counts[index / COUNT(reaches)], reach = reaches[index % COUNT(reaches)];
        AUTO_FREE uint64_t *order = drawn(count, reach, 5);
        AUTO_FREE bool *seen = calloc(count, sizeof(*seen));
        for (uint64_t at = 0; at < count; at++) {
            assert_true(order[at] < count && !seen[order[at]]);
            seen[order[at]] = true;
            if (reach)
                assert_true(apart(order[at], order[at + 1 < count ? at + 1 : 0]) <= reach);
        }
    }
}

TEST(neighbours_are_half_a_cycle_apart)
{
    AUTO_FREE uint64_t *order = drawn(256, 0, 9);
    uint64_t position[256];
    for (uint64_t at = 0; at < 256; at++)
        position[order[at]] = at;
    for (uint64_t pair = 0; pair < 128; pair++)
        assert_int_equal(position[2 * pair + 1] - position[2 * pair], 128);
}

TEST(no_set_is_visited_twice_before_all_were_once)
{
    AUTO_FREE uint64_t *order = drawn(1024, 0, 7);
    for (uint64_t round = 0; round < 1024; round += 32) {
        bool seen[64] = {false};
        for (uint64_t at = round; at < round + 32; at++) {
            assert_false(seen[order[at] % 64]);
            seen[order[at] % 64] = true;
        }
    }
}

TEST(seeds_make_different_cycles)
{
    AUTO_FREE uint64_t *first = drawn(64, 0, 1), *again = drawn(64, 0, 1), *other = drawn(64, 0, 2);
    assert_memory_equal(first, again, 64 * sizeof(*first));
    assert_memory_not_equal(first, other, 64 * sizeof(*first));
}

/* The places that a specimen visits, one call with N = 1 each, until it is where it began. */
struct visits {
    uintptr_t *list;
    size_t count;
};

static struct visits visit(const struct specimen *specimen,
                           const struct specimen_parameters *parameters)
{
    struct specimen_state state = {.n = 1, .parameters = *parameters};
    struct failure failure = {0};
    struct visits visits = {calloc(1 << 16, sizeof(uintptr_t)), 0};
    if (specimen_prepare(specimen, &state, &failure) < 0)
        fail_msg("%s", failure.text);
    const void *first = state.memory;
    do {
        assert_true(visits.count < 1 << 16);
        specimen->code(&state);
        visits.list[visits.count++] = (uintptr_t)state.memory;
    } while (state.memory != first);
    specimen->restore(&state);
    return visits;
}

/* How many of the visited lines fall into each set of a cache that is indexed by address. */
static void lines_of_sets(const struct visits *visits, uint64_t line, uint64_t sets,
                          unsigned *lines)
{
    memset(lines, 0, sets * sizeof(*lines));
    for (size_t index = 0; index < visits->count; index++)
        lines[visits->list[index] / line % sets]++;
}

static bool overfills(const struct specimen *specimen, const struct specimen_parameters *parameters,
                      uint64_t bytes, uint64_t ways)
{
    uint64_t line = parameters->line, sets = bytes / line / ways;
    struct visits visits = visit(specimen, parameters);
    AUTO_FREE unsigned *lines = calloc(sets, sizeof(*lines));
    lines_of_sets(&visits, line, sets, lines);
    bool all = visits.count == 2 * bytes / line;
    for (uint64_t set = 0; set < sets; set++)
        all = all && lines[set] == 2 * ways;
    free(visits.list);
    return all;
}

/* Twice as many lines as ways, in one order over and over: the least recently used line is always
 * the one that is wanted next. Sizes that are no power of two included. */
TEST(every_set_gets_twice_as_many_lines_as_it_has_ways)
{
    static const struct specimen_parameters plain = {
        .line = 64, .l1d = 32768, .l1i = 32768, .l2 = 524288, .llc = 1048576};
    static const struct specimen_parameters odd = {
        .line = 128, .l1d = 49152, .l1i = 49152, .l2 = 1310720, .llc = 1572864, .seed = 3};
    assert_true(overfills(specimen_find("l1d-chase"), &plain, plain.l1d, 8));
    assert_true(overfills(specimen_find("l2-chase"), &plain, plain.l2, 8));
    assert_true(overfills(specimen_find("llc-chase"), &plain, plain.llc, 16));
    assert_true(overfills(specimen_find("stride"), &plain, plain.l2, 8));
    assert_true(overfills(specimen_find("l1d-chase"), &odd, odd.l1d, 12));
    assert_true(overfills(specimen_find("l2-chase"), &odd, odd.l2, 10));
    assert_true(overfills(specimen_find("llc-chase"), &odd, odd.llc, 12));
}

TEST(every_set_gets_twice_as_many_blocks_as_it_has_ways)
{
    static const struct specimen_parameters plain = {.line = 64, .l1i = 32768, .l2 = 524288};
    static const struct specimen_parameters odd = {.line = 128, .l1i = 49152, .l2 = 1310720};
    assert_true(overfills(specimen_find("l1i-blocks"), &plain, plain.l1i, 8));
    assert_true(overfills(specimen_find("l2i-blocks"), &plain, plain.l2, 8));
    assert_true(overfills(specimen_find("l1i-blocks"), &odd, odd.l1i, 12));
    assert_true(overfills(specimen_find("l2i-blocks"), &odd, odd.l2, 10));
}

TEST(cycles_that_fit_into_the_cache_are_noticed)
{
    static const struct specimen_parameters plain = {.line = 64, .l1d = 32768, .l1i = 32768};
    assert_false(overfills(&specimen_broken_l1d_chase, &plain, plain.l1d, 8));
    assert_false(overfills(&specimen_broken_l1i_blocks, &plain, plain.l1i, 8));
}

TEST(hits_stay_in_sixteen_lines)
{
    struct specimen_parameters parameters = {.line = 64};
    struct visits visits = visit(specimen_find("l1d-hits"), &parameters);
    assert_int_equal(visits.count, 16);
    for (size_t index = 0; index < visits.count; index++)
        assert_true(apart(visits.list[0], visits.list[index]) < 1024);
    free(visits.list);
}

/* One place a page, no two in neighbouring pages, twice as many as the TLB has entries. */
static void check_pages(const char *name)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct specimen_parameters parameters = {.line = 64, .dtlb = 100, .itlb = 100};
    struct visits visits = visit(specimen_find(name), &parameters);
    assert_int_equal(visits.count, 200);
    for (size_t one = 0; one < visits.count; one++)
        for (size_t other = 0; other < one; other++)
            assert_true(apart(visits.list[one] / page, visits.list[other] / page) > 4);
    free(visits.list);
}

TEST(tlb_specimens_visit_pages_that_share_no_entry)
{
    check_pages("dtlb-pages");
    check_pages("itlb-pages");
}

static const char *const names[] = {"l1d-hits",   "l1d-chase",  "l2-chase", "llc-chase",
                                    "stride",     "dtlb-pages", "flushed",  "l1i-blocks",
                                    "l2i-blocks", "itlb-pages"};

static int64_t stepped(const struct specimen *specimen, uint64_t n)
{
    struct specimen_state state = {
        .n = n,
        .parameters = {
            .line = 64, .l1d = 1024, .l1i = 1024, .l2 = 2048, .llc = 4096, .dtlb = 16, .itlb = 16}};
    struct failure failure = {0};
    if (specimen_prepare(specimen, &state, &failure) < 0)
        fail_msg("%s", failure.text);
    int64_t instructions = called_instructions(&state, specimen->code);
    specimen->restore(&state);
    return instructions;
}

TEST(each_executes_the_instructions_it_states)
{
    static const uint64_t counts[] = {1, 2, 31, 100};
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t index = 0; index < COUNT(names) * COUNT(counts); index++) {
        const struct specimen *specimen = specimen_find(names[index / COUNT(counts)]);
        uint64_t n = counts[index % COUNT(counts)];
        struct failure failure = {0};
        if (!specimen->available || specimen->available(&failure) == 0)
            assert_int_equal(stepped(specimen, n), called_truth(specimen, "instructions", n));
    }
}

static void check_refusal(const char *name, int code, const char *words)
{
    const struct specimen *specimen;
    struct specimen_state state = {.n = 1};
    struct failure failure = {0};
    assert_int_equal(specimen_parse(name, &specimen, &state.parameters, &failure), 0);
    assert_int_equal(specimen_prepare(specimen, &state, &failure), code);
    if (!strstr(failure.text, words))
        fail_msg("%s says: %s", name, failure.text);
    assert_null(state.own);
    specimen->restore(&state);
}

TEST(what_no_machine_can_hold_is_refused_in_words)
{
    static const char memory[] = "a quarter of the ";
    check_refusal("llc-chase/llc=1024g/", -ENOMEM, memory);
    check_refusal("llc-chase/llc=18446744073709551615/", -ENOMEM, memory);
    check_refusal("l1d-chase/l1d=1024g/", -ENOMEM, "smaller l1d (l1d-chase/l1d=VALUE/)");
    check_refusal("l2i-blocks/l2=1024g/", -ENOMEM, memory);
    check_refusal("dtlb-pages/dtlb=18446744073709551615/", -ENOMEM, memory);
    check_refusal("itlb-pages/itlb=1024g/", -ENOMEM, memory);
}

TEST(lines_that_no_cache_has_are_refused_in_words)
{
    check_refusal("l1d-chase/line=4/", -EINVAL, "line=4");
    check_refusal("l1d-chase/line=96/", -EINVAL, "a power of two");
    check_refusal("l1d-chase/line=64,l1d=63/", -EINVAL, "l1d=63");
    check_refusal("l1i-blocks/line=16/", -EINVAL, "holds a block");
    check_refusal("l1i-blocks/line=1g,l1i=1g/", -EINVAL, "line=1073741824");
}

/* --- rings of pointers --- */

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
