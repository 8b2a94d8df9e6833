/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on RISC-V (64 bit). Each piece is one
 * instruction unless it says otherwise. A specimen's function gets a pointer to its state in a0.
 *
 * t1 counts iterations, t2 points to the specimen's memory; t0, t3 … t6, a1 … a7 and the
 * caller-saved floating-point registers are free. Local labels: 1 is the loop's; a body may use
 * 2 … 8. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tld t1, 0(a0)\n" /* N; one load */
#define CODE_MEMORY "\tld t2, 8(a0)\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back.
 * Bodies of more than 4 KiB are out of the branch's reach. */
#define CODE_LOOP(body) "1:\n" body "\taddi t1, t1, -1\n\tbnez t1, 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\taddi t0, t0, 1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tld t2, 0(t2)\n" /* to where memory points; one load that waits for the last */

/* Text whose instructions keep their full four bytes, and stay as they are when linked. */
#define CODE_UNCOMPRESSED(text)                                                                    \
    "\t.option push\n\t.option norvc\n\t.option norelax\n" text "\t.option pop\n"

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd t0, t0, t3\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd t0, t0, t3\n\tadd t4, t4, t3\n"

/* Sixteen no-ops as compilers pad with: of two bytes where there are such, and of four. */
#define CODE_PADDING CODE_TIMES(8, CODE_NOP) CODE_UNCOMPRESSED(CODE_TIMES(8, CODE_NOP))

#define CODE_LOAD       "\tld t0, 0(t2)\n" /* one word */
#define CODE_STORE      "\tsd t3, 0(t2)\n"
#define CODE_COUNT_BACK "\tsd t1, 0(a0)\n" /* stores N where it came from, in broken copies */

/* Instructions of many kinds in a row; what they read and write is memory and the stack. */
#define CODE_MIX_INSTRUCTIONS 26
#define CODE_MIX_LOADS        3
#define CODE_MIX_STORES       3
#define CODE_MIX                                                                                   \
    "\tmv t4, t0\n"                                                                                \
    "\tadd t5, t0, t4\n"                                                                           \
    "\tslli t5, t5, 3\n"                                                                           \
    "\tsrli t6, t6, 5\n"                                                                           \
    "\tmul t5, t5, t4\n"                                                                           \
    "\taddw t6, t6, t5\n"                                                                          \
    "\tsub t6, t6, t4\n"                                                                           \
    "\tandi t6, t6, 255\n"                                                                         \
    "\tor t5, t5, t4\n"                                                                            \
    "\txor t0, t0, t6\n"                                                                           \
    "\tnot t4, t4\n"                                                                               \
    "\tneg t5, t5\n"                                                                               \
    "\tsltu a1, t5, t0\n"                                                                          \
    "\tslti a2, t0, 7\n"                                                                           \
    "\tsext.w a3, t4\n"                                                                            \
    "\tlui a4, 16\n"                                                                               \
    "\tremu a5, t5, t4\n"                                                                          \
    "\tnop\n"                                                                                      \
    "\tld a1, 0(t2)\n"   /* load */                                                                \
    "\tsd a1, 8(t2)\n"   /* store */                                                               \
    "\tlbu a2, 16(t2)\n" /* load */                                                                \
    "\tsh a2, 24(t2)\n"  /* store */                                                               \
    "\taddi sp, sp, -16\n"                                                                         \
    "\tsd t0, 0(sp)\n" /* store */                                                                 \
    "\tld t4, 0(sp)\n" /* load */                                                                  \
    "\taddi sp, sp, 16\n"

/* Makes the condition true; branches that are taken when it is, and when it is not. */
#define CODE_CONDITION            "\tli t0, 0\n"
#define CODE_BRANCH_IF(label)     "\tbeqz t0, " label "\n"
#define CODE_BRANCH_IF_NOT(label) "\tbnez t0, " label "\n"
#define CODE_JUMP(label)          "\tj " label "\n"

/* A direct call, and what keeps the own return address over calls. */
#define CODE_CALL(label)       "\tjal ra, " label "\n"
#define CODE_CALL_STORES       0
#define CODE_KEEP_RETURN       "\tmv t3, ra\n"
#define CODE_KEEP_INSTRUCTIONS 2 /* this one and the next */
#define CODE_TAKE_RETURN       "\tmv ra, t3\n"

/* An indirect jump to the instruction that follows, twelve bytes behind the first. */
#define CODE_JUMP_INDIRECT_INSTRUCTIONS 3
#define CODE_JUMP_INDIRECT              CODE_UNCOMPRESSED("\tauipc t3, 0\n\taddi t3, t3, 12\n\tjr t3\n")

