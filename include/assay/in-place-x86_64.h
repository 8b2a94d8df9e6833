/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region on x86-64, as they stand in the caller's code: texts without an operand, so
 * that they are the same instructions everywhere. r9 is the thread's struct assay_here, r8 the
 * frame. Not part of the interface. */
#ifndef ASSAY_IN_PLACE_X86_64_H
#define ASSAY_IN_PLACE_X86_64_H

#define ASSAY_HERE_IN_PLACE                                                                        \
    "\tmovq assay_here@gottpoff(%%rip), %%r9\n"                                                    \
    "\tmovq %%fs:(%%r9), %%r9\n"

/* READ: read(descriptor, frame + report, size), the result into frame + got. */
#define ASSAY_READ_IN_PLACE(report, got)                                                           \
    "\ttestb $1, (%%r9)\n"                                                                         \
    "\tjz 10f\n"                                                                                   \
    "\tmovq 24(%%r9), %%rdi\n"                                                                     \
    "\tleaq " report "(%%r8), %%rsi\n"                                                             \
    "\tmovq 32(%%r9), %%rdx\n"                                                                     \
    "\txorl %%eax, %%eax\n"                                                                        \
    "\tsyscall\n"                                                                                  \
    "\tmovq %%rax, " got "(%%r8)\n"                                                                \
    "10:\n"

/* USER: 21 instructions a counter, the eighth reads it: see src/arch/x86_64/user-counter.h. */
#define ASSAY_USER_IN_PLACE(report)                                                                \
    "\ttestb $2, (%%r9)\n"                                                                         \
    "\tjz 20f\n"                                                                                   \
    "\tleaq " report "(%%r8), %%rdi\n"                                                             \
    "\tleaq 48(%%r9), %%r10\n"                                                                     \
    "21:\tmovq (%%r10), %%rsi\n"                                                                   \
    "\ttestq %%rsi, %%rsi\n"                                                                       \
    "\tjz 20f\n"                                                                                   \
    "22:\tmovl 8(%%rsi), %%r11d\n"                                                                 \
    "\tmovl 12(%%rsi), %%ecx\n"                                                                    \
    "\tmovq 16(%%rsi), %%rdx\n"                                                                    \
    "\tmovq %%rdx, (%%rdi)\n"                                                                      \
    "\tsubl $1, %%ecx\n"                                                                           \
    "\tjc 23f\n"                                                                                   \
    "\trdpmc\n"                                                                                    \
    "\tshlq $32, %%rdx\n"                                                                          \
    "\torq %%rdx, %%rax\n"                                                                         \
    "\tmovzwl 48(%%rsi), %%ecx\n"                                                                  \
    "\tnegl %%ecx\n"                                                                               \
    "\tshlq %%cl, %%rax\n"                                                                         \
    "\tsarq %%cl, %%rax\n"                                                                         \
    "\taddq %%rax, (%%rdi)\n"                                                                      \
    "23:\tcmpl 8(%%rsi), %%r11d\n"                                                                 \
    "\tjne 22b\n"                                                                                  \
    "\taddq $8, %%rdi\n"                                                                           \
    "\taddq $8, %%r10\n"                                                                           \
    "\tjmp 21b\n"                                                                                  \
    "20:\n"

/* TRAP: from the instruction behind popf the CPU traps after each one. Below the caller's red zone.
 */
#define ASSAY_TRAP_IN_PLACE                                                                        \
    "\ttestb $4, (%%r9)\n"                                                                         \
    "\tjz 30f\n"                                                                                   \
    "\tleaq -128(%%rsp), %%rsp\n"                                                                  \
    "\tpushfq\n"                                                                                   \
    "\torq $0x100, (%%rsp)\n"                                                                      \
    "\tpopfq\n"                                                                                    \
    "\tleaq 128(%%rsp), %%rsp\n"                                                                   \
    "\tmovq 40(%%r9), %%rax\n"                                                                     \
    "\tmovq %%rax, 184(%%r8)\n"                                                                    \
    "30:\n"

#define ASSAY_TRAPPED_IN_PLACE                                                                     \
    "\ttestb $4, (%%r9)\n"                                                                         \
    "\tjz 31f\n"                                                                                   \
    "\tmovq 40(%%r9), %%rax\n"                                                                     \
    "\tmovq %%rax, 344(%%r8)\n"                                                                    \
    "31:\n"

/* TICKS: what stands before is done, and what follows not begun. */
#define ASSAY_TICKS_IN_PLACE(into)                                                                 \
    "\ttestb $8, (%%r9)\n"                                                                         \
    "\tjz 40f\n"                                                                                   \
    "\tlfence\n"                                                                                   \
    "\trdtsc\n"                                                                                    \
    "\tshlq $32, %%rdx\n"                                                                          \
    "\torq %%rdx, %%rax\n"                                                                         \
    "\tmovq %%rax, " into "(%%r8)\n"                                                               \
    "\tlfence\n"                                                                                   \
    "40:\n"

#define ASSAY_IN_PLACE_CLOBBERS                                                                    \
    "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"

/* The next frame becomes the innermost, unless there is none, with no children. */
#define ASSAY_BEGIN_IN_PLACE                                                                       \
    __asm__ volatile(ASSAY_HERE_IN_PLACE "\tmovq 8(%%r9), %%r8\n"                                  \
                                         "\taddq $384, %%r8\n"                                     \
                                         "\tcmpq 16(%%r9), %%r8\n"                                 \
                                         "\tcmova 16(%%r9), %%r8\n"                                \
                                         "\tmovq %%r8, 8(%%r9)\n"                                  \
                                         "\taddl $1, 4(%%r9)\n"                                    \
                                         "\tmovq $0, 352(%%r8)\n"                                  \
                                         "\tmovq $0, 360(%%r8)\n"                                  \
                                         "\tmovq $0, 368(%%r8)\n" ASSAY_READ_IN_PLACE("32", "16")  \
                                             ASSAY_USER_IN_PLACE("56")                             \
                                                 ASSAY_TRAP_IN_PLACE ASSAY_TICKS_IN_PLACE("0")     \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#define ASSAY_END_IN_PLACE                                                                         \
    __asm__ volatile(ASSAY_HERE_IN_PLACE "\tmovq 8(%%r9), %%r8\n" ASSAY_TICKS_IN_PLACE("8")        \
                         ASSAY_TRAPPED_IN_PLACE ASSAY_USER_IN_PLACE("216")                         \
                             ASSAY_READ_IN_PLACE("192", "24")                                      \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#endif
