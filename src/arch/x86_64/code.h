/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on x86-64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in rdi.
 *
 * rcx counts iterations, rsi points to the specimen's memory; rax, rdx, r8 … r11 and all xmm are
 * free. Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#define CODE_RETURN_LOADS 1 /* the return address */

#define CODE_COUNT  "\tmov (%rdi), %rcx\n"  /* N; one load */
#define CODE_MEMORY "\tmov 8(%rdi), %rsi\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back. */
#define CODE_LOOP(body) "1:\n" body "\tsub $1, %rcx\n\tjne 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\tadd $1, %rax\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tmov (%rsi), %rsi\n" /* to where memory points; one load that waits for the last */

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd %rdx, %rax\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd %rdx, %rax\n\tadd %rdx, %r8\n"

/* Sixteen no-ops as compilers pad with: one to nine bytes. None reads the memory it names. */
#define CODE_PADDING                                                                               \
    "\tnop\n"                                                                                      \
    "\t.byte 0x66, 0x90\n"                                                                         \
    "\t.byte 0x0f, 0x1f, 0x00\n"                                                                   \
    "\t.byte 0x0f, 0x1f, 0x40, 0x00\n"                                                             \
    "\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                                       \
    "\t.byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                                 \
    "\t.byte 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00\n"                                           \
    "\t.byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n"                                     \
    "\t.byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n" CODE_TIMES(7, CODE_NOP)

#define CODE_LOAD       "\tmov (%rsi), %rax\n" /* one word */
#define CODE_STORE      "\tmov %rdx, (%rsi)\n"
#define CODE_COUNT_BACK "\tmov %rcx, (%rdi)\n" /* stores N where it came from, in broken copies */

/* Instructions of many kinds in a row; what they read and write is memory and the stack. */
#define CODE_MIX_INSTRUCTIONS 24
#define CODE_MIX_LOADS        4
#define CODE_MIX_STORES       3
#define CODE_MIX                                                                                   \
    "\tmov %rax, %rdx\n"                                                                           \
    "\tlea 4(%rax,%rdx,2), %r8\n"                                                                  \
    "\tshl $3, %r8\n"                                                                              \
    "\tshr $5, %r9\n"                                                                              \
    "\timul %rdx, %r8\n"                                                                           \
    "\tadd %r8, %r9\n"                                                                             \
    "\tsub %rdx, %r9\n"                                                                            \
    "\tand $255, %r9\n"                                                                            \
    "\tor %rdx, %r8\n"                                                                             \
    "\txor %r9, %rax\n"                                                                            \
    "\tnot %rdx\n"                                                                                 \
    "\tneg %r8\n"                                                                                  \
    "\tcmp %r8, %rax\n"                                                                            \
    "\tcmovb %rdx, %r9\n"                                                                          \
    "\tsete %r10b\n"                                                                               \
    "\tmovzbl %r10b, %r10d\n"                                                                      \
    "\tbswap %rdx\n"                                                                               \
    "\tnop\n"                                                                                      \
    "\tmov (%rsi), %r10\n"   /* load */                                                            \
    "\tmov %r10, 8(%rsi)\n"  /* store */                                                           \
    "\tadd 16(%rsi), %rax\n" /* load */                                                            \
    "\tadd %rax, 24(%rsi)\n" /* load and store */                                                  \
    "\tpush %rax\n"          /* store */                                                           \
    "\tpop %rdx\n"           /* load */

/* Makes the condition true; branches that are taken when it is, and when it is not. */
#define CODE_CONDITION            "\tcmp %rax, %rax\n"
#define CODE_BRANCH_IF(label)     "\tje " label "\n"
#define CODE_BRANCH_IF_NOT(label) "\tjne " label "\n"
#define CODE_JUMP(label)          "\tjmp " label "\n"

/* A direct call, and what keeps the own return address over calls: nothing, it is on the stack. */
#define CODE_CALL(label)       "\tcall " label "\n"
#define CODE_CALL_STORES       1 /* the return address */
#define CODE_KEEP_RETURN       ""
#define CODE_KEEP_INSTRUCTIONS 0
#define CODE_TAKE_RETURN       ""

/* An indirect jump to the instruction that follows. */
#define CODE_JUMP_INDIRECT_INSTRUCTIONS 2
#define CODE_JUMP_INDIRECT              "\tlea 2f(%rip), %rax\n\tjmp *%rax\n2:\n"

/* A call to an address in a register, formed right before. */
#define CODE_CALL_INDIRECT_INSTRUCTIONS 2
#define CODE_CALL_INDIRECT(label)       "\tlea " label "(%rip), %rax\n\tcall *%rax\n"

/* An empty loop of ten: 21 instructions, a branch that is taken nine times and then not. */
#define CODE_LOOP_OF_TEN "\tmov $10, %eax\n2:\tsub $1, %eax\n\tjne 2b\n"

#define CODE_DOUBLE_COUNT "\tadd %rcx, %rcx\n" /* twice as many iterations */
/* Takes a byte from memory and moves on: two instructions, one load. */
#define CODE_NEXT_BITS "\tmovzbl (%rsi), %eax\n\tadd $1, %rsi\n"
/* For each of the byte's bits a branch that is taken when the bit is set. What it leads over is
 * more than a CPU would make conditional instead of predicting: two instructions, the second a
 * store to operands[1]. */
#define CODE_SKIPPED          "\tadd $1, %rdx\n\tmov %rcx, 24(%rdi)\n"
#define CODE_BIT_INSTRUCTIONS 2 /* test and branch */
#define CODE_BRANCH_ON_BITS                                                                        \
    "\t.irp bit, 1, 2, 4, 8, 16, 32, 64, 128\n"                                                    \
    "\ttest $\\bit, %al\n"                                                                         \
    "\tjne 2f\n" CODE_SKIPPED "2:\n"                                                               \
    "\t.endr\n"

/* String instructions: target and source are registers of their own, the count is the loop's. */
#define CODE_MEMORY_IS_TARGET  "\tmov 8(%rdi), %rdi\n"  /* instead of CODE_MEMORY; one load */
#define CODE_OPERAND_IS_TARGET "\tmov 16(%rdi), %rdi\n" /* operands[0]; one load */
#define CODE_MOVE_STRING       "\trep movsb\n"
#define CODE_STORE_STRING      "\trep stosb\n"

/* The x87 unit: its control word, and arithmetic on a one above a zero, which stays what it is. */
#define CODE_X87_CONTROL "\tfldcw (%rsi)\n" /* one load */
#define CODE_X87_FILL    "\tfldz\n\tfld1\n" /* two instructions, no arithmetic */
#define CODE_X87_ADD     "\tfadd %st(1), %st\n"
#define CODE_X87_MUL     "\tfmul %st(0), %st\n"
#define CODE_X87_DIV     "\tfdiv %st(0), %st\n"
#define CODE_X87_SQRT    "\tfsqrt\n"
#define CODE_X87_EMPTY   "\tfstp %st(0)\n\tfstp %st(0)\n" /* two instructions, no arithmetic */

/* Reads, adds and writes memory so that no other CPU comes between; the second keeps what it read.
 */
#define CODE_LOCKED_ADD  "\tlock addq $1, (%rsi)\n"
#define CODE_ATOMIC_ADD  "\tlock xaddq %rax, (%rsi)\n"
#define CODE_ATOMIC_HERE 1
#define CODE_ATOMIC_LACK NULL

/* What waits until earlier accesses are done. */
#define CODE_BARRIER_INSTRUCTIONS 3
#define CODE_BARRIERS             "\tmfence\n\tlfence\n\tsfence\n"
