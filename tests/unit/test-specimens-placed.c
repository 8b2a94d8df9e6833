/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop that is placed: its bytes are those of the loop in windows and the same at every offset,
 * its body begins where it was asked for, and offsets where no code can lie are refused. */
#include <string.h>

#include "called.h"
#include "case.h"

extern const char specimen_loop_text[], specimen_loop_text_end[];

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static const struct specimen *placed(void)
{
    const struct specimen *specimen = specimen_find("placed");
    assert_non_null(specimen);
    return specimen;
}

static void prepare(struct specimen_state *state, uint64_t n, uint64_t offset)
{
    struct failure failure = {0};
    *state = (struct specimen_state){.n = n, .parameters.offset = offset};
    if (specimen_prepare(placed(), state, &failure) < 0)
        fail_msg("%s", failure.text);
    assert_non_null(state->copy);
}

static size_t text_bytes(void)
{
    return (size_t)(placed()->text_end - placed()->text_begin);
}

/* Offsets with one of each kind of neighbourhood, and all that the end of a page cuts through. */
static uint64_t offset_at(unsigned index)
{
    static const uint64_t first[] = {0, 4, 28, 32, 60, 64, 2048};
    if (index < COUNT(first))
        return first[index];
    return page_bytes() - WINDOW_CODE_ALIGNMENT * (index - COUNT(first) + 1);
}
#define OFFSETS (7 + 24 / WINDOW_CODE_ALIGNMENT)

TEST(the_loop_is_that_of_windows)
{
    size_t loop = (size_t)(specimen_loop_text_end - specimen_loop_text);
    struct specimen_state state;
    prepare(&state, 1, 64);
    const char *body = state.memory;
    /* Everything of the window's loop but its first instruction, which clears the sum, is body. */
    size_t clearing = 0;
    while (clearing < loop && memcmp(body, specimen_loop_text + clearing, loop - clearing) != 0)
        clearing++;
    assert_in_range(clearing, 2, 5);
    assert_memory_equal(body - clearing, specimen_loop_text, loop);
    placed()->restore(&state);
}

TEST(the_body_begins_at_the_offset)
{
    for (unsigned index = 0; index < OFFSETS; index++) {
        struct specimen_state state;
        prepare(&state, 1, offset_at(index));
        assert_int_equal((uintptr_t)state.memory % page_bytes(), offset_at(index));
        placed()->restore(&state);
        assert_null(state.copy);
        assert_null(state.own);
    }
}

TEST(bytes_and_pages_are_the_same_at_every_offset)
{
    uintptr_t first = 0;
    for (unsigned index = 0; index < OFFSETS; index++) {
        struct specimen_state state;
        prepare(&state, 1, offset_at(index));
        assert_memory_equal((const void *)state.copy, placed()->text_begin, text_bytes());
        if (index == 0)
            first = (uintptr_t)state.own;
        assert_int_equal((uintptr_t)state.own, first);
        placed()->restore(&state);
    }
}

/* Zero, plus the code that was copied, and nothing else. */
TEST(nothing_else_lies_in_its_pages)
{
    struct specimen_state state;
    prepare(&state, 1, page_bytes() / 2);
    const char *bytes = state.own;
    const char *code = (const char *)(const void *)state.copy;
    assert_int_equal(state.bytes, 3 * page_bytes());
    for (size_t index = 0; index < state.bytes; index++)
        if (bytes + index < code || bytes + index >= code + text_bytes())
            assert_int_equal(bytes[index], 0);
    placed()->restore(&state);
}

TEST(every_offset_executes_what_it_states)
{
    static const uint64_t counts[] = {1, 2, 30};
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (unsigned index = 0; index < OFFSETS * COUNT(counts); index++) {
        uint64_t n = counts[index % COUNT(counts)];
        struct specimen_state state;
        prepare(&state, n, offset_at(index / COUNT(counts)));
        assert_int_equal(called_instructions(&state, specimen_entry(placed(), &state)),
                         called_truth(placed(), "instructions", n));
        placed()->restore(&state);
    }
}

static void check_refusal(uint64_t offset, const char *words)
{
    struct specimen_state state = {.n = 1, .parameters.offset = offset};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(placed(), &state, &failure), -EINVAL);
    if (!strstr(failure.text, words))
        fail_msg("offset=%llu: %s", (unsigned long long)offset, failure.text);
    assert_null(state.own);
    assert_null(state.copy);
}

TEST(offsets_where_no_code_can_lie_are_refused)
{
    check_refusal(page_bytes(), "beyond the page");
    check_refusal(page_bytes() + WINDOW_CODE_ALIGNMENT, "beyond the page");
    check_refusal(UINT64_MAX, "beyond the page");
    for (uint64_t offset = 1; offset < WINDOW_CODE_ALIGNMENT; offset++)
        check_refusal(64 + offset, "a multiple of");
}

TEST(offsets_are_written_as_numbers)
{
    static const char *const wrong[] = {
        "placed/offset=/",     "placed/offset/",    "placed/offset=-4/",
        "placed/offset=0x40/", "placed/offset=4 /", "placed/offset=18446744073709551616/",
        "placed/offset=64",    "placed/period=1/",  "placed/offset=64,line=64/",
        "placed/Offset=64/"};
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    assert_int_equal(specimen_parse("placed/offset=2k/", &specimen, &parameters, &failure), 0);
    assert_ptr_equal(specimen, placed());
    assert_int_equal(parameters.offset, 2048);
    for (size_t index = 0; index < COUNT(wrong); index++)
        if (specimen_parse(wrong[index], &specimen, &parameters, &failure) != -EINVAL)
            fail_msg("%s is taken", wrong[index]);
}