/* A call to an address in a register, formed right before. */
#define CODE_CALL_INDIRECT_INSTRUCTIONS 3
#define CODE_CALL_INDIRECT(label)       CODE_UNCOMPRESSED("\tlla t4, " label "\n\tjalr t4\n")

/* An empty loop of ten: 21 instructions, a branch that is taken nine times and then not. */
#define CODE_LOOP_OF_TEN "\tli t0, 10\n2:\taddi t0, t0, -1\n\tbnez t0, 2b\n"

#define CODE_DOUBLE_COUNT "\tadd t1, t1, t1\n" /* twice as many iterations */
/* Takes a byte from memory and moves on: two instructions, one load. */
#define CODE_NEXT_BITS "\tlbu t0, 0(t2)\n\taddi t2, t2, 1\n"
/* For each of the byte's bits a branch that is taken when the bit is set. What it leads over is
 * more than a CPU would make conditional instead of predicting: two instructions, the second a
 * store to operands[1]. */
#define CODE_SKIPPED          "\taddi t4, t4, 1\n\tsd t1, 24(a0)\n"
#define CODE_BIT_INSTRUCTIONS 2 /* test and branch */
#define CODE_BRANCH_ON_BITS                                                                        \
    "\t.irp bit, 1, 2, 4, 8, 16, 32, 64, 128\n"                                                    \
    "\tandi t3, t0, \\bit\n"                                                                       \
    "\tbnez t3, 2f\n" CODE_SKIPPED "2:\n"                                                          \
    "\t.endr\n"

/* Reads and claims memory, adds, writes if the claim still holds: three instructions. The second
 * begins again if it does not: four instructions when it does. */
#define CODE_EXCLUSIVE      "\tlr.d t0, (t2)\n\taddi t0, t0, 1\n\tsc.d t3, t0, (t2)\n"
#define CODE_EXCLUSIVE_LOOP "2:\n" CODE_EXCLUSIVE "\tbnez t3, 2b\n"

/* Reads, adds and writes memory so that no other CPU comes between. */
#define CODE_ATOMIC_ADD  "\tamoadd.d t0, t3, (t2)\n"
#define CODE_ATOMIC_HERE 1
#define CODE_ATOMIC_LACK NULL

/* What waits until earlier accesses are done. */
#define CODE_BARRIER_INSTRUCTIONS 3
#define CODE_BARRIERS             "\tfence rw, rw\n\tfence r, r\n\tfence w, w\n"

/* The pieces that floating-point specimens are made of, on RISC-V (64 bit); each is one instruction
 * unless it says otherwise. Registers are those of code.h. */

/* A form is how values lie in registers ft0 … ft2: the load that fills one, the
 * operation's suffix. ft0 is computed with ft2 (additions), ft1 (products, quotients) or both. */
#define CODE_FP_SCALAR_SINGLE "flw", ".s"
#define CODE_FP_SCALAR_DOUBLE "fld", ".d"

/* Three loads from the specimen's memory, one for each register. */
#define CODE_FP_FILL(...) CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(load, suffix)                                                                \
    "\t" load " ft0, 0(t2)\n\t" load " ft1, 8(t2)\n\t" load " ft2, 16(t2)\n"

#define CODE_FP_ADD(...)            CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(load, suffix)  "\tfadd" suffix " ft0, ft0, ft2\n"
#define CODE_FP_MUL(...)            CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(load, suffix)  "\tfmul" suffix " ft0, ft0, ft1\n"
#define CODE_FP_DIV(...)            CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(load, suffix)  "\tfdiv" suffix " ft0, ft0, ft1\n"
#define CODE_FP_SQRT(...)           CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(load, suffix) "\tfsqrt" suffix " ft0, ft0\n"
#define CODE_FP_FMA(...)            CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(load, suffix)  "\tfmadd" suffix " ft0, ft0, ft1, ft2\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      0
#define CODE_FP_PACKED_HERE 0
#define CODE_FP_PACKED_LACK "kits of this ISA are made for RV64GC, which has no vector registers"
#define CODE_FP_WIDE        0
#define CODE_FP_WIDE_HERE   0
#define CODE_FP_WIDE_LACK   CODE_FP_PACKED_LACK
#define CODE_FP_FMA_HERE    1
#define CODE_FP_FMA_NEEDS   NULL
#define CODE_FP_FMA_LACK    ""

/* There is no CODE_FP_ROUND: */
#define CODE_FP_ROUND_LACK                                                                         \
    "kits of this ISA are made for RV64GC, which rounds only while it converts to integers"

/* The pieces that specimens of caches and TLBs are made of, on RISC-V (64 bit): what walks on where
 * the last call stopped, what flushes a line, and blocks of code that are copied to where they are
 * needed. Each is one instruction unless it says otherwise; registers are those of code.h. */

