/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on x86-64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in rdi.
 *
 * rcx counts iterations, rsi points to the specimen's memory; rax, rdx, r8 … r11 and all xmm are
 * free. Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* The pieces that floating-point specimens are made of, on x86-64; each is one instruction
 * unless it says otherwise. Registers are those of code.h. */

/* A form is how values lie in registers 0 … 2: the move that fills one with copies
 * of eight bytes of memory, prefix and suffix of the operation, the registers' name, what a third
 * operand is. Register 0 is computed with register 2 (additions), 1 (products, quotients) or
 * both. */
#define CODE_FP_SCALAR_SINGLE "movss", "", "ss", "%xmm", ""
#define CODE_FP_SCALAR_DOUBLE "movsd", "", "sd", "%xmm", ""
#define CODE_FP_PACKED_SINGLE "movddup", "", "ps", "%xmm", ""
#define CODE_FP_PACKED_DOUBLE "movddup", "", "pd", "%xmm", ""
#define CODE_FP_WIDE_SINGLE   "vbroadcastsd", "v", "ps", "%ymm", ", %ymm0"
#define CODE_FP_WIDE_DOUBLE   "vbroadcastsd", "v", "pd", "%ymm", ", %ymm0"

/* Three loads from the specimen's memory, one for each register. */
#define CODE_FP_LOAD(move, place, target) "\t" move " " place "(%rsi), " target "\n"
#define CODE_FP_FILL(...)                 CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(move, prefix, suffix, name, third)                                           \
    CODE_FP_LOAD(move, "0", name "0")                                                              \
    CODE_FP_LOAD(move, "8", name "1")                                                              \
    CODE_FP_LOAD(move, "16", name "2")

#define CODE_FP_OPERATION(operation, source, prefix, suffix, name, third)                          \
    "\t" prefix operation suffix " " name source ", " name "0" third "\n"
#define CODE_FP_ADD(...)        CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(move, ...) CODE_FP_OPERATION("add", "2", __VA_ARGS__)
#define CODE_FP_MUL(...)        CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(move, ...) CODE_FP_OPERATION("mul", "1", __VA_ARGS__)
#define CODE_FP_DIV(...)        CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(move, ...) CODE_FP_OPERATION("div", "1", __VA_ARGS__)
#define CODE_FP_SQRT(...)       CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(move, prefix, suffix, name, third)                                           \
    CODE_FP_OPERATION("sqrt", "0", prefix, suffix, name, "")
#define CODE_FP_FMA(...) CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(move, prefix, suffix, name, third)                                            \
    "\tvfmadd213" suffix " " name "2, " name "1, " name "0\n"

/* Leaves nothing in the upper halves of wide registers, which would slow down older code. */
#define CODE_FP_WIDE_DONE "\tvzeroupper\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      1
#define CODE_FP_PACKED_HERE 1
#define CODE_FP_PACKED_LACK ""
#define CODE_FP_WIDE        1
#define CODE_FP_WIDE_HERE   __builtin_cpu_supports("avx")
#define CODE_FP_WIDE_NEEDS  "AVX"
#define CODE_FP_WIDE_LACK   "this CPU has no AVX, or the operating system does not use it"
#define CODE_FP_FMA_HERE    __builtin_cpu_supports("fma")
#define CODE_FP_FMA_NEEDS   "FMA3"
#define CODE_FP_FMA_LACK    "this CPU has no FMA3, or the operating system does not use it"

/* To the next integer, by the ISA's rule for ties; one instruction, single and double. */
#define CODE_FP_ROUND_SINGLE "\troundss $0, %xmm0, %xmm0\n"
#define CODE_FP_ROUND_DOUBLE "\troundsd $0, %xmm0, %xmm0\n"
#define CODE_FP_ROUND_HERE   __builtin_cpu_supports("sse4.1")
#define CODE_FP_ROUND_NEEDS  "SSE4.1"
#define CODE_FP_ROUND_LACK   "this CPU has no SSE4.1, which rounds"

/* The pieces that specimens of caches and TLBs are made of, on x86-64: what walks on where the last
 * call stopped, what flushes a line, and blocks of code that are copied to where they are needed.
 * Each is one instruction unless it says otherwise; registers are those of code.h. */

/* Leaves in the state where the walk has come to, so that the next call goes on there; one store.
 */
#define CODE_KEEP_MEMORY "\tmov %rsi, 8(%rdi)\n"

/* Loads from what a function needs to end, the state, and on the stack the return address: done in
 * every iteration, no cache takes it for the least recently used. As many instructions, all loads.
 */
#define CODE_TOUCH_OWN_LOADS 2
#define CODE_TOUCH_OWN       "\tmov (%rdi), %rax\n\tmov (%rsp), %rax\n"

#define CODE_CAN_FLUSH          1
#define CODE_FLUSH_INSTRUCTIONS 2
/* The line at which memory begins leaves every cache before anything after is loaded: two
 * instructions, neither of which loads or stores. */
#define CODE_FLUSH "\tclflush (%rsi)\n\tmfence\n"

/* Goes to where memory points: into a block. */
#define CODE_ENTER_BLOCK "\tjmp *%rsi\n"

