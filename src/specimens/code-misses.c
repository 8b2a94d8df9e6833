/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N blocks of code, each in another line (or page) than an instruction cache (or TLB) still holds:
 * blocks over twice its size, each jumping to the next in random order. They are copies of one
 * block, made when a run is prepared. A call goes on where the last one stopped. */
#include <errno.h>

#include "base/cleanup.h"
#include "specimens/framed.h"

/* As many pages as twice the entries of any common second-level TLB (today up to 2048 for code). */
#define PAGES_UNKNOWN 4096u

SPECIMEN_ASSEMBLY(specimen_blocks_code, CODE_COUNT CODE_MEMORY CODE_ENTER_BLOCK);

/* Never executed where it stands. */
SPECIMEN_TEXT(specimen_block_to_copy, CODE_BLOCK);

#define TRUTH_BLOCKS                                                                               \
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2 + CODE_BLOCK_KEEP_INSTRUCTIONS, 3),         \
        TRUTH_EXACT("loads", FRAME_LOADS + 1, 0), TRUTH_EXACT("stores", FRAME_STORES + 1, 0),      \
        TRUTH_EXACT("branches", FRAME_BRANCHES + 1, 2), TRUTH_EXACT("cond-branches", 0, 1),        \
        TRUTH_EXACT("cond-branches-taken", -1, 1), TRUTH_EXACT("cond-branches-not-taken", 1, 0),   \
        TRUTH_EXACT("jumps", 0, 1), TRUTH_EXACT("calls", 1, 0), TRUTH_EXACT("returns", 1, 0),      \
        TRUTH_EXACT("indirect-branches", 2, 0), TRUTH_QUIET

static size_t block_bytes(void)
{
    return (size_t)(specimen_block_to_copy_end -
                    (const char *)(const void *)specimen_block_to_copy);
}

static unsigned char *block_at(unsigned char *memory, const struct places *blocks, uint64_t index)
{
    return places_at(memory, blocks, index);
}

/* The jump at the end of a block; every block is entered there. */
static unsigned char *jump_of(unsigned char *block)
{
    return block + block_bytes() - CODE_BLOCK_JUMP_BYTES;
}

static int lay_out(struct specimen_state *state, const struct places *blocks,
                   struct failure *failure)
{
    AUTO_FREE uint64_t *order = calloc(blocks->count, sizeof(*order));
    if (!order)
        return fail_with(failure, -ENOMEM, "no memory for an order of %llu blocks",
                         (unsigned long long)blocks->count);
    cycle_order(order, blocks->count, CODE_BLOCK_REACH / blocks->stride - 1,
                state->parameters.seed);
    for (uint64_t index = 0; index < blocks->count; index++) {
        uint64_t next = index + 1 < blocks->count ? index + 1 : 0;
        unsigned char *block = block_at(state->memory, blocks, order[index]);
        memcpy(block, (const void *)specimen_block_to_copy, block_bytes());
        code_block_link(jump_of(block), block_at(state->memory, blocks, order[next]));
        __builtin___clear_cache((char *)block, (char *)block + block_bytes());
    }
    int result = region_make_executable(state, blocks->region.specimen, failure);
    if (result < 0)
        return result;
    state->memory = jump_of(block_at(state->memory, blocks, order[blocks->count - 1]));
    return 0;
}

static int prepare_blocks(struct specimen_state *state, const struct places *blocks,
                          struct failure *failure)
{
    int result = region_map(state, &blocks->region, failure);
    if (result == 0)
        result = lay_out(state, blocks, failure);
    if (result < 0) {
        region_unmap(state);
        return result;
    }
    /* Whole passes end where they began. */
    struct specimen_state pass = {.n = blocks->count * blocks->passes, .memory = state->memory};
    if (pass.n)
        specimen_blocks_code(&pass);
    return 0;
}

static int prepare_lines(struct specimen_state *state, const struct places_of *of,
                         struct places blocks, struct failure *failure)
{
    uint64_t line = state->parameters.line;
    int result = places_require(state, of, failure);
    if (result < 0)
        return result;
    if (line < block_bytes() || line & (line - 1) || line > CODE_BLOCK_REACH / 8 || of->size < line)
        return fail_with(failure, -EINVAL,
                         "specimen %s wants a line that is a power of two and holds a block of %zu "
                         "bytes, and a cache of one line at least: line=%llu, %s=%llu do not do",
                         of->specimen, block_bytes(), (unsigned long long)line, of->key,
                         (unsigned long long)of->size);
    places_in_lines(&blocks, of, line);
    return prepare_blocks(state, &blocks, failure);
}

