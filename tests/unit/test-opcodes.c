/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opcodes by name, counted in small loops that were assembled and counted by hand, and their
 * names, which are the same whoever decoded them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "decode/decode.h"

#define PLACE 0x400000u

/* A loop of N iterations and what it executes: "NAME BASE EACH" in the order of the code. */
struct example {
    const char *isa, *call, *code;
    const char *counts[12];
};

static const struct example examples[] = {
    {"x86_64",
     "4889df" /* mov %rbx,%rdi */
     "41ffd4" /* call *%r12 */,
     "4883c001"   /* add $1,%rax */
     "f048ff07"   /* lock incq (%rdi) */
     "6690"       /* xchg %ax,%ax */
     "0f1f440000" /* nopl 0(%rax,%rax,1) */
     "f3a4"       /* rep movsb */
     "4883ef01"   /* sub $1,%rdi */
     "75e9"       /* jne to the beginning */
     "90"         /* nop */
     "4883c001"   /* add $1,%rax */
     "c3",
     {"mov 1 0", "call 1 0", "add 1 1", "lock inc 0 1", "2-byte nop 0 1", "5-byte nop 0 1",
      "rep movsb 0 1", "sub 0 1", "jne 0 1", "nop 1 0", "ret 1 0"}},
    {"aarch64",
     "80023fd6" /* blr x20 */,
     "00040091" /* add x0, x0, #1 */
     "1f2003d5" /* nop */
     "210400f1" /* subs x1, x1, #1 */
     "a1ffff54" /* b.ne to the beginning */
     "c0035fd6",
     {"blr 1 0", "add 0 1", "nop 0 1", "subs 0 1", "b.ne 0 1", "ret 1 0"}},
    {"riscv64",
     "0294" /* c.jalr s0 */,
     "13051500" /* addi a0,a0,1 */
     "13000000" /* addi zero,zero,0 */
     "0100"     /* c.nop */
     "9385f5ff" /* addi a1,a1,-1 */
     "e39905fe" /* bne a1,zero to the beginning */
     "8280",
     {"c.jalr 1 0", "addi 0 2", "nop 0 1", "c.nop 0 1", "bne 0 1", "c.jr 1 0"}},
};

static size_t from_hex(const char *digits, uint8_t *bytes)
{
    size_t count = 0;
    for (; *digits; digits += 2)
        bytes[count++] = (uint8_t)strtoul((const char[]){digits[0], digits[1], 0}, NULL, 16);
    return count;
}

/* 0, or why this decoder has nothing to say here. */
static int count_example(const struct decoder *decoder, const struct example *example,
                         struct opcodes *opcodes, struct failure *failure)
{
    static const struct linear trip = {-1, 1};
    uint8_t code[64], call[16];
    struct specimen_code specimen = {
        .code = {example->isa, PLACE, code, from_hex(example->code, code)},
        .call = {example->isa, PLACE + 0x1000, call, from_hex(example->call, call)},
        .trips = {&trip, 1, 1}};
    return decoder ? opcodes_count_with(decoder, &specimen, opcodes, failure)
                   : opcodes_count(&specimen, opcodes, NULL, failure);
}

static void expect_counts(const struct example *example, const char *who,
                          const struct opcodes *opcodes)
{
    size_t i = 0;
    for (; i < opcodes->count && example->counts[i]; i++) {
        char line[80];
        const struct opcode *opcode = &opcodes->list[i];
        snprintf(line, sizeof(line), "%s %lld %lld", opcode->name, (long long)opcode->count.base,
                 (long long)opcode->count.each);
        if (strcmp(line, example->counts[i]) != 0)
            fail_msg("%s on %s: %s instead of %s", who, example->isa, line, example->counts[i]);
    }
    assert_int_equal(i, opcodes->count);
    assert_null(example->counts[i]);
}

/* Does anybody who is asked decode this ISA here at all? */
static bool is_decoded(const struct decoder *decoder, const char *isa)
{
    static const uint8_t zeros[8];
    struct code_bytes code = {isa, PLACE, zeros, sizeof(zeros)};
    bool can = false;
    for (size_t i = 0; decoders[i]; i++) {
        struct instructions decoded;
        if (decoder && decoders[i] != decoder)
            continue;
        can |= decode(decoders[i], &code, &decoded, NULL) == 0;
        instructions_release(&decoded);
    }
    return can;
}

