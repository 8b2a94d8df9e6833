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

/* Neither end has been read: ended.c looks at the time in both reports. */
#define ASSAY_UNREAD_IN_PLACE                                                                      \
    "\tmovq $0, 72(%%r8)\n"                                                                        \
    "\tmovq $0, 248(%%r8)\n"

/* Inside another region, with TICKS: when this one began, which ended.c takes from the time of
 * those around. What system calls cost depends on what runs beside them: it is measured, not
 * assumed. */
#define ASSAY_STAMP_IN_PLACE                                                                       \
    "\ttestb $8, (%%r9)\n"                                                                         \
    "\tjz 11f\n"                                                                                   \
    "\tcmpl $1, 4(%%r9)\n"                                                                         \
    "\tjbe 11f\n"                                                                                  \
    "\tlfence\n"                                                                                   \
    "\trdtsc\n"                                                                                    \
    "\tshlq $32, %%rdx\n"                                                                          \
    "\torq %%rdx, %%rax\n"                                                                         \
    "\tmovq %%rax, 232(%%r8)\n"                                                                    \
    "11:\n"

/* READ: read(descriptor, frame + report, size), the result into frame + got. */
#define ASSAY_READ_IN_PLACE(first, report, got)                                                    \
    "\ttestb $1, (%%r9)\n"                                                                         \
    "\tjz 10f\n" first "\tmovq 24(%%r9), %%rdi\n"                                                  \
    "\tleaq " report "(%%r8), %%rsi\n"                                                             \
    "\tmovq 32(%%r9), %%rdx\n"                                                                     \
    "\txorl %%eax, %%eax\n"                                                                        \
    "\tsyscall\n"                                                                                  \
    "\tmovq %%rax, " got "(%%r8)\n"                                                                \
    "10:\n"

/* What the first page says before any counter is read: ended.c looks whether it still does. */
#define ASSAY_USER_SEEN_IN_PLACE                                                                   \
    "\tmovl 8(%%rsi), %%eax\n"                                                                     \
    "\tmovq %%rax, 416(%%r8)\n"                                                                    \
    "\tmovq 24(%%rsi), %%rax\n"                                                                    \
    "\tmovq %%rax, 424(%%r8)\n"                                                                    \
    "\tmovq 32(%%rsi), %%rax\n"                                                                    \
    "\tmovq %%rax, 432(%%r8)\n"

/* USER, for every page until the first NULL: what it adds to the counter, and the counter that it
 * names as it is; again where the page was written meanwhile,
 * which is noticed (ASSAY_SAW_DISTURBED). 15 instructions a counter, the
 * seventh reads it; r10 is the number of words that are there. Index 0: on no counter. */
#define ASSAY_USER_IN_PLACE(seen, offset, low, high)                                               \
    "\ttestb $2, (%%r9)\n"                                                                         \
    "\tjz 20f\n"                                                                                   \
    "\tmovq 48(%%r9), %%rsi\n" seen "\txorl %%r10d, %%r10d\n"                                      \
    "21:\tmovl 8(%%rsi), %%r11d\n"                                                                 \
    "\tmovl 12(%%rsi), %%ecx\n"                                                                    \
    "\tmovq 16(%%rsi), %%rax\n"                                                                    \
    "\tmovq %%rax, " offset "(%%r8,%%r10,8)\n"                                                     \
    "\tsubl $1, %%ecx\n"                                                                           \
    "\tjc 23f\n"                                                                                   \
    "\trdpmc\n"                                                                                    \
    "22:\tmovl %%eax, " low "(%%r8,%%r10,8)\n"                                                     \
    "\tmovl %%edx, " high "(%%r8,%%r10,8)\n"                                                       \
    "\tcmpl 8(%%rsi), %%r11d\n"                                                                    \
    "\tjne 24f\n"                                                                                  \
    "\taddl $2, %%r10d\n"                                                                          \
    "\tmovq 48(%%r9,%%r10,4), %%rsi\n"                                                             \
    "\ttestq %%rsi, %%rsi\n"                                                                       \
    "\tjnz 21b\n"                                                                                  \
    "\tjmp 20f\n"                                                                                  \
    "23:\txorl %%eax, %%eax\n"                                                                     \
    "\txorl %%edx, %%edx\n"                                                                        \
    "\tjmp 22b\n"                                                                                  \
    "24:\torq $16, 48(%%r8)\n"                                                                     \
    "\tjmp 21b\n"                                                                                  \
    "20:\n"

