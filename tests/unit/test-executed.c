/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From stretches of executed code to sums by function, opcode and class: on code assembled by hand,
 * on 32-bit code beside 64-bit code, on bytes that are none, on hostile counts, and on many. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "decode/decode.h"
#include "engine/executed.h"

/* --- a store that remembers --- */

static struct {
    char kind[16], object[64], name[64];
    uint64_t count, repetitions;
} stored[4096];
static size_t stored_count;

int store_put_executed(struct store *store, const struct stored_executed *executed,
                       struct failure *failure)
{
    (void)store, (void)failure;
    assert_true(stored_count < sizeof(stored) / sizeof(*stored));
    assert_int_equal(executed->cell, 3);
    assert_int_equal(executed->process, 2);
    snprintf(stored[stored_count].kind, 16, "%s", executed->kind);
    snprintf(stored[stored_count].object, 64, "%s", executed->object);
    snprintf(stored[stored_count].name, 64, "%s", executed->name);
    stored[stored_count].count = executed->count;
    stored[stored_count++].repetitions = executed->repetitions;
    return 0;
}

/* UINT64_MAX: there is none. */
static uint64_t count_of(const char *kind, const char *name)
{
    for (size_t i = 0; i < stored_count; i++)
        if (strcmp(stored[i].kind, kind) == 0 && strcmp(stored[i].name, name) == 0)
            return stored[i].count;
    return UINT64_MAX;
}

/* Instructions that may be of the class beside those that are. */
static uint64_t unsure_of(const char *class)
{
    for (size_t i = 0; i < stored_count; i++)
        if (strcmp(stored[i].kind, "class") == 0 && strcmp(stored[i].name, class) == 0)
            return stored[i].repetitions;
    return UINT64_MAX;
}

/* --- planting --- */

