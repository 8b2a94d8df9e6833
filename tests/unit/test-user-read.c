/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a mapped page says and how it is understood, on made-up pages. No page here names a counter:
 * the instruction itself is tested where there is a PMU (tests/guest/user-counters.c). */
#include "case.h"
#include "lib/user-read.h"

static struct perf_event_mmap_page made_up(void)
{
    struct perf_event_mmap_page page = {
        .lock = 2, .offset = 1234, .time_enabled = 900, .time_running = 600, .pmc_width = 48};
    page.cap_bit0_is_deprecated = 1;
    page.cap_user_rdpmc = 1;
    page.cap_user_time = 1;
    page.time_mult = 1u << 20;
    page.time_shift = 10;
    return page;
}

TEST(a_page_without_a_counter_gives_its_offset_and_says_so)
{
    struct perf_event_mmap_page page = made_up();
    struct user_reading reading = {.scheduled = true};
    uint64_t count = 0;
    assert_true(user_read_count(&page, &count));
    assert_int_equal(count, 1234);
    assert_true(user_read(&page, &reading));
    assert_int_equal(reading.count, 1234);
    assert_false(reading.scheduled);
}

TEST(a_page_that_does_not_allow_it_is_not_read)
{
    struct perf_event_mmap_page page = made_up();
    struct user_reading reading = {.count = 77};
    page.cap_user_rdpmc = 0;
    assert_false(user_read(&page, &reading));
    page = made_up();
    page.cap_bit0_is_deprecated = 0; /* an operating system whose capabilities meant other things */
    assert_false(user_read(&page, &reading));
    assert_int_equal(reading.count, 77);
}

/* The order of the bits is the operating system's, not the compiler's. */
TEST(capabilities_are_the_bits_the_operating_system_sets)
{
    struct perf_event_mmap_page page = {0};
    page.capabilities = 1u << 1 | 1u << 2;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    assert_true(user_page_readable(&page));
    page.capabilities = 1u << 0 | 1u << 2;
    assert_false(user_page_readable(&page));
    page.capabilities = 1u << 3;
    assert_true(page.cap_user_time);
    page.capabilities = 1u << 5;
    assert_true(page.cap_user_time_short);
#endif
}

TEST(a_narrow_counter_is_a_signed_number)
{
    static const struct {
        uint64_t raw;
        unsigned width;
        int64_t expected;
    } cases[] = {{0x7fffffff, 32, 0x7fffffff},
                 {0x80000000, 32, -0x80000000ll},
                 {0xffffffff, 32, -1},
                 {0xdeadbeef00000005, 32, 5}, /* bits above the width are not the counter's */
                 {0xffff00000001, 48, -0xffffffffll},
                 {0x7fffffffffff, 48, 0x7fffffffffff},
                 {0xffffffffffff, 48, -1},
                 {UINT64_MAX, 64, -1},
                 {INT64_MAX, 64, INT64_MAX},
                 {1, 1, -1},
                 {0x123456789abcdef0, 0, 0x123456789abcdef0}, /* no width: the whole register */
                 {0x123456789abcdef0, 65, 0x123456789abcdef0},
                 {0x123456789abcdef0, 65535, 0x123456789abcdef0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if ((int64_t)user_extend(cases[i].raw, cases[i].width) != cases[i].expected)
            fail_msg("case %zu: width %u", i, cases[i].width);
}

/* A counter that passed its end goes on from there: offset and counter are added modulo 2^64. */
TEST(the_count_goes_on_where_a_narrow_counter_wraps)
{
    /* Programmed to overflow soon: 2^32 - 10, and the page's offset makes up for it. */
    uint64_t offset = 1000 + 10;
    assert_int_equal(offset + user_extend(0xfffffff6, 32), 1000);
    assert_int_equal(offset + user_extend(0xffffffff, 32), 1009);
    assert_int_equal(offset + user_extend(0x0, 32), 1010);
    assert_int_equal(offset + user_extend(0x5, 32), 1015);
}

TEST(elapsed_time_follows_the_page_s_clock)
{
    struct user_clock clock = {.ticks = 3072, .multiplier = 1000, .shift = 10, .offset = 5};
    assert_int_equal(user_elapsed(&clock), 5 + 3000);
    clock.ticks = 3072 + 512; /* the rest counts too */
    assert_int_equal(user_elapsed(&clock), 5 + 3500);
    clock.offset = (uint64_t)-3000; /* what the operating system really puts there */
    assert_int_equal(user_elapsed(&clock), 500);
    /* 2^62 ticks: their product with the multiplier would need 94 bits. */
    clock = (struct user_clock){.ticks = UINT64_C(1) << 62, .multiplier = 1u << 31, .shift = 31};
    assert_int_equal(user_elapsed(&clock), UINT64_C(1) << 62);
}

TEST(a_narrow_clock_is_extended_from_the_page_s_last_tick)
{
    struct user_clock clock = {.multiplier = 1,
                               .narrow = true,
                               .mask = 0xffffff,
                               .cycles = 0x12fffff0,
                               .ticks = 0x10}; /* wrapped since */
    assert_int_equal(user_elapsed(&clock), 0x13000010);
    clock.narrow = false;
    assert_int_equal(user_elapsed(&clock), 0x10);
}

TEST(an_absurd_shift_is_survived)
{
    struct user_clock clock = {.ticks = 100, .multiplier = 3, .shift = 64};
    assert_int_equal(user_elapsed(&clock), 300);
    clock.shift = 65535;
    user_elapsed(&clock);
}

TEST(an_index_no_instruction_names_is_refused)
{
    struct perf_event_mmap_page page = made_up();
    struct user_reading reading = {0};
    uint64_t count = 77;
    page.index = 33;
    assert_false(user_counter_named(0));
    if (user_counter_named(page.index)) {
        print_message("# this ISA's instruction takes any number\n");
        return;
    }
    assert_false(user_read_count(&page, &count));
    assert_int_equal(count, 77);
    assert_false(user_read(&page, &reading));
    page.index = UINT32_MAX;
    assert_false(user_read_count(&page, &count));
    assert_false(user_read(&page, &reading));
}

#if defined(__x86_64__)
/* The index Linux gives events such as topdown-retiring; fixed counters have the bit above it. */
TEST(fractions_of_topdown_are_not_taken_for_a_count)
{
    struct perf_event_mmap_page page = made_up();
    struct user_reading reading = {0};
    page.index = (UINT32_C(1) << 29) + 1;
    assert_false(user_counter_named(page.index));
    assert_false(user_read(&page, &reading));
    for (uint32_t fixed = 0; fixed < 4; fixed++)
        assert_true(user_counter_named((UINT32_C(1) << 30 | fixed) + 1));
}
#endif
