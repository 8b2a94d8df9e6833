/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the QEMU plugin reads from lines of disassembly. The lines are QEMU 7.2's own. */
#include <string.h>

#include "case.h"
#include "probe/sources/qemu-plugin/traits.h"

static struct traits read_as(const char *isa, const char *text)
{
    struct traits traits;
    assert_true(traits_of(isa, text, &traits));
    return traits;
}

struct transfer_line {
    const char *isa, *text;
    enum transfer transfer;
    bool indirect;
    uint64_t target;
};

TEST(control_transfers_are_told_apart)
{
    static const struct transfer_line lines[] = {
        {"x86_64", "jmp 0x401084", TRANSFER_JUMP, false, 0},
        {"x86_64", "jmpq *%rax", TRANSFER_JUMP, true, 0},
        {"x86_64", "notrack jmpq *%rax", TRANSFER_JUMP, true, 0},
        {"x86_64", "bnd jmp 0x401084", TRANSFER_JUMP, false, 0},
        {"x86_64", "callq 0x4010db", TRANSFER_CALL, false, 0},
        {"x86_64", "callq *0xf69(%rip)", TRANSFER_CALL, true, 0},
        {"x86_64", "retq ", TRANSFER_RETURN, false, 0},
        {"x86_64", "je 0x401086", TRANSFER_CONDITIONAL, false, 0x401086},
        {"x86_64", "jrcxz 0x4010ae", TRANSFER_CONDITIONAL, false, 0x4010ae},
        {"x86_64", "loop 0x4010aa", TRANSFER_CONDITIONAL, false, 0x4010aa},
        {"x86_64", "rep movsb (%rsi), (%rdi)", TRANSFER_NONE, false, 0},
        {"x86_64", "lock addl $1, 0xfa1(%rip)", TRANSFER_NONE, false, 0},
        {"x86_64", "syscall ", TRANSFER_NONE, false, 0},
        {"aarch64", "b #0x400174", TRANSFER_JUMP, false, 0},
        {"aarch64", "br x4", TRANSFER_JUMP, true, 0},
        {"aarch64", "bl #0x4001a4", TRANSFER_CALL, false, 0},
        {"aarch64", "blr x4", TRANSFER_CALL, true, 0},
        {"aarch64", "ret ", TRANSFER_RETURN, false, 0},
        {"aarch64", "b.ne #0x400184", TRANSFER_CONDITIONAL, false, 0x400184},
        {"aarch64", "tbz w2, #0, #0x400178", TRANSFER_CONDITIONAL, false, 0x400178},
        {"aarch64", "cbnz w3, #0x400158", TRANSFER_CONDITIONAL, false, 0x400158},
        {"aarch64", "bic x0, x1, x2", TRANSFER_NONE, false, 0},
        {"riscv64", "fee5              bnez                    a3,-8                   # 0x10178",
         TRANSFER_CONDITIONAL, false, 0x10178},
        {"riscv64", "00a50263          beq                     a0,a0,4                 # 0x101ae",
         TRANSFER_CONDITIONAL, false, 0x101ae},
        {"riscv64", "beq a0,a0,4 # 0x101ae", TRANSFER_CONDITIONAL, false, 0x101ae},
        {"riscv64", "048000ef          jal                     ra,72                   # 0x101ce",
         TRANSFER_CALL, false, 0},
        {"riscv64", "9702              jalr                    ra,a4,0", TRANSFER_CALL, true, 0},
        {"riscv64", "a009              j                       2                       # 0x10196",
         TRANSFER_JUMP, false, 0},
        {"riscv64", "8702              jr                      a4", TRANSFER_JUMP, true, 0},
        {"riscv64", "8082              jr                      ra", TRANSFER_RETURN, false, 0},
        {"riscv64", "00008067          ret                     ", TRANSFER_RETURN, false, 0},
        {"riscv64", "28b51533          bset                    a0,a0,a1", TRANSFER_NONE, false, 0},
        {"riscv64", "00000073          ecall                   ", TRANSFER_NONE, false, 0},
    };
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++) {
        struct traits traits = read_as(lines[index].isa, lines[index].text);
        print_message("# %s\n", lines[index].text);
        assert_true(traits.known);
        assert_int_equal(traits.transfer, lines[index].transfer);
        assert_int_equal(traits.indirect, lines[index].indirect);
        assert_int_equal(traits.target, lines[index].target);
    }
}