static size_t bytes_of(const char *digits, uint8_t *bytes)
{
    size_t length = strlen(digits) / 2;
    for (size_t i = 0; i < length; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return length;
}

struct planted {
    const char *object, *function, *code;
    uint64_t address;
    uint32_t instructions;
    uint64_t executions, repetitions;
};

static int plant(struct executed *executed, const struct planted *planted)
{
    uint8_t bytes[64];
    struct failure failure = {0};
    const struct sent_ran ran = {.cell = 3,
                                 .process = 2,
                                 .object = planted->object,
                                 .function = planted->function,
                                 .address = planted->address,
                                 .bytes = bytes,
                                 .length = bytes_of(planted->code, bytes),
                                 .instructions = planted->instructions,
                                 .executions = planted->executions,
                                 .repetitions = planted->repetitions};
    return executed_add(executed, &ran, &failure);
}

static void store_all(struct executed *executed)
{
    struct failure failure = {0};
    stored_count = 0;
    if (executed_store(executed, NULL, true, true, &failure) != 0)
        fail_msg("%s", failure.text);
}

static bool has_capstone(void)
{
    struct instructions none = {0};
    struct failure failure = {0};
    const struct code_bytes nop = {.isa = "x86_64", .bytes = "\x90", .length = 1};
    const bool has = decode(&decoder_capstone, &nop, &none, &failure) == 0;
    instructions_release(&none);
    return has;
}
#define NEED_CAPSTONE()                                                                            \
    do {                                                                                           \
        if (!has_capstone())                                                                       \
            skip_because("assay was built without Capstone");                                      \
    } while (0)

/* A loop of 10: add, load, and back; then a system call. */
static const struct planted loop[] = {
    {"/bin/p", "start", "48c7c10a000000", 0x401000, 1, 1, 0}, /* mov $10,%rcx */
    {"/bin/p", "start", "4883c001488b0748ffc975f4", 0x401007, 4, 10, 0},
    {"/bin/p", "end", "0f05", 0x401020, 1, 1, 0},
};

/* Plants all of these and stores them. */
static struct executed *planted_all(const char *isa, const struct planted *list, size_t count)
{
    struct executed *executed;
    assert_int_equal(executed_new(&executed, isa), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(plant(executed, &list[i]), 0);
    store_all(executed);
    return executed;
}
#define PLANTED_ALL(isa, list) planted_all(isa, list, sizeof(list) / sizeof(*(list)))

struct expected {
    const char *kind, *name;
    uint64_t count; /* UINT64_MAX: there is none */
};

/* All of them, and that so many instructions were unknown; ends it. */
static void expect_counts(struct executed *executed, const struct expected *expected,
                          uint64_t unknown)
{
    for (; expected->kind; expected++)
        if (count_of(expected->kind, expected->name) != expected->count)
            fail_msg("%s %s: %llu", expected->kind, expected->name,
                     (unsigned long long)count_of(expected->kind, expected->name));
    assert_int_equal(executed_unknown(executed), unknown);
    executed_free(executed);
}
#define EXPECT_COUNTS(executed, unknown, ...)                                                      \
    expect_counts(executed, (const struct expected[]){__VA_ARGS__, {NULL, NULL, 0}}, unknown)

TEST(sums_are_by_function_opcode_and_class)
{
    NEED_CAPSTONE();
    struct executed *executed = PLANTED_ALL("x86_64", loop);
    /* The most executed first. */
    assert_string_equal(stored[0].name, "start");
    assert_string_equal(stored[0].object, "/bin/p");
    EXPECT_COUNTS(executed, 0, {"function", "start", 41}, {"function", "end", 1},
                  {"opcode", "add", 10}, {"opcode", "mov", 11}, {"opcode", "jne", 10},
                  {"opcode", "syscall", 1}, {"class", "instructions", 42}, {"class", "loads", 10},
                  {"class", "cond-branches", 10}, {"class", "syscalls", 1},
                  {"class", "cond-branches-taken", UINT64_MAX},
                  {"class", EXECUTED_UNKNOWN, UINT64_MAX});
}

TEST(a_visit_begins_anew)
{
    NEED_CAPSTONE();
    struct executed *executed = planted_all("x86_64", &loop[0], 1);
    assert_int_equal(plant(executed, &loop[2]), 0);
    store_all(executed);
    EXPECT_COUNTS(executed, 0, {"class", "instructions", 1}, {"function", "start", UINT64_MAX});
}

TEST(a_string_instruction_counts_once_and_tells_its_repetitions)
{
    static const struct planted copy[] = {{"/bin/p", "copy", "f3a4", 0x401000, 1, 3, 997}};
    NEED_CAPSTONE();
    struct executed *executed = PLANTED_ALL("x86_64", copy);
    for (size_t i = 0; i < stored_count; i++)
        if (strcmp(stored[i].kind, "class") != 0)
            assert_int_equal(stored[i].repetitions, 997);
    EXPECT_COUNTS(executed, 0, {"opcode", "rep movsb", 3}, {"class", "loads", 3});
}

/* Where there is no decoder at all, functions are summed all the same. */
TEST(functions_need_no_decoder)
{
    struct executed *executed;
    struct failure failure = {0};
    assert_int_equal(executed_new(&executed, "no-such-isa"), 0);
    assert_int_equal(plant(executed, &loop[1]), 0);
    stored_count = 0;
    assert_int_equal(executed_store(executed, NULL, false, false, &failure), 0);
    assert_int_equal(stored_count, 1);
    assert_int_equal(executed_unknown(executed), 0);
    assert_int_equal(plant(executed, &loop[1]), 0);
    store_all(executed);
    EXPECT_COUNTS(executed, 40, {"function", "start", 40}, {"opcode", EXECUTED_UNKNOWN, 40},
                  {"class", "instructions", 40});
}

/* 41: inc %ecx in 32-bit code, a prefix in 64-bit code. */
TEST(code_of_32_bits_is_told_by_its_file)
{
    static const struct planted mixed[] = {
        {"/bin/slim", "f", "4149", 0x8049000, 2, 5, 0},
        {"/bin/slim", "f", "cd80", 0x8049010, 1, 5, 0},
        {"/bin/wide", "f", "4883c001", 0x401000, 1, 7, 0},
        {"/lib/high", "f", "4883c001", 0x7f0000001000, 1, 11, 0},
    };
    NEED_CAPSTONE();
    EXPECT_COUNTS(PLANTED_ALL("x86_64", mixed), 0, {"opcode", "inc", 5}, {"opcode", "dec", 5},
                  {"opcode", "add", 18}, {"class", "syscalls", 5});
}

TEST(what_no_decoder_knows_is_counted_and_the_rest_is_not_lost)
{
    static const struct planted odd[] = {
        {"", "", "4883c00106", 0x7f0000001000, 2, 10, 0}, /* add, then no instruction */
        {"", "", "4883c001", 0x7f0000002000, 1, 100, 0},  /* add */
        {"", "", "4883c0", 0x7f0000003000, 1, 1000, 0},   /* cut short */
        {"", "", "9090", 0x7f0000004000, 1, 10000, 0},    /* two where one was executed */
        {"", "", "4883c001", 0x7f0000005000, 1, 5, 0},
    };
    NEED_CAPSTONE();
    EXPECT_COUNTS(PLANTED_ALL("x86_64", odd), 11010, {"class", "instructions", 11125},
                  {"opcode", "add", 115}, {"opcode", EXECUTED_UNKNOWN, 11010},
                  {"class", EXECUTED_UNKNOWN, 11010});
}

/* cmp, adding lanes beside each other, which is more than one class of operations can say, jne. */
TEST(of_an_instruction_that_is_known_in_part_classes_of_the_rest_are_limits)
{
    static const struct planted code[] = {{"", "", "483b07f20f7c0775f7", 0x7f0000001000, 3, 10, 0}};
    NEED_CAPSTONE();
    struct executed *executed = PLANTED_ALL("x86_64", code);
    assert_int_equal(unsure_of("loads"), 0);
    assert_int_equal(unsure_of("cond-branches"), 0);
    assert_int_equal(unsure_of("fp-adds"), 10);
    assert_int_equal(unsure_of("instructions"), 0);
    EXPECT_COUNTS(executed, 0, {"class", "loads", 20}, {"class", "cond-branches", 10},
                  {"class", "fp-adds", 0}, {"opcode", "haddps", 10}, {"opcode", "jne", 10});
}

/* add, a word that is no instruction, ldr: where all have a length the rest is known. */
TEST(behind_an_unknown_instruction_of_known_length_decoding_goes_on)
{
    static const struct planted code[] = {
        {"", "", "00040091ffffffff010040f9", 0x7f0000001000, 3, 10, 0}};
    NEED_CAPSTONE();
    struct executed *executed = PLANTED_ALL("aarch64", code);
    assert_int_equal(unsure_of("loads"), 10);
    assert_int_equal(unsure_of("branches"), 10);
    assert_int_equal(unsure_of("fp-instructions"), 10);
    EXPECT_COUNTS(executed, 10, {"class", "loads", 10}, {"opcode", "add", 10},
                  {"opcode", "ldr", 10}, {"opcode", EXECUTED_UNKNOWN, 10});
}

/* mov, then a byte that begins no instruction, and jne: known up to there, and again behind. */
TEST(where_not_even_the_length_is_known_the_rest_of_a_stretch_is_unknown)
{
    static const struct planted code[] = {{"", "", "488b070675f9", 0x7f0000001000, 3, 10, 0},
                                          {"", "", "75f9", 0x7f0000001006, 1, 7, 0}};
    NEED_CAPSTONE();
    struct executed *executed = PLANTED_ALL("x86_64", code);
    assert_int_equal(unsure_of("cond-branches"), 20);
    EXPECT_COUNTS(executed, 20, {"class", "loads", 10}, {"class", "cond-branches", 7},
                  {"opcode", "mov", 10}, {"opcode", "jne", 7});
}

/* Instructions of all groups: so many times each reads memory, writes it, and what transfers. */
TEST(memory_and_transfers_of_every_group_are_known)
{
    static const struct {
        const char *name, *code;
        unsigned loads, stores, conditional, returns;
    } list[] = {
        {"maskmovq", "0ff7c1", 0, 1, 0, 0},
        {"movntq", "0fe70b", 0, 1, 0, 0},
        {"maskmovdqu", "660ff7e3", 0, 1, 0, 0},
        {"pextrb", "660f3a143301", 0, 1, 0, 0},
        {"extractps", "660f3a173301", 0, 1, 0, 0},
        {"pinsrb", "660f3a203301", 1, 0, 0, 0},
        {"pcmpistri", "660f3a633300", 1, 0, 0, 0},
        {"aesenc", "660f38dc3b", 1, 0, 0, 0},
        {"sha1msg1", "0f38c93b", 1, 0, 0, 0},
        {"vmaskmovps load", "c4623d2c1b", 1, 0, 0, 0},
        {"vmaskmovps store", "c462352e03", 0, 1, 0, 0},
        {"vcvtps2ph", "c4637d1d0300", 0, 1, 0, 0},
        {"vstmxcsr", "c5f8ae1b", 0, 1, 0, 0},
        {"vpgatherdd", "c422119034a3", 1, 0, 0, 0},
        {"fbld", "df23", 1, 0, 0, 0},
        {"fbstp", "df33", 0, 1, 0, 0},
        {"fisttpl", "db0b", 0, 1, 0, 0},
        {"fyl2x", "d9f1", 0, 0, 0, 0},
        {"fnstenv", "d933", 0, 1, 0, 0},
        {"fldenv", "d923", 1, 0, 0, 0},
        {"fnsave", "dd33", 0, 1, 0, 0},
        {"frstor", "dd23", 1, 0, 0, 0},
        {"fxsave", "0fae03", 0, 1, 0, 0},
        {"fxrstor", "0fae0b", 1, 0, 0, 0},
        {"mulx", "c4e2fbf60b", 1, 0, 0, 0},
        {"cmpsl", "a7", 1, 0, 0, 0},
        {"scasw", "66af", 1, 0, 0, 0},
        {"xlat", "d7", 1, 0, 0, 0},
        {"enter", "c8100000", 0, 1, 0, 0},
        {"testq", "48f70301000000", 1, 0, 0, 0},
        {"rclq", "48d113", 1, 1, 0, 0},
        {"cmpxchg16b", "f0480fc70b", 1, 1, 0, 0},
        {"setc", "0f9203", 0, 1, 0, 0},
        {"nopl", "0f1f03", 0, 0, 0, 0},
        {"prefetcht0", "0f180b", 0, 0, 0, 0},
        {"jrcxz", "e300", 0, 0, 1, 0},
        {"loop", "e2fe", 0, 0, 1, 0},
        {"lretq", "48cb", 1, 0, 0, 1},
        {"iretq", "48cf", 1, 0, 0, 1},
    };
    NEED_CAPSTONE();
    for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
        const struct planted one = {"", "", list[i].code, 0x7f0000001000, 1, 1, 0};
        struct executed *executed = planted_all("x86_64", &one, 1);
        if (count_of("class", "loads") != list[i].loads || unsure_of("loads") ||
            count_of("class", "stores") != list[i].stores || unsure_of("stores"))
            fail_msg("%s: %llu + %llu loads, %llu + %llu stores", list[i].name,
                     (unsigned long long)count_of("class", "loads"),
                     (unsigned long long)unsure_of("loads"),
                     (unsigned long long)count_of("class", "stores"),
                     (unsigned long long)unsure_of("stores"));
        if (count_of("class", "cond-branches") != list[i].conditional ||
            count_of("class", "returns") != list[i].returns || unsure_of("branches"))
            fail_msg("%s: %llu conditional branches, %llu returns, %llu unsure", list[i].name,
                     (unsigned long long)count_of("class", "cond-branches"),
                     (unsigned long long)count_of("class", "returns"),
                     (unsigned long long)unsure_of("branches"));
        executed_free(executed);
    }
}

TEST(sums_that_leave_64_bits_are_refused)
{
    static const struct planted huge = {"", "", "90", 0x401000, 1, UINT64_MAX, 0};
    static const struct planted more = {"", "", "9090", 0x402000, 2, UINT64_MAX / 2 + 1, 0};
    struct executed *executed;
    struct failure failure = {0};
    assert_int_equal(executed_new(&executed, "x86_64"), 0);
    assert_int_equal(plant(executed, &more), -ERANGE);
    assert_int_equal(plant(executed, &huge), 0);
    assert_int_equal(plant(executed, &huge), -ERANGE);
    executed_free(executed);
    NEED_CAPSTONE();
    assert_int_equal(executed_new(&executed, "x86_64"), 0);
    assert_int_equal(plant(executed, &huge), 0);
    assert_int_equal(executed_store(executed, NULL, true, true, &failure), -ERANGE);
    executed_free(executed);
}

/* add, mov, ldr; a block of zeros. */
TEST(aarch64_is_decoded_on_any_machine)
{
    static const struct planted code[] = {
        {"/bin/p", "zero", "23740bd5", 0x400100, 1, 5, 0},
        {"/bin/p", "f", "00040091e00301aa010040f9", 0x400000, 3, 9, 0}};
    NEED_CAPSTONE();
    EXPECT_COUNTS(PLANTED_ALL("aarch64", code), 0, {"class", "instructions", 32},
                  {"class", "loads", 9}, {"class", "stores", 5});
}

/* A hundred thousand, as a large program has them: each is there in the end. */
TEST(many_stretches_add_up)
{
    struct executed *executed;
    char name[32];
    NEED_CAPSTONE();
    assert_int_equal(executed_new(&executed, "x86_64"), 0);
    for (uint64_t i = 0; i < 100000; i++) {
        snprintf(name, sizeof(name), "f%u", (unsigned)(i % 1000));
        const struct planted one = {
            "/bin/p", name, "4883c001488b0748ffc975f4", 0x7f0000000000 + 16 * i, 4, 1 + i % 3, 0};
        assert_int_equal(plant(executed, &one), 0);
    }
    store_all(executed);
    EXPECT_COUNTS(executed, 0, {"class", "instructions", 4 * (33334 + 2 * 33333 + 3 * 33333)},
                  {"opcode", "jne", 33334 + 2 * 33333 + 3 * 33333});
}

/* Each leaves a piece of itself to the next decoder. */
TEST(pieces_of_many_stretches_add_up)
{
    struct executed *executed;
    NEED_CAPSTONE();
    assert_int_equal(executed_new(&executed, "x86_64"), 0);
    for (uint64_t i = 0; i < 5000; i++) {
        const struct planted one = {"", "", "483b07f20f7c0775f7", 0x7f0000000000 + 16 * i, 3, 1, 0};
        assert_int_equal(plant(executed, &one), 0);
    }
    store_all(executed);
    assert_int_equal(unsure_of("fp-adds"), 5000);
    assert_int_equal(unsure_of("loads"), 0);
    EXPECT_COUNTS(executed, 0, {"class", "loads", 10000}, {"opcode", "haddps", 5000},
                  {"opcode", "jne", 5000});
}