/* A block: entered at its label 3, where it jumps to the next one; there it counts down, and where
 * N are done leaves its own label 3 in the state (with one store) and returns. So a call executes
 * N jumps, decrements and conditional branches. The jump is filled in when blocks are laid out. */
#define CODE_BLOCK_KEEP_INSTRUCTIONS 2 /* those that leave label 3 in the state */
#define CODE_BLOCK                                                                                 \
    "\tsub $1, %rcx\n"                                                                             \
    "\tjne 3f\n"                                                                                   \
    "\tlea 3f(%rip), %rax\n"                                                                       \
    "\tmov %rax, 8(%rdi)\n"                                                                        \
    "\tret\n"                                                                                      \
    "3:\t.byte 0xe9\n" /* jmp */                                                                   \
    "\t.long 0\n"
#define CODE_BLOCK_JUMP_BYTES 5
#define CODE_BLOCK_REACH      (UINT64_C(1) << 30) /* bytes, either way */

/* Makes the jump at `jump` lead to `target`, which is within reach. */
static inline void code_block_link(unsigned char *jump, const unsigned char *target)
{
    int32_t distance = (int32_t)(target - (jump + CODE_BLOCK_JUMP_BYTES));
    memcpy(jump + 1, &distance, sizeof(distance));
}

/* Pieces of specimens that make the operating system work, on x86-64: pages touched and system
 * calls. Beside those of code.h, and on the same terms: one
 * instruction each unless it says otherwise. */

#define CODE_TEXT_(text) #text
#define CODE_TEXT(text)  CODE_TEXT_(text)

/* Memory one step after the other: memory in rsi, step in r8. */
#define CODE_STEP    "\tmov 16(%rdi), %r8\n"   /* operands[0]; one load */
#define CODE_TOUCH   "\tmovb $1, (%rsi)\n"     /* one store */
#define CODE_LOOK    "\tmovzbl (%rsi), %eax\n" /* one load of a byte */
#define CODE_ADVANCE "\tadd %r8, %rsi\n"

/* A loop whose body makes system calls: they leave rcx and r11 changed, so r9 counts. */
#define CODE_SYSTEM_COUNT      "\tmov (%rdi), %r9\n" /* N; one load */
#define CODE_SYSTEM_LOOP(body) "1:\n" body "\tsub $1, %r9\n\tjne 1b\n"

/* A system call without arguments: two instructions. */
#define CODE_SYSTEM_CALL(number) "\tmov $" CODE_TEXT(number) ", %eax\n\tsyscall\n"

/* sched_setaffinity(0, size, mask) with two masks in turn. Operands: the address of the mask that
 * was last set, that address xor the other's, the size of a mask. Three instructions and loads,
 * then four instructions a call. */
#define CODE_AFFINITY_SETUP   "\tmov 16(%rdi), %rdx\n\tmov 24(%rdi), %r10\n\tmov 32(%rdi), %rsi\n"
#define CODE_AFFINITY(number) "\txor %r10, %rdx\n\txor %edi, %edi\n" CODE_SYSTEM_CALL(number)

/* One byte written to a descriptor, one read from another. Operands: both descriptors, the byte's
 * address. Four instructions, three of them loads, then six instructions a turn. */
#define CODE_EXCHANGE_SETUP                                                                        \
    "\tmov 16(%rdi), %r8\n\tmov 24(%rdi), %r10\n\tmov 32(%rdi), %rsi\n\tmov $1, %edx\n"
#define CODE_EXCHANGE(write, read)                                                                 \
    "\tmov %r8, %rdi\n" CODE_SYSTEM_CALL(write) "\tmov %r10, %rdi\n" CODE_SYSTEM_CALL(read)

/* Work and system calls in turn, for a loop of CODE_SYSTEM_LOOP: rdx, r8 and r10 hold the period,
 * what is left of it, and the kind of the steps, zero for work and all ones for calls. Setup: three
 * instructions, one of them a load (of operands[0]); the first steps are work. A step counts down,
 * turns to the other kind where its period is over (6 instructions, no branch), and branches to
 * `label` where it is a call. */
#define CODE_TURN_SETUP        "\tmov 16(%rdi), %rdx\n\tmov %rdx, %r8\n\tmov $0, %r10d\n"
#define CODE_TURN_INSTRUCTIONS 6
#define CODE_TURN                                                                                  \
    "\tsub $1, %r8\n\tmov %r8, %rax\n\tsar $63, %rax\n\txor %rax, %r10\n"                          \
    "\tand %rdx, %rax\n\tadd %rax, %r8\n"
#define CODE_BRANCH_IF_CALL(label)       "\ttest %r10, %r10\n\tjne " label "\n"
#define CODE_BRANCH_IF_CALL_INSTRUCTIONS 2
#define CODE_SYSTEM_DOUBLE_COUNT         "\tadd %r9, %r9\n" /* twice as many iterations */
/* An empty loop of so many: 1 + 2 * count instructions, a branch that is taken but for the last. */
#define CODE_LOOP_OF(count) "\tmov $" CODE_TEXT(count) ", %eax\n2:\tsub $1, %eax\n\tjne 2b\n"

/* Does every CPU read across the border of a line by itself? */
#define CODE_MISALIGNED_IS_CPUS 1