/* TRAP: from the instruction behind popf the CPU traps after each one. Below the caller's red zone.
 */
#define ASSAY_TRAP_IN_PLACE                                                                        \
    "\ttestb $4, (%%r9)\n"                                                                         \
    "\tjz 30f\n"                                                                                   \
    "\tleaq -128(%%rsp), %%rsp\n"                                                                  \
    "\tpushfq\n"                                                                                   \
    "\tmovq (%%rsp), %%rax\n"                                                                      \
    "\tmovq %%rax, 440(%%r8)\n"                                                                    \
    "\torq $0x100, (%%rsp)\n"                                                                      \
    "\tpopfq\n"                                                                                    \
    "\tleaq 128(%%rsp), %%rsp\n"                                                                   \
    "\tmovq 40(%%r9), %%rax\n"                                                                     \
    "\tmovq %%rax, 232(%%r8)\n"                                                                    \
    "30:\n"

#define ASSAY_TRAPPED_IN_PLACE                                                                     \
    "\ttestb $4, (%%r9)\n"                                                                         \
    "\tjz 31f\n"                                                                                   \
    "\tmovq 40(%%r9), %%rax\n"                                                                     \
    "\tmovq %%rax, 408(%%r8)\n"                                                                    \
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

/* A region's address by one instruction, every time: left alone, compilers keep it in a register
 * for several regions, and the instruction that puts it there is in only one of them. */
#define ASSAY_ADDRESS_IN_PLACE(region)                                                             \
    __asm__ volatile("leaq %1, %0" : "=D"(region) : "m"(*(region)))

#define ASSAY_IN_PLACE_CLOBBERS                                                                    \
    "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"

/* The next frame becomes the innermost, unless there is none, with no children. Counted as open
 * before it has its frame: a signal handler with regions of its own may come in between. */
#define ASSAY_BEGIN_IN_PLACE                                                                       \
    __asm__ volatile(ASSAY_HERE_IN_PLACE                                                           \
                     "\taddl $1, 4(%%r9)\n"                                                        \
                     "\tmovq 8(%%r9), %%r8\n"                                                      \
                     "\taddq $960, %%r8\n"                                                         \
                     "\tcmpq 16(%%r9), %%r8\n"                                                     \
                     "\tcmova 16(%%r9), %%r8\n"                                                    \
                     "\tmovq %%r8, 8(%%r9)\n"                                                      \
                     "\tmovq $0, 32(%%r8)\n"                                                       \
                     "\tmovq $0, 40(%%r8)\n"                                                       \
                     "\tmovq $0, 48(%%r8)\n"                                                       \
                     "\tmovq $0, 56(%%r8)\n" ASSAY_READ_IN_PLACE(                                  \
                         ASSAY_UNREAD_IN_PLACE ASSAY_STAMP_IN_PLACE, "64", "16")                   \
                         ASSAY_USER_IN_PLACE(ASSAY_USER_SEEN_IN_PLACE, "448", "456", "460")        \
                             ASSAY_TRAP_IN_PLACE ASSAY_TICKS_IN_PLACE("0")                         \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#define ASSAY_END_IN_PLACE                                                                         \
    __asm__ volatile(ASSAY_HERE_IN_PLACE "\tmovq 8(%%r9), %%r8\n" ASSAY_TICKS_IN_PLACE("8")        \
                         ASSAY_TRAPPED_IN_PLACE ASSAY_USER_IN_PLACE("", "704", "712", "716")       \
                             ASSAY_READ_IN_PLACE("", "240", "24")                                  \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

/* A window: what of a region's ends is between its two readings of TICKS, and nothing else of them.
 * No region is begun: the frame is that of none. */
#define ASSAY_WINDOW_IN_PLACE(into)                                                                \
    __asm__ volatile(ASSAY_HERE_IN_PLACE "\tmovq 8(%%r9), %%r8\n" ASSAY_TICKS_IN_PLACE(into)       \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#endif