struct arithmetic_line {
    const char *isa, *text;
    enum arithmetic arithmetic;
    enum precision precision;
    bool packed;
    unsigned lanes;
};

TEST(floating_point_is_read_with_precision_and_width)
{
    static const struct arithmetic_line lines[] = {
        {"x86_64", "addss %xmm0, %xmm1", FP_ADD, FP_SINGLE, false, 1},
        {"x86_64", "subsd %xmm0, %xmm1", FP_ADD, FP_DOUBLE, false, 1},
        {"x86_64", "vaddpd %ymm0, %ymm1, %ymm2", FP_ADD, FP_DOUBLE, true, 4},
        {"x86_64", "mulps %xmm0, %xmm1", FP_MUL, FP_SINGLE, true, 4},
        {"x86_64", "vmulps %zmm0, %zmm1, %zmm2", FP_MUL, FP_SINGLE, true, 16},
        {"x86_64", "divpd 0xf7c(%rip), %xmm0", FP_DIV, FP_DOUBLE, true, 2},
        {"x86_64", "sqrtsd %xmm0, %xmm1", FP_SQRT, FP_DOUBLE, false, 1},
        {"x86_64", "vfmadd231ss %xmm0, %xmm1, %xmm2", FP_FMA, FP_SINGLE, false, 1},
        {"x86_64", "vfnmsub213pd %ymm0, %ymm1, %ymm2", FP_FMA, FP_DOUBLE, true, 4},
        {"x86_64", "maxss %xmm0, %xmm1", FP_OTHER, FP_SINGLE, false, 1},
        {"x86_64", "fadd %st(0)", FP_ADD, FP_ANOTHER, false, 1},
        {"x86_64", "faddp %st(1)", FP_ADD, FP_ANOTHER, false, 1},
        {"x86_64", "fdivrp %st(1)", FP_DIV, FP_ANOTHER, false, 1},
        {"x86_64", "fsqrt ", FP_SQRT, FP_ANOTHER, false, 1},
        {"x86_64", "fldcw 0xf76(%rip)", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "fld1 ", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "movups 0x101b(%rip), %xmm3", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "movsd %xmm0, %xmm1", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "andps %xmm0, %xmm1", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "cvtsi2sdl %eax, %xmm0", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "ucomisd %xmm0, %xmm1", FP_NONE, FP_ANOTHER, false, 1},
        {"x86_64", "pmulld %xmm0, %xmm1", FP_NONE, FP_ANOTHER, false, 1},
        {"aarch64", "fadd s0, s1, s2", FP_ADD, FP_SINGLE, false, 1},
        {"aarch64", "fadd v0.4s, v1.4s, v2.4s", FP_ADD, FP_SINGLE, true, 4},
        {"aarch64", "fadd v0.2s, v1.2s, v2.2s", FP_ADD, FP_SINGLE, true, 2},
        {"aarch64", "fmla v0.2d, v1.2d, v2.2d", FP_FMA, FP_DOUBLE, true, 2},
        {"aarch64", "fmadd d0, d1, d2, d3", FP_FMA, FP_DOUBLE, false, 1},
        {"aarch64", "fsqrt d0, d1", FP_SQRT, FP_DOUBLE, false, 1},
        {"aarch64", "fcmp d0, d1", FP_NONE, FP_ANOTHER, false, 1},
        {"aarch64", "scvtf d0, x0", FP_NONE, FP_ANOTHER, false, 1},
        {"aarch64", "fmov d0, #1.00000000", FP_NONE, FP_ANOTHER, false, 1},
        {"riscv64", "0020f053          fadd.s                  dyn,ft0,ft1,ft2", FP_ADD, FP_SINGLE,
         false, 1},
        {"riscv64", "fadd.d dyn,ft0,ft1,ft2", FP_ADD, FP_DOUBLE, false, 1},
        {"riscv64", "1a20f043          fmadd.d                 dyn,ft0,ft1,ft2,ft3", FP_FMA,
         FP_DOUBLE, false, 1},
        {"riscv64", "1820f053          fdiv.s                  dyn,ft0,ft1,ft2", FP_DIV, FP_SINGLE,
         false, 1},
        {"riscv64", "5a00f053          fsqrt.d                 dyn,ft0,ft1", FP_SQRT, FP_DOUBLE,
         false, 1},
    };
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++) {
        struct traits traits = read_as(lines[index].isa, lines[index].text);
        print_message("# %s\n", lines[index].text);
        assert_int_equal(traits.arithmetic, lines[index].arithmetic);
        assert_int_equal(traits.precision, lines[index].precision);
        assert_int_equal(traits.packed, lines[index].packed);
        assert_int_equal(traits.lanes, lines[index].lanes);
    }
}