/* Compares all examples by a decoder, NULL: by any; the number of those that it could do. */
static size_t compare_all(const struct decoder *decoder)
{
    size_t told = 0;
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
        struct opcodes opcodes;
        struct failure failure = {0};
        if (!is_decoded(decoder, examples[i].isa))
            continue;
        if (count_example(decoder, &examples[i], &opcodes, &failure) < 0)
            fail_msg("%s: %s", examples[i].isa, failure.text);
        expect_counts(&examples[i], decoder ? decoder->name : "any", &opcodes);
        opcodes_release(&opcodes);
        told++;
    }
    return told;
}

TEST(capstone_counts_as_by_hand)
{
    if (!compare_all(&decoder_capstone))
        skip_because("assay was built without Capstone");
}

TEST(objdump_counts_as_by_hand)
{
    if (!compare_all(&decoder_objdump))
        skip_because("no objdump here decodes any of these ISAs");
}

TEST(the_first_decoder_that_can_is_taken)
{
    if (!compare_all(NULL))
        skip_because("there is no decoder here");
    struct opcodes opcodes;
    struct failure failure = {0};
    const struct example unheard = {"pdp11", "", "00", {0}};
    assert_int_equal(count_example(NULL, &unheard, &opcodes, &failure), -ENOTSUP);
    assert_int_equal(opcodes.count, 0);
    assert_non_null(strstr(failure.text, "pdp11"));
}

/* --- names --- */

static const struct {
    const char *bytes, *name;
} names[] =
    TABLE({"90", "nop"}, {"660f1f440000", "6-byte nop"}, {"662e0f1f840000000000", "10-byte nop"},
          {"f04801 07", "lock add"}, {"f0480fc107", "lock xadd"}, {"f3a4", "rep movsb"},
          {"f348ab", "rep stosq"}, {"f3ab", "rep stosd"}, {"f2ae", "repne scasb"}, {"a5", "movsd"},
          {"480fb607", "movzx"}, {"4863c0", "movsxd"}, {"4898", "cdqe"}, {"4899", "cqo"},
          {"480f44c1", "cmove"}, {"0f9407", "sete"}, {"0f8400000000", "je"}, {"e800000000", "call"},
          {"c3", "ret"}, {"50", "push"}, {"9c", "pushfq"}, {"0f05", "syscall"}, {"48d1e0", "shl"},
          {"480fafc1", "imul"}, {"48f7e1", "mul"}, {"48ffc8", "dec"}, {"d92f", "fldcw"},
          {"d907", "fld"}, {"db2f", "fld"}, {"dc07", "fadd"}, {"dec1", "faddp"}, {"df2f", "fild"},
          {"d9fa", "fsqrt"}, {"66480f6ec0", "movq"}, {"488b07", "mov"}, {"f20f1007", "movsd"},
          {"c4e2f1b9c2", "vfmadd231sd"});

TEST(names_are_those_of_the_manuals_whoever_decodes)
{
    size_t compared = 0;
    for (size_t i = 0; decoders[i]; i++)
        for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++) {
            char digits[40] = "", name[OPCODE_SIZE];
            for (const char *at = names[j].bytes; *at; at++)
                if (*at != ' ')
                    strncat(digits, at, 1);
            uint8_t bytes[16];
            struct code_bytes code = {"x86_64", PLACE, bytes, from_hex(digits, bytes)};
            struct instructions decoded;
            if (decode(decoders[i], &code, &decoded, NULL) < 0)
                break;
            assert_int_equal(decoded.count, 1);
            opcode_name("x86_64", &decoded.list[0], name);
            if (strcmp(name, names[j].name) != 0)
                fail_msg("%s calls %s '%s' instead of '%s'", decoders[i]->name,
                         decoded.list[0].text, name, names[j].name);
            instructions_release(&decoded);
            compared++;
        }
    if (!compared)
        skip_because("there is no decoder here");
}

TEST(odd_words_stay_within_the_name)
{
    static const char *const odd[] =
        TABLE("", " ", "lock", "lock ", "lock lock lock lock lock lock",
              "rep repz repnz lock bnd cs", "a-word-of-thirty-one-letters-xx");
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        struct instruction instruction = {.known = true, .length = 200};
        char name[OPCODE_SIZE];
        snprintf(instruction.opcode, sizeof(instruction.opcode), "%s", odd[i]);
        opcode_name("x86_64", &instruction, name);
        assert_true(strlen(name) < OPCODE_SIZE);
    }
}
