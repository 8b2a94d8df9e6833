/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Straight code, without a branch but that of the loop around it: additions, no-ops, a row of many
 * kinds of instructions, and single instructions that repeat themselves. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "specimens/framed.h"

/* What stands inline in windows: nothing at all, the smallest counting loop, and the call of a
 * specimen, which is in no registry. And that same loop at a place that the measurement chooses. */

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

/* --- N times a chain of sixteen dependent additions --- */

SPECIMEN_ASSEMBLY(specimen_adds_code, CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD)) CODE_RETURN);

static const struct truth adds_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_adds = {
    .name = "adds",
    .summary = "N times a chain of sixteen dependent additions",
    .stresses = "completed instructions",
    SPECIMEN_REPEATS(specimen_adds_code, trips, 100000000000u),
    .truth = adds_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times sixteen no-ops: what compilers and assemblers pad code with is executed and counts. */

SPECIMEN_ASSEMBLY(specimen_nops_code, CODE_COUNT CODE_LOOP(CODE_PADDING) CODE_RETURN);

static const struct truth nops_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_nops = {
    .name = "nops",
    .summary = "N times sixteen no-ops, of all lengths that are used for padding",
    .stresses = "completed instructions that do nothing",
    SPECIMEN_REPEATS(specimen_nops_code, trips, 100000000000u),
    .truth = nops_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times sixteen additions: in one chain, where each waits for the one before, and in two chains
 * that do not wait for each other. What they count is the same; how long they take is not. */

SPECIMEN_ASSEMBLY(specimen_chain_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD_REGISTERS)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_two_chains_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(8, CODE_ADD_IN_TURN)) CODE_RETURN);

static const struct truth chain_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS, FRAME_LOOP_INSTRUCTIONS + 16, FRAME_BRANCHES, 1),
    TRUTH_MODELLED("cycles", 0, 16,
                   "an addition of registers takes one cycle and needs the sum of the one before; "
                   "the rest of the loop is done meanwhile"),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_chain = {
    .name = "chain",
    .summary = "N times sixteen additions of registers, each of which needs the one before",
    .stresses = "cycles: one an addition",
    SPECIMEN_REPEATS(specimen_chain_code, trips, 100000000000u),
    .truth = chain_truths,
};

/* The highest limit: one at a time, a cycle or two for the branch, and a core shared with another
 * thread; at first everything comes from memory. */
static const struct truth two_chains_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS, FRAME_LOOP_INSTRUCTIONS + 16, FRAME_BRANCHES, 1),
    TRUTH_BETWEEN("cycles", 0, 8, 100000, 40,
                  "each chain takes eight cycles; how much of the other is done meanwhile depends "
                  "on the CPU, and in the worst case nothing"),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_two_chains = {
    .name = "two-chains",
    .summary = "N times sixteen additions of registers, alternating between two chains",
    .stresses = "cycles: today more than one addition in each",
    SPECIMEN_REPEATS(specimen_two_chains_code, trips, 100000000000u),
    .truth = two_chains_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times a row of instructions of many kinds, whose number is known: an event that counts one kind
 * twice or not at all shows it here. */

SPECIMEN_ASSEMBLY(specimen_mixed_code, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_MIX) CODE_RETURN);

static const struct truth mixed_truths[] = {
    TRUTH_FRAMED(1, 1, CODE_MIX_INSTRUCTIONS, CODE_MIX_LOADS, CODE_MIX_STORES),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS + 1, FRAME_LOOP_INSTRUCTIONS + CODE_MIX_INSTRUCTIONS,
                 FRAME_BRANCHES, 1),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_mixed = {
    .name = "mixed",
    .summary = "N times a row of moves, arithmetic, comparisons, loads and stores",
    .stresses = "completed instructions of many kinds",
    SPECIMEN_REPEATS(specimen_mixed_code, trips, 100000000000u),
    .truth = mixed_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

/* ----------------------------------------------------------------------------------------------
 * N bytes moved or filled by one repeated string instruction. It is one instruction however often
 * it repeats, and who counts by stepping or by emulation sees more: which is what these are for.
 * How many loads and stores it is made of differs between CPUs and is not stated. */

#define MOVE_SUMMARY   "N bytes moved by one repeated string instruction (rep movsb)"
#define MOVE_STRESSES  "instructions that repeat themselves and count once"
#define STORE_SUMMARY  "N bytes filled by one repeated string instruction (rep stosb)"
#define STORE_STRESSES MOVE_STRESSES

#ifdef CODE_MOVE_STRING

/* Two or three loads of operands, the string instruction, the return. */
SPECIMEN_ASSEMBLY(specimen_rep_movsb_code,
                  CODE_COUNT CODE_MEMORY CODE_OPERAND_IS_TARGET CODE_MOVE_STRING CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_rep_stosb_code,
                  CODE_COUNT CODE_MEMORY_IS_TARGET CODE_STORE_STRING CODE_RETURN);

#define MAX_BYTES 1000000000u

/* operands[0]: where the bytes go, behind those that are moved. */
static int prepare_move(struct specimen_state *state, struct failure *failure)
{
    int result = scratch_map(state, 2 * (size_t)state->n, failure);
    state->operands[0] = result < 0 ? 0 : (uintptr_t)state->memory + state->n;
    return result;
}

static int prepare_store(struct specimen_state *state, struct failure *failure)
{
    return scratch_map(state, (size_t)state->n, failure);
}

static const struct truth move_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 3, 0),
    TRUTH_STRAIGHT_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth store_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2, 0),
    TRUTH_STRAIGHT_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip no_trips[] = {{0, 0}}; /* there is no conditional branch */

const struct specimen specimen_rep_movsb = {
    .name = "rep-movsb",
    .summary = MOVE_SUMMARY,
    .stresses = MOVE_STRESSES,
    SPECIMEN_CODE_OF(specimen_rep_movsb_code),
    .trips = no_trips,
    .min_n = 1,
    .max_n = MAX_BYTES,
    .truth = move_truths,
    .prepare = prepare_move,
    .restore = scratch_unmap,
};

const struct specimen specimen_rep_stosb = {
    .name = "rep-stosb",
    .summary = STORE_SUMMARY,
    .stresses = STORE_STRESSES,
    SPECIMEN_CODE_OF(specimen_rep_stosb_code),
    .trips = no_trips,
    .min_n = 1,
    .max_n = MAX_BYTES,
    .truth = store_truths,
    .prepare = prepare_store,
    .restore = scratch_unmap,
};

#else

SPECIMEN_ABSENT(rep_movsb, "rep-movsb", MOVE_SUMMARY, MOVE_STRESSES,
                "rep movsb is an instruction of x86, and this CPU has none like it");
SPECIMEN_ABSENT(rep_stosb, "rep-stosb", STORE_SUMMARY, STORE_STRESSES,
                "rep stosb is an instruction of x86, and this CPU has none like it");

#endif