TEST(stores_that_may_fail_are_known)
{
    assert_true(read_as("aarch64", "stxr w3, x2, [x1]").store_conditional);
    assert_true(read_as("aarch64", "stlxrb w3, w2, [x1]").store_conditional);
    assert_true(read_as("riscv64", "18c5b6af          sc.d                    a3,a2,(a1)")
                    .store_conditional);
    assert_false(read_as("aarch64", "ldxr x2, [x1]").store_conditional);
    assert_false(
        read_as("riscv64", "1005b62f          lr.d                    a2,(a1)").store_conditional);
}

TEST(what_reads_and_writes_in_one_access_is_known)
{
    static const struct {
        const char *isa, *text;
        bool atomic;
    } lines[] = TABLE(
        {"x86_64", "lock addq $1, (%rax)", true}, {"x86_64", "xchgq %rax, (%rcx)", true},
        {"x86_64", "addq $1, (%rax)", false}, {"x86_64", "rep movsb (%rsi), %es:(%rdi)", false},
        {"aarch64", "ldaddal x2, x3, [x1]", true}, {"aarch64", "swpb w2, w3, [x1]", true},
        {"aarch64", "caspa x2, x3, x4, x5, [x1]", true}, {"aarch64", "stumaxlh w2, [x1]", true},
        {"aarch64", "ldar x2, [x1]", false}, {"aarch64", "stxr w3, x2, [x1]", false},
        {"aarch64", "ldaddx x2, x3, [x1]", false},
        {"riscv64", "00c5b02f          amoadd.d                zero,a2,(a1)", true},
        {"riscv64", "1005b62f          lr.d                    a2,(a1)", false});
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++) {
        print_message("# %s\n", lines[index].text);
        assert_int_equal(read_as(lines[index].isa, lines[index].text).atomic, lines[index].atomic);
    }
}

TEST(what_the_disassembler_does_not_know_is_unknown)
{
    static const char *const words[] = {
        ".byte 0x23, 0x00, 0x00, 0x00",    "(bad)", "", "   ", "illegal", ".byte 0x23, 0x00, 0x22",
        ".byte 0x23, 0x00, 0x22, 0xf8, 0", ".byte"};
    for (size_t index = 0; index < sizeof(words) / sizeof(*words); index++)
        assert_false(read_as("aarch64", words[index]).known);
    assert_true(read_as("aarch64", ".byte 0x23, 0x00, 0x22, 0xf8").known); /* ldadd x2, x3, [x1] */
    assert_true(read_as("aarch64", ".byte 0x41, 0x7c, 0xa0, 0xc8").known); /* cas x0, x1, [x2] */
    assert_false(read_as("x86_64", ".byte 0x23, 0x00, 0x22, 0xf8").known);
    assert_false(read_as("riscv64", "ffffffff          illegal").known);
    assert_false(read_as("riscv64", "ffffffff").known);
    struct traits traits;
    assert_false(traits_of("sparc64", "add %g1, %g2, %g3", &traits));
    assert_false(traits.known);
}

TEST(endless_words_are_survived)
{
    char text[4096];
    memset(text, 'v', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(read_as("x86_64", text).arithmetic, FP_NONE);
    assert_int_equal(read_as("aarch64", "fadd v0.99999999999999999999s, v1").packed, false);
    assert_int_equal(read_as("aarch64", "fadd v0").packed, false);
    assert_int_equal(read_as("x86_64", "rep rep rep lock").transfer, TRANSFER_NONE);
}
