/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every lie as what it makes of a span, and the opcodes as bytes. */
#include <string.h>

#include "case.h"
#include "lies.h"

static const struct span hundred = {.count = 100,
                                    .faults = 3,
                                    .calls = 2,
                                    .branches = 9,
                                    .opcodes = {7, 7},
                                    .switches = 4,
                                    .kernel = 50,
                                    .enabled = 1000,
                                    .running = 1000};

/* What one lie makes of a count; a negative errno when it is refused. */
static int64_t told(const char *specification, uint64_t count)
{
    char why[256];
    struct lies lies = {0};
    struct lie_memory memory = {0};
    struct span span = hundred;
    span.count = count;
    int result = lies_add(&lies, specification, why, sizeof(why));
    return result < 0 ? result : (int64_t)lies_tell(&lies, &memory, &span, &span.running);
}

TEST(each_lie_says_what_its_name_says)
{
    static const struct {
        const char *lie;
        uint64_t count;
        int64_t told;
    } cases[] = {
        {"offset=5", 100, 105},
        {"offset=5", 0, 0},
        {"offset=5:everywhere", 0, 5},
        {"offset=5:above=100", 100, 100},
        {"offset=5:above=100", 101, 106},
        {"offset=-5", 100, 95},
        {"offset=-500", 100, 0},
        {"factor=1.02", 100, 102},
        {"offset=5:after=0.001", 100, 100},
        {"offset=5:after=0.0009", 100, 105},
        {"unfiltered", 100, 150},
        {"switch=3", 100, 88},
        {"switch=-3", 100, 112},
        {"rare=1:7", 100, 107},
        {"rare=1:-7", 100, 93},
        {"rare=1:7", 0, 0},
        {"rare=0:7", 100, 100},
        {"zeros", 100, 0},
        {"branches", 100, 9},

        {"lost=0", 100, 100},
        {"noise=0", 100, 100},
        {"fault", 100, 103},
        {"fault=2", 100, 106},
        {"leak=300", 100, 700},
        {"wrap=6", 100, 36},
        {"wrap=7", 100, 100},
        {"wrap", UINT64_C(1) << 32, 0},
        {"threshold=101", 100, 0},
        {"threshold=100", 100, 100},
        {"opcode=fldcw:2", 100, 107},
        {"opcode=lock:0", 100, 93},
        {"saturate=64", 100, 64},
        {"saturate=640", 100, 100},
        {"scale", 100, 100},
        {"multiplex=0", 100, 50},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (told(cases[i].lie, cases[i].count) != cases[i].told)
            fail_msg("%s of %d is told as %d", cases[i].lie, (int)cases[i].count,
                     (int)told(cases[i].lie, cases[i].count));
}

TEST(what_is_no_lie_is_refused)
{
    static const char *const wrong[] = {"",
                                        "offset",
                                        "offset=",
                                        "offset=x",
                                        "zeros=1",
                                        "factor=1.02x",
                                        "factor=inf",
                                        "opcode=fldcw",
                                        "opcode=:2",
                                        "opcode=nothing:2",
                                        "wrap:everywhere",
                                        "truth",
                                        "offset=5:after=x",
                                        "offset=5:after=0",
                                        "rare=1",
                                        "rare=1:",
                                        "unfiltered=3",
                                        "switch"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (told(wrong[i], 100) >= 0)
            fail_msg("'%s' is taken for a lie", wrong[i]);
}

TEST(lies_about_time_halve_it)
{
    char why[256];
    static const char *const both[] = {"scale", "multiplex=0.1"};
    for (size_t i = 0; i < 2; i++) {
        struct lies lies = {0};
        struct lie_memory memory = {0};
        uint64_t running = hundred.running;
        assert_int_equal(lies_add(&lies, both[i], why, sizeof(why)), 0);
        lies_tell(&lies, &memory, &hundred, &running);
        assert_int_equal(running, hundred.running / 2);
    }
}

/* Counts as they come, and what is told of them one after the other. */
static void assert_row(const char *specification, const uint64_t *counts, const uint64_t *told_row,
                       size_t length)
{
    char why[256];
    struct lies lies = {0};
    struct lie_memory memory = {0};
    assert_int_equal(lies_add(&lies, specification, why, sizeof(why)), 0);
    for (size_t i = 0; i < length; i++) {
        struct span span = {.count = counts[i]};
        assert_int_equal(lies_tell(&lies, &memory, &span, &span.running), told_row[i]);
    }
}

TEST(some_lies_remember)
{
    static const uint64_t counts[] = {0, 10, 20, 30};
    assert_row("late", counts, (const uint64_t[]){0, 0, 10, 20}, 4);
    assert_row("stuck", counts, (const uint64_t[]){0, 10, 10, 10}, 4);
}

TEST(a_share_is_lost_and_the_seed_decides_which)
{
    char why[256];
    struct lie_memory memory = {0};
    struct lies first = {.state = 7}, again = {.state = 7}, other = {.state = 8};
    struct lies *const all[] = {&first, &again, &other};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(lies_add(all[i], "lost=0.25", why, sizeof(why)), 0);
    size_t lost = 0, differ = 0;
    for (size_t i = 0; i < 1000; i++) {
        uint64_t running = 0, told_first = lies_tell(&first, &memory, &hundred, &running);
        assert_int_equal(told_first, lies_tell(&again, &memory, &hundred, &running));
        differ += told_first != lies_tell(&other, &memory, &hundred, &running);
        lost += told_first < hundred.count;
    }
    assert_in_range(lost, 200, 300);
    assert_true(differ > 100);
}

TEST(several_lies_are_told_in_order)
{
    char why[256];
    struct lies lies = {0};
    struct lie_memory memory = {0};
    uint64_t running = 0;
    assert_int_equal(lies_add(&lies, "factor=2", why, sizeof(why)), 0);
    assert_int_equal(lies_add(&lies, "opcode=nop:2", why, sizeof(why)), 0);
    assert_int_equal(lies_add(&lies, "offset=1", why, sizeof(why)), 0);
    assert_int_equal(lies_tell(&lies, &memory, &hundred, &running), 208);
}

static struct instruction read_bytes(const char *bytes, size_t length)
{
    struct instruction instruction;
    assert_true(instruction_read((const uint8_t *)bytes, length, &instruction));
    return instruction;
}
#define BYTES(literal) read_bytes(literal, sizeof(literal) - 1)

static void assert_opcode(const char *name, struct instruction instruction, bool expected)
{
    assert_int_equal(opcode_find(name)->matches(&instruction), expected);
}

TEST(opcodes_are_found_in_bytes)
{
    assert_opcode("fldcw", BYTES("\xd9\x2f"), true);
    assert_opcode("fldcw", BYTES("\xd9\x6c\x24\x08"), true);
    assert_opcode("fldcw", BYTES("\xd9\x3f"), false); /* fnstcw */
    assert_opcode("fldcw", BYTES("\xd9\xe8"), false); /* fld1 */
    assert_opcode("x87", BYTES("\xd9\xe8"), true);
    assert_opcode("lock", BYTES("\xf0\x48\x01\x07"), true);
    assert_opcode("lock", BYTES("\x48\x01\x07"), false);
    assert_opcode("nop", BYTES("\x66\x0f\x1f\x44\x00\x00"), true);
    assert_opcode("call", BYTES("\xff\xd3"), true);
    assert_opcode("div", BYTES("\x48\xf7\xf1"), true);
    assert_opcode("div", BYTES("\x48\xf7\xe1"), false); /* mul */
    assert_opcode("fence", BYTES("\x0f\xae\xf0"), true);
    assert_opcode("rep", BYTES("\xf3\x48\xab"), true);
    assert_opcode("rep", BYTES("\xf3\xc3"), false); /* a return with a meaningless prefix */
    assert_opcode("syscall", BYTES("\x0f\x05"), true);
    assert_opcode("syscall", BYTES("\xc5\xf8\x05"), false);
}

TEST(branches_are_found_in_bytes)
{
    const struct instruction branches[] = {
        BYTES("\x75\xfe"), BYTES("\x0f\x84\x00\x00\x00\x00"),
        BYTES("\xeb\xfe"), BYTES("\xe8\x00\x00\x00\x00"),
        BYTES("\xc3"),     BYTES("\x41\xff\xd4"),
        BYTES("\xe2\xfe"),
    };
    for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
        assert_true(instruction_is_branch(&branches[i]));
    const struct instruction others[] = {
        BYTES("\x48\xff\xc8"),     /* dec */
        BYTES("\x0f\x05"),         /* syscall */
        BYTES("\xc5\xf5\x74\xc2"), /* vpcmpeqb: the byte of a je behind another prefix */
        BYTES("\x90"),
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(instruction_is_branch(&others[i]));
}

TEST(bytes_that_end_early_are_no_instruction)
{
    struct instruction instruction;
    const uint8_t bytes[] = {0xf0, 0x48, 0x0f};
    for (size_t length = 0; length <= sizeof(bytes); length++)
        assert_false(instruction_read(bytes, length, &instruction));
}
