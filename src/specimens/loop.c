/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands inline in windows: nothing at all, the smallest counting loop, and the call of a
 * specimen, which is in no registry. And that same loop at a place that the measurement chooses. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "specimens/framed.h"
#include "specimens/region.h"

typedef void specimen_function(struct specimen_state *state);

/* The branch back of either loop. */
static const struct trip trips[] = {TRIP_LOOP};

/* What neither of those inside the window does. */
#define TRUTH_STAYS                                                                                \
    TRUTH_ZERO("jumps"), TRUTH_ZERO("calls"), TRUTH_ZERO("returns"),                               \
        TRUTH_ZERO("indirect-branches"), TRUTH_ZERO("loads"), TRUTH_ZERO("stores"), TRUTH_QUIET

/* ----------------------------------------------------------------------------------------------
 * The empty specimen: zero instructions inside the window, so that any count is the error of
 * measuring. N means nothing to it. */

static const struct truth null_truths[] = {
    TRUTH_ZERO("instructions"),
    TRUTH_ZERO("branches"),
    TRUTH_ZERO("cond-branches"),
    TRUTH_ZERO("cond-branches-taken"),
    TRUTH_ZERO("cond-branches-not-taken"),
    TRUTH_STAYS,
    {.class = NULL},
};

const struct specimen specimen_null = {
    .name = "null",
    .summary = "nothing at all: every count is the error of measuring",
    .stresses = "the fixed cost of the path and pattern",
    .form = SPECIMEN_NULL,
    .max_n = UINT64_MAX,
    .truth = null_truths,
};

/* ----------------------------------------------------------------------------------------------
 * A counting loop of N iterations that touches no memory: its counts follow from its instructions
 * (arch window.h). */

extern const char specimen_loop_text[], specimen_loop_text_end[];

/* Never called: here the text of the loop can be read as it stands in every window. */
__attribute__((used, noinline)) static void loop_to_read(uintptr_t n)
{
    WINDOW_PIN_FIRST(uintptr_t, first) = n;
    WINDOW_PIN_SECOND(specimen_function *, second) = NULL;
    WINDOW_SLOT("\t.globl specimen_loop_text, specimen_loop_text_end\n"
                "\t.hidden specimen_loop_text, specimen_loop_text_end\n"
                "specimen_loop_text:\n\t" WINDOW_LOOP "\n"
                "specimen_loop_text_end:",
                first, second);
}

static const struct truth loop_truths[] = {
    TRUTH_EXACT("instructions", WINDOW_LOOP_INSTRUCTIONS_BASE, WINDOW_LOOP_INSTRUCTIONS_EACH),
    TRUTH_EXACT("branches", 0, 1),
    TRUTH_EXACT("cond-branches", 0, 1),
    TRUTH_EXACT("cond-branches-taken", -1, 1),
    TRUTH_EXACT("cond-branches-not-taken", 1, 0),
    TRUTH_STAYS,
    TRUTH_END,
};

/* It counts up to N and compares afterwards: N = 0 would run until the register wraps. */
const struct specimen specimen_loop = {
    .name = "loop",
    .summary = "N iterations of the smallest counting loop, inline in the window",
    .stresses = "what accrues with time: interrupts, switches, lost counts",
    .form = SPECIMEN_LOOP,
    .text_begin = specimen_loop_text,
    .text_end = specimen_loop_text_end,
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 1000000000000u,
    .truth = loop_truths,
};

/* --- The call of a specimen as it stands in every window, to be read and decoded --- */

/* Never called: here the call can be read. */
__attribute__((used, noinline)) static void call_to_read(struct specimen_state *state,
                                                         specimen_function *code)
{
    WINDOW_PIN_FIRST(struct specimen_state *, first) = state;
    WINDOW_PIN_SECOND(specimen_function *, second) = code;
    WINDOW_SLOT("\t.globl specimen_call_text, specimen_call_text_end\n"
                "\t.hidden specimen_call_text, specimen_call_text_end\n"
                "specimen_call_text:\n\t" WINDOW_CALL "\n"
                "specimen_call_text_end:",
                first, second);
}

/* ----------------------------------------------------------------------------------------------
 * The loop that stands in windows, at a place that the measurement chooses: its bytes are copied so
 * that the first instruction of its body lies `offset` bytes behind the beginning of a page. What
 * it executes is the same at every offset; what it costs is the CPU's front end's affair. */