/* Leaves in the state where the walk has come to, so that the next call goes on there; one store.
 */
#define CODE_KEEP_MEMORY "\tsd t2, 8(a0)\n"

/* Loads from what a function needs to end, the state: done in every iteration, no cache
 * takes it for the least recently used. As many instructions, all loads. */
#define CODE_TOUCH_OWN_LOADS 1
#define CODE_TOUCH_OWN       "\tld t0, 0(a0)\n"

#define CODE_CAN_FLUSH 0 /* Zicbom has what it takes, but this ISA's kit is built for RV64GC */

/* Goes to where memory points: into a block. */
#define CODE_ENTER_BLOCK "\tjr t2\n"

/* A block: entered at its label 3, where it jumps to the next one; there it counts down, and where
 * N are done leaves its own label 3 in the state (with one store) and returns. So a call executes
 * N jumps, decrements and conditional branches. The jump is filled in when blocks are laid out. */
#define CODE_BLOCK_KEEP_INSTRUCTIONS 3 /* those that leave label 3 in the state */
#define CODE_BLOCK                                                                                 \
    "\t.option push\n"                                                                             \
    "\t.option norvc\n"                                                                            \
    "\t.option norelax\n"                                                                          \
    "\taddi t1, t1, -1\n"                                                                          \
    "\tbnez t1, 3f\n"                                                                              \
    "\tauipc t0, 0\n"                                                                              \
    "\taddi t0, t0, 16\n" /* from there to label 3 */                                              \
    "\tsd t0, 8(a0)\n"                                                                             \
    "\tret\n"                                                                                      \
    "3:\t.word 0x0000006f\n" /* jal zero */                                                        \
    "\t.option pop\n"
#define CODE_BLOCK_JUMP_BYTES 4
#define CODE_BLOCK_REACH      (UINT64_C(1) << 19) /* bytes, either way */

/* Makes the jump at `jump` lead to `target`, which is within reach: the distance's bits are 20,
 * 10 … 1, 11 and 19 … 12 in this order. */
static inline void code_block_link(unsigned char *jump, const unsigned char *target)
{
    uint32_t distance = (uint32_t)(target - jump);
    uint32_t instruction = (distance >> 20 & 1) << 31 | (distance >> 1 & 0x3ff) << 21 |
                           (distance >> 11 & 1) << 20 | (distance >> 12 & 0xff) << 12 | 0x6f;
    memcpy(jump, &instruction, sizeof(instruction));
}

/* Pieces of specimens that make the operating system work, on RISC-V (64 bit): pages touched
 * and system calls. Beside those of code.h, and on the same
 * terms: one instruction each unless it says otherwise. */

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in t2, step in t3. */
#define CODE_STEP    "\tld t3, 16(a0)\n" /* operands[0]; one load */
#define CODE_TOUCH   "\tsb t0, 0(t2)\n"  /* one store */
#define CODE_LOOK    "\tlbu t0, 0(t2)\n" /* one load of a byte */
#define CODE_ADVANCE "\tadd t2, t2, t3\n"

/* A loop whose body makes system calls: they leave t1 alone. */
#define CODE_SYSTEM_COUNT      CODE_COUNT
#define CODE_SYSTEM_LOOP(body) CODE_LOOP(body)

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tli a7, " CODE_TEXT(number) "\n\tecall\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tld a2, 16(a0)\n\tld t3, 24(a0)\n\tld a1, 32(a0)\n"
#define CODE_AFFINITY(number) "\txor a2, a2, t3\n\tli a0, 0\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP "\tld t3, 16(a0)\n\tld t4, 24(a0)\n\tld a1, 32(a0)\n\tli a2, 1\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmv a0, t3\n" CODE_SYSTEM_CALL(write) "\tmv a0, t4\n" CODE_SYSTEM_CALL(read)

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: t3, t4 and t5 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (5 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tld t3, 16(a0)\n\tmv t4, t3\n\tli t5, 0\n"
#define CODE_TURN_INSTRUCTIONS 5
#define CODE_TURN                                                                                  \
    "\taddi t4, t4, -1\n\tsrai t0, t4, 63\n\txor t5, t5, t0\n"                                     \
    "\tand t0, t0, t3\n\tadd t4, t4, t0\n"
#define CODE_BRANCH_IF_CALL(label)       "\tbnez t5, " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 1
#define CODE_SYSTEM_DOUBLE_COUNT         CODE_DOUBLE_COUNT /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tli t0, " CODE_TEXT(count) "\n2:\taddi t0, t0, -1\n\tbnez t0, 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 0