static int prepare_l1i_blocks(struct specimen_state *state, struct failure *failure)
{
    const struct places_of l1i = {"l1i-blocks", "l1i", state->parameters.l1i};
    return prepare_lines(state, &l1i, (struct places){.passes = 1}, failure);
}

/* Copying them was a pass already, as far as the second level is concerned. */
static int prepare_l2i_blocks(struct specimen_state *state, struct failure *failure)
{
    const struct places_of l2 = {"l2i-blocks", "l2", state->parameters.l2};
    return prepare_lines(state, &l2, (struct places){.region = {.huge = true}}, failure);
}

/* Each block stands in another line of its page, lest the cache miss where the TLB should. */
static int prepare_itlb_pages(struct specimen_state *state, struct failure *failure)
{
    const struct places_of itlb = {"itlb-pages", "itlb", state->parameters.itlb};
    struct places blocks = {.spread = 64};
    places_in_pages(&blocks, &itlb, PAGES_UNKNOWN);
    return prepare_blocks(state, &blocks, failure);
}

/* One specimen; its rows follow those of the blocks. The text is the one block: what stands there
 * is executed, but elsewhere and nobody can say in which order. */
#define BLOCKS(symbol, label, words, stressed, keys, preparing, ...)                               \
    static const struct truth symbol##_truths[] = {TRUTH_BLOCKS, __VA_ARGS__, TRUTH_END};          \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (label),                                                                           \
        .summary = (words),                                                                        \
        .stresses = (stressed),                                                                    \
        .needs = "memory that may be executed after it was written",                               \
        .parameters = (keys),                                                                      \
        .form = SPECIMEN_CALLED,                                                                   \
        .code = specimen_blocks_code,                                                              \
        .text_begin = (const char *)(const void *)specimen_block_to_copy,                          \
        .text_end = specimen_block_to_copy_end,                                                    \
        .min_n = 1,                                                                                \
        .max_n = 1000000000u,                                                                      \
        .truth = symbol##_truths,                                                                  \
        .prepare = (preparing),                                                                    \
        .restore = region_unmap,                                                                   \
    };

/* From N, every block, to that and what stands around the blocks: lines or pages of the window and
 * of the specimen's call, at most; then the data these access. */
#define OWN_CODE                          8
#define OWN_DATA                          (FRAME_LOADS + 1 + FRAME_STORES + 1)
#define TRUTH_BLOCK_EACH(class, own, why) TRUTH_BETWEEN(class, 0, 1, own, 1, why)

#define WHY_OWN "; the code around the blocks may miss as well, once, but nothing more"
#define WHY_L1I                                                                                    \
    "twice the first-level instruction cache in random order, of which a cache of the claimed "    \
    "size that replaces the least recently used line, or the oldest, holds none when it comes "    \
    "round; one that replaces at random keeps some, and a CPU that fetches ahead along predicted " \
    "jumps may have asked for a line before it missed" WHY_OWN
#define WHY_L2I                                                                                    \
    "derived: code over twice the second level in random order, of which a cache that replaces "   \
    "the least recently used line holds none; others do not replace so strictly, and without "     \
    "huge pages sets are filled unevenly"
#define WHY_ITLB                                                                                   \
    "a block in each of twice as many pages as the TLB has entries (itlb=), or in 4096 where "     \
    "that is not known, at least twice as many as any common one has; one that replaces at "       \
    "random keeps some" WHY_OWN

BLOCKS(l1i_blocks, "l1i-blocks",
       "N blocks of code in random order over twice the first-level instruction cache",
       "misses of the first-level instruction cache", "l1i l1i_ways line seed", prepare_l1i_blocks,
       TRUTH_BLOCK_EACH("l1i-load-misses", OWN_CODE, WHY_L1I))

BLOCKS(l2i_blocks, "l2i-blocks",
       "N blocks of code in random order over twice the second-level cache",
       "misses of the second-level cache for code", "l2 l2_ways line seed", prepare_l2i_blocks,
       TRUTH_MODELLED("l2i-misses", 0, 1, WHY_L2I), TRUTH_MODELLED("l2-misses", 0, 1, WHY_L2I))

BLOCKS(itlb_pages, "itlb-pages", "N blocks of code, each in another page than the TLB holds",
       "misses of the instruction TLB", "itlb seed", prepare_itlb_pages,
       TRUTH_BLOCK_EACH("itlb-load-misses", OWN_CODE, WHY_ITLB),
       TRUTH_BLOCK_EACH("tlb-misses", OWN_CODE + OWN_DATA, WHY_ITLB))