/* Where the pages are asked for. Predictors and caches look at more of an address than its place in
 * a page, so it is the same in every process, wherever the operating system grants it; low enough
 * for the smallest address spaces of 64-bit machines. */
#define PLACE (UINT64_C(1) << 36)
/* What leads to the body may lie in the page before, and the body may reach into the one after. */
#define PAGES 3u

#define BODY_MARK                                                                                  \
    "\t.globl specimen_placed_body\n\t.hidden specimen_placed_body\nspecimen_placed_body:\n"

extern const char specimen_placed_body[]; /* the first instruction of the loop's body */

SPECIMEN_ASSEMBLY(specimen_placed_code,
                  WINDOW_LOOP_ENTER WINDOW_LOOP_ALONE(BODY_MARK) WINDOW_LOOP_LEAVE CODE_RETURN);

/* Beside call, load of N and return: the register of N is kept and put back. */
#define OWN_INSTRUCTIONS 2

static const struct truth placed_truths[] = {
    TRUTH_EXACT("instructions",
                FRAME_INSTRUCTIONS + OWN_INSTRUCTIONS + WINDOW_LOOP_INSTRUCTIONS_BASE,
                WINDOW_LOOP_INSTRUCTIONS_EACH),
    TRUTH_EXACT("loads", FRAME_LOADS, 0),
    TRUTH_EXACT("stores", FRAME_STORES, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

/* Every page is written to, whether code will lie there or not: the same pages at every offset. */
static int map_pages(struct specimen_state *state, size_t page, struct failure *failure)
{
    void *wish = (void *)(uintptr_t)PLACE; /* NOLINT(performance-no-int-to-ptr) */
    size_t bytes = PAGES * page;
    void *mapping = mmap(wish, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return fail_with(failure, -errno,
                         "%zu bytes of memory for specimen placed cannot be had: %s", bytes,
                         strerror(errno));
    memset(mapping, 0, bytes);
    state->own = mapping;
    state->bytes = bytes;
    return 0;
}

static void restore(struct specimen_state *state)
{
    region_unmap(state);
    state->copy = NULL;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t offset = state->parameters.offset;
    int result = 0;
    if (offset >= page)
        result =
            fail_with(failure, -EINVAL,
                      "specimen placed: offset=%llu lies beyond the page, which has %llu bytes "
                      "here; give 0 to %llu",
                      (unsigned long long)offset, (unsigned long long)page,
                      (unsigned long long)(page - WINDOW_CODE_ALIGNMENT));
    else if (offset % WINDOW_CODE_ALIGNMENT)
        result = fail_with(failure, -EINVAL,
                           "specimen placed: offset=%llu is no place for an instruction, which on "
                           "this ISA begins at a multiple of %d bytes; give such a multiple",
                           (unsigned long long)offset, WINDOW_CODE_ALIGNMENT);
    if (result == 0)
        result = map_pages(state, page, failure);
    if (result < 0)
        return result;
    /* Puts the code where its body lies at `body`. */
    char *body = (char *)state->own + page + offset;
    const char *text = (const char *)(const void *)specimen_placed_code;
    size_t bytes = (size_t)(specimen_placed_code_end - text);
    char *entry = body - (specimen_placed_body - text);
    memcpy(entry, text, bytes);
    __builtin___clear_cache(entry, entry + bytes);
    state->copy = (void (*)(struct specimen_state *))(void *)entry;
    state->memory = body;
    result = region_make_executable(state, "placed", failure);
    if (result < 0)
        restore(state);
    return result;
}

/* As in windows, it counts up to N and compares afterwards: N = 0 would run until the register
 * wraps. */
const struct specimen specimen_placed = {
    .name = "placed",
    .summary =
        "N iterations of the window's loop, the first instruction of its body `offset` bytes "
        "from the beginning of a page",
    .stresses = "where code lies: how the CPU fetches and predicts it",
    .needs = "memory that may be executed after it was written",
    .parameters = "offset",
    SPECIMEN_REPEATS(specimen_placed_code, trips, 1000000000000u),
    .truth = placed_truths,
    .prepare = prepare,
    .restore = restore,
};
