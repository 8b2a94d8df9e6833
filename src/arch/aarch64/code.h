/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on AArch64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in x0.
 *
 * x1 counts iterations, x2 points to the specimen's memory; x3 … x17 and all of v0 … v31 are free
 * (the window's slot clobbers them). Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tldr x1, [x0]\n"     /* N; one load */
#define CODE_MEMORY "\tldr x2, [x0, #8]\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back. */
#define CODE_LOOP(body) "1:\n" body "\tsubs x1, x1, #1\n\tb.ne 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\tadd x3, x3, #1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tldr x2, [x2]\n" /* to where memory points; one load that waits for the last */

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd x3, x3, x4\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd x3, x3, x4\n\tadd x5, x5, x4\n"

/* Sixteen no-ops as compilers pad with. */
#define CODE_PADDING CODE_TIMES(16, CODE_NOP)

#define CODE_LOAD       "\tldr x3, [x2]\n" /* one word */
#define CODE_STORE      "\tstr x4, [x2]\n"
#define CODE_COUNT_BACK "\tstr x1, [x0]\n" /* stores N where it came from, in broken copies */

/* Instructions of many kinds in a row; what they read and write is memory and the stack. */
#define CODE_MIX_INSTRUCTIONS 24
#define CODE_MIX_LOADS        3
#define CODE_MIX_STORES       3
#define CODE_MIX                                                                                   \
    "\tmov x5, x3\n"                                                                               \
    "\tadd x6, x3, x5, lsl #1\n"                                                                   \
    "\tlsl x6, x6, #3\n"                                                                           \
    "\tlsr x7, x7, #5\n"                                                                           \
    "\tmul x6, x6, x5\n"                                                                           \
    "\tmadd x7, x6, x5, x7\n"                                                                      \
    "\tsub x7, x7, x5\n"                                                                           \
    "\tand x7, x7, #255\n"                                                                         \
    "\torr x6, x6, x5\n"                                                                           \
    "\teor x3, x3, x7\n"                                                                           \
    "\tmvn x5, x5\n"                                                                               \
    "\tneg x6, x6\n"                                                                               \
    "\tcmp x3, x6\n"                                                                               \
    "\tcsel x7, x5, x7, lo\n"                                                                      \
    "\tcset x8, eq\n"                                                                              \
    "\trev x5, x5\n"                                                                               \
    "\tudiv x9, x6, x5\n"                                                                          \
    "\tnop\n"                                                                                      \
    "\tldr x8, [x2]\n"            /* load */                                                       \
    "\tstr x8, [x2, #8]\n"        /* store */                                                      \
    "\tldrb w9, [x2, #16]\n"      /* load */                                                       \
    "\tstrh w9, [x2, #24]\n"      /* store */                                                      \
    "\tstp x3, x5, [sp, #-16]!\n" /* store of a pair: one instruction */                           \
    "\tldp x5, x6, [sp], #16\n"   /* load of a pair */

/* Makes the condition true; branches that are taken when it is, and when it is not. */
#define CODE_CONDITION            "\tcmp x3, x3\n"
#define CODE_BRANCH_IF(label)     "\tb.eq " label "\n"
#define CODE_BRANCH_IF_NOT(label) "\tb.ne " label "\n"
#define CODE_JUMP(label)          "\tb " label "\n"

/* A direct call, and what keeps the own return address over calls. */
#define CODE_CALL(label)       "\tbl " label "\n"
#define CODE_CALL_STORES       0
#define CODE_KEEP_RETURN       "\tmov x9, x30\n"
#define CODE_KEEP_INSTRUCTIONS 2 /* this one and the next */
#define CODE_TAKE_RETURN       "\tmov x30, x9\n"

/* An indirect jump to the instruction that follows. */
#define CODE_JUMP_INDIRECT_INSTRUCTIONS 2
#define CODE_JUMP_INDIRECT              "\tadr x3, 2f\n\tbr x3\n2:\n"

/* A call to an address in a register, formed right before. */
#define CODE_CALL_INDIRECT_INSTRUCTIONS 2
#define CODE_CALL_INDIRECT(label)       "\tadr x3, " label "\n\tblr x3\n"

/* An empty loop of ten: 21 instructions, a branch that is taken nine times and then not. */
#define CODE_LOOP_OF_TEN "\tmov x3, #10\n2:\tsubs x3, x3, #1\n\tb.ne 2b\n"

#define CODE_DOUBLE_COUNT "\tadd x1, x1, x1\n" /* twice as many iterations */
/* Takes a byte from memory and moves on: two instructions, one load. */
#define CODE_NEXT_BITS "\tldrb w3, [x2]\n\tadd x2, x2, #1\n"
/* For each of the byte's bits a branch that is taken when the bit is set. What it leads over is
 * more than a CPU would make conditional instead of predicting: two instructions, the second a
 * store to operands[1]. */
#define CODE_SKIPPED          "\tadd x4, x4, #1\n\tstr x1, [x0, #24]\n"
#define CODE_BIT_INSTRUCTIONS 1 /* the branch tests */
#define CODE_BRANCH_ON_BITS                                                                        \
    "\t.irp bit, 0, 1, 2, 3, 4, 5, 6, 7\n"                                                         \
    "\ttbnz w3, #\\bit, 2f\n" CODE_SKIPPED "2:\n"                                                  \
    "\t.endr\n"

/* Reads and claims memory, adds, writes if the claim still holds: three instructions. The second
 * begins again if it does not: four instructions when it does. */
#define CODE_EXCLUSIVE      "\tldxr x3, [x2]\n\tadd x3, x3, #1\n\tstxr w4, x3, [x2]\n"
#define CODE_EXCLUSIVE_LOOP "2:\n" CODE_EXCLUSIVE "\tcbnz w4, 2b\n"

/* Reads, adds and writes memory so that no other CPU comes between. Where the CPU has it. */
#define CODE_ATOMIC_ADD  "\t.arch_extension lse\n\tldadd x4, x3, [x2]\n"
#define CODE_ATOMIC_HERE ((getauxval(AT_HWCAP) & 1u << 8) != 0) /* HWCAP_ATOMICS */
#define CODE_ATOMIC_LACK "atomic memory operations (LSE)"

/* What waits until earlier accesses are done, the last for what the instructions themselves read.
 */
#define CODE_BARRIER_INSTRUCTIONS 3
#define CODE_BARRIERS             "\tdmb ish\n\tdsb ish\n\tisb\n"

/* The pieces that floating-point specimens are made of, on AArch64; each is one instruction
 * unless it says otherwise. Registers are those of code.h. */

/* A form is how values lie in registers 0 … 2: begin and end of the load that fills
 * one with copies of eight bytes of memory, begin and end of the registers' names, multiply-add and
 * its last operand. Register 0 is computed with register 2 (additions), 1 (products, quotients) or
 * both. */
#define CODE_FP_SCALAR_SINGLE "ldr s", "", "s", "", "fmadd", ", s0"
#define CODE_FP_SCALAR_DOUBLE "ldr d", "", "d", "", "fmadd", ", d0"
#define CODE_FP_PACKED_SINGLE "ld1r {v", ".2d}", "v", ".4s", "fmla", ""
#define CODE_FP_PACKED_DOUBLE "ld1r {v", ".2d}", "v", ".2d", "fmla", ""

/* Three loads from the specimen's memory, one for each register; x2 moves on. */
#define CODE_FP_LOAD(target) "\t" target ", [x2], #8\n"
#define CODE_FP_FILL(...)    CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(load, end, ...)                                                              \
    CODE_FP_LOAD(load "0" end) CODE_FP_LOAD(load "1" end) CODE_FP_LOAD(load "2" end)

#define CODE_FP_OPERATION(operation, other, name, end, ...)                                        \
    "\t" operation " " name "0" end ", " name "0" end ", " name other end "\n"
#define CODE_FP_ADD(...)                          CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(load, last, ...)             CODE_FP_OPERATION("fadd", "2", __VA_ARGS__)
#define CODE_FP_MUL(...)                          CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(load, last, ...)             CODE_FP_OPERATION("fmul", "1", __VA_ARGS__)
#define CODE_FP_DIV(...)                          CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(load, last, ...)             CODE_FP_OPERATION("fdiv", "1", __VA_ARGS__)
#define CODE_FP_SQRT(...)                         CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(load, last, name, end, ...) "\tfsqrt " name "0" end ", " name "0" end "\n"
#define CODE_FP_FMA(...)                          CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(load, last, name, end, operation, addend)                                     \
    "\t" operation " " name "0" end ", " name "1" end ", " name "2" end addend "\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      1
#define CODE_FP_PACKED_HERE 1
#define CODE_FP_PACKED_LACK ""
#define CODE_FP_WIDE        0
#define CODE_FP_WIDE_HERE   0
#define CODE_FP_WIDE_LACK   "the floating-point registers of this ISA have 128 bits"
#define CODE_FP_FMA_HERE    1
#define CODE_FP_FMA_NEEDS   NULL
#define CODE_FP_FMA_LACK    ""

/* To the next integer, ties to even; one instruction, single and double. */
#define CODE_FP_ROUND_SINGLE "\tfrintn s0, s0\n"
#define CODE_FP_ROUND_DOUBLE "\tfrintn d0, d0\n"
#define CODE_FP_ROUND_HERE   1
#define CODE_FP_ROUND_NEEDS  NULL
#define CODE_FP_ROUND_LACK   ""

/* The pieces that specimens of caches and TLBs are made of, on AArch64: what walks on where the
 * last call stopped, what flushes a line, and blocks of code that are copied to where they are
 * needed. Each is one instruction unless it says otherwise; registers are those of code.h. */

/* Leaves in the state where the walk has come to, so that the next call goes on there; one store.
 */
#define CODE_KEEP_MEMORY "\tstr x2, [x0, #8]\n"

/* Loads from what a function needs to end, the state: done in every iteration, no cache
 * takes it for the least recently used. As many instructions, all loads. */
#define CODE_TOUCH_OWN_LOADS 1
#define CODE_TOUCH_OWN       "\tldr x3, [x0]\n"

#define CODE_CAN_FLUSH          1
#define CODE_FLUSH_INSTRUCTIONS 2
/* The line at which memory begins leaves every cache before anything after is loaded: two
 * instructions, neither of which loads or stores. */
#define CODE_FLUSH "\tdc civac, x2\n\tdsb sy\n"

/* Goes to where memory points: into a block. */
#define CODE_ENTER_BLOCK "\tbr x2\n"

/* A block: entered at its label 3, where it jumps to the next one; there it counts down, and where
 * N are done leaves its own label 3 in the state (with one store) and returns. So a call executes
 * N jumps, decrements and conditional branches. The jump is filled in when blocks are laid out. */
#define CODE_BLOCK_KEEP_INSTRUCTIONS 2 /* those that leave label 3 in the state */
#define CODE_BLOCK                                                                                 \
    "\tsubs x1, x1, #1\n"                                                                          \
    "\tb.ne 3f\n"                                                                                  \
    "\tadr x3, 3f\n"                                                                               \
    "\tstr x3, [x0, #8]\n"                                                                         \
    "\tret\n"                                                                                      \
    "3:\t.inst 0x14000000\n" /* b */
#define CODE_BLOCK_JUMP_BYTES 4
#define CODE_BLOCK_REACH      (UINT64_C(1) << 26) /* bytes, either way */

/* Makes the jump at `jump` lead to `target`, which is within reach. */
static inline void code_block_link(unsigned char *jump, const unsigned char *target)
{
    uint32_t words = (uint32_t)((target - jump) / 4) & 0x03ffffffu,
             instruction = 0x14000000u | words;
    memcpy(jump, &instruction, sizeof(instruction));
}

/* Pieces of specimens that make the operating system work, on AArch64: pages touched and system
 * calls. Beside those of code.h, and on the same terms: one
 * instruction each unless it says otherwise. */

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in x2, step in x9. */
#define CODE_STEP    "\tldr x9, [x0, #16]\n" /* operands[0]; one load */
#define CODE_TOUCH   "\tstrb w3, [x2]\n"     /* one store */
#define CODE_LOOK    "\tldrb w3, [x2]\n"     /* one load of a byte */
#define CODE_ADVANCE "\tadd x2, x2, x9\n"

/* A loop whose body makes system calls: x1 is their second argument, so x10 counts. */
#define CODE_SYSTEM_COUNT      "\tldr x10, [x0]\n" /* N; one load */
#define CODE_SYSTEM_LOOP(body) "1:\n" body "\tsubs x10, x10, #1\n\tb.ne 1b\n"

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tmov x8, #" CODE_TEXT(number) "\n\tsvc #0\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tldr x2, [x0, #16]\n\tldr x11, [x0, #24]\n\tldr x1, [x0, #32]\n"
#define CODE_AFFINITY(number) "\teor x2, x2, x11\n\tmov x0, #0\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP                                                                        \
    "\tldr x11, [x0, #16]\n\tldr x12, [x0, #24]\n\tldr x1, [x0, #32]\n\tmov x2, #1\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmov x0, x11\n" CODE_SYSTEM_CALL(write) "\tmov x0, x12\n" CODE_SYSTEM_CALL(read)

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: x11, x12 and x13 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (5 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tldr x11, [x0, #16]\n\tmov x12, x11\n\tmov x13, #0\n"
#define CODE_TURN_INSTRUCTIONS 5
#define CODE_TURN                                                                                  \
    "\tsub x12, x12, #1\n\tasr x3, x12, #63\n\teor x13, x13, x3\n"                                 \
    "\tand x3, x3, x11\n\tadd x12, x12, x3\n"
#define CODE_BRANCH_IF_CALL(label)       "\tcbnz x13, " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 1
#define CODE_SYSTEM_DOUBLE_COUNT         "\tadd x10, x10, x10\n" /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tmov x3, #" CODE_TEXT(count) "\n2:\tsubs x3, x3, #1\n\tb.ne 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
