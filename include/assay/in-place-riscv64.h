/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region on RISC-V (64 bit), as they stand in the caller's code: texts without an
 * operand, so that they are the same instructions everywhere. t0 is the thread's struct assay_here,
 * t1 the frame, t2 the ways. Not part of the interface. */
#ifndef ASSAY_IN_PLACE_RISCV64_H
#define ASSAY_IN_PLACE_RISCV64_H

#include "counter-table-riscv64.h"
#include "system-call.h"

#define ASSAY_HERE_IN_PLACE                                                                        \
    "\t.option push\n"                                                                             \
    "\t.option norelax\n"                                                                          \
    "\t.option norvc\n"                                                                            \
    "\tla.tls.ie t0, assay_here\n"                                                                 \
    "\tadd t0, t0, tp\n"                                                                           \
    "\tld t0, 0(t0)\n"                                                                             \
    "\tlw t2, 0(t0)\n"

/* Neither end has been read: ended.c looks at the time in both reports. */
#define ASSAY_UNREAD_IN_PLACE                                                                      \
    "\tsd zero, 72(t1)\n"                                                                          \
    "\tsd zero, 248(t1)\n"

/* Inside another region, with TICKS: when this one began, which ended.c takes from the time of
 * those around. What system calls cost depends on what runs beside them: it is measured, not
 * assumed. */
#define ASSAY_STAMP_IN_PLACE                                                                       \
    "\tandi t3, t2, 8\n"                                                                           \
    "\tbeqz t3, 11f\n"                                                                             \
    "\tlw t3, 4(t0)\n"                                                                             \
    "\taddi t3, t3, -1\n"                                                                          \
    "\tbeqz t3, 11f\n"                                                                             \
    "\tfence\n"                                                                                    \
    "\trdtime t3\n"                                                                                \
    "\tsd t3, 232(t1)\n"                                                                           \
    "11:\n"

/* READ: read(descriptor, frame + report, size), the result into frame + got. */
#define ASSAY_READ_IN_PLACE(first, report, got)                                                    \
    "\tandi t3, t2, 1\n"                                                                           \
    "\tbeqz t3, 10f\n" first "\tld a0, 24(t0)\n"                                                   \
    "\taddi a1, t1, " report "\n"                                                                  \
    "\tld a2, 32(t0)\n"                                                                            \
    "\tli a7, 63\n"                                                                                \
    "\tecall\n"                                                                                    \
    "\tsd a0, " got "(t1)\n"                                                                       \
    "10:\n"

/* What the first page says before any counter is read: ended.c looks whether it still does. */
#define ASSAY_USER_SEEN_IN_PLACE                                                                   \
    "\tlwu a1, 8(a0)\n"                                                                            \
    "\tld a2, 24(a0)\n"                                                                            \
    "\tld a3, 32(a0)\n"                                                                            \
    "\tsd a1, 416(t1)\n"                                                                           \
    "\tsd a2, 424(t1)\n"                                                                           \
    "\tsd a3, 432(t1)\n"

/* USER, for every page (a0) until the first NULL: what it adds to the counter, and the counter that
 * it names as it is; again where the page was written meanwhile,
 * which is noticed (ASSAY_SAW_DISTURBED). 18 instructions a counter, the
 * ninth reads it. An index that has no instruction counts as none. */
#define ASSAY_USER_IN_PLACE(seen, into)                                                            \
    "\tandi t3, t2, 2\n"                                                                           \
    "\tbeqz t3, 20f\n"                                                                             \
    "\tld a0, 48(t0)\n" seen "\taddi a4, t0, 56\n"                                                 \
    "\taddi a5, t1, " into "\n"                                                                    \
    "\tlla a6, 22f\n"                                                                              \
    "21:\tlw a1, 8(a0)\n"                                                                          \
    "\tlwu a2, 12(a0)\n"                                                                           \
    "\tld a3, 16(a0)\n"                                                                            \
    "\tsltiu t3, a2, 33\n"                                                                         \
    "\tbeqz t3, 22f\n"                                                                             \
    "\tslli a2, a2, 3\n"                                                                           \
    "\tadd a2, a2, a6\n"                                                                           \
    "\tjr a2\n"                                                                                    \
    "22:\n" ASSAY_COUNTER_TABLE("a2", "23f") "23:\tlw t3, 8(a0)\n"                                 \
                                             "\tbne t3, a1, 24f\n"                                 \
                                             "\tsd a3, 0(a5)\n"                                    \
                                             "\tsd a2, 8(a5)\n"                                    \
                                             "\tld a0, 0(a4)\n"                                    \
                                             "\taddi a4, a4, 8\n"                                  \
                                             "\taddi a5, a5, 16\n"                                 \
                                             "\tbnez a0, 21b\n"                                    \
                                             "\tj 20f\n"                                           \
                                             "24:\tld t3, 48(t1)\n"                                \
                                             "\tori t3, t3, 16\n"                                  \
                                             "\tsd t3, 48(t1)\n"                                   \
                                             "\tj 21b\n"                                           \
                                             "20:\n"

/* TICKS: what stands before is done, and what follows not begun. */
#define ASSAY_TICKS_IN_PLACE(into)                                                                 \
    "\tandi t3, t2, 8\n"                                                                           \
    "\tbeqz t3, 40f\n"                                                                             \
    "\tfence\n"                                                                                    \
    "\trdtime t3\n"                                                                                \
    "\tsd t3, " into "(t1)\n"                                                                      \
    "\tfence\n"                                                                                    \
    "40:\n"

/* A region's address by two instructions, every time: left alone, compilers keep it in a register
 * for several regions, or that of a neighbour. The name of the operand tells an address from a
 * register. In libraries it is left alone, because others may define what is addressed. */
#if !defined(__PIC__) || defined(__PIE__)
#define ASSAY_ADDRESS_IN_PLACE(region)                                                             \
    do {                                                                                           \
        register struct assay_region *assay_address __asm__("a0");                                 \
        __asm__ volatile(                                                                          \
            "\t.set .Lassay_held, 0\n"                                                             \
            "\t.irp held, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, a0, a1, "              \
            "a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6, ra, gp, tp, fp, sp\n"             \
            "\t.ifc %1, \\held\n"                                                                  \
            "\t.set .Lassay_held, 1\n"                                                             \
            "\t.endif\n"                                                                           \
            "\t.endr\n"                                                                            \
            "\t.if .Lassay_held\n"                                                                 \
            "\tmv a0, %1\n"                                                                        \
            "\tnop\n"                                                                              \
            "\t.else\n"                                                                            \
            "\tlla a0, %1\n"                                                                       \
            "\t.endif\n"                                                                           \
            : "=r"(assay_address)                                                                  \
            : "Sr"(region));                                                                       \
        (region) = assay_address;                                                                  \
    } while (0)
#else
#define ASSAY_ADDRESS_IN_PLACE(region) ((void)(region))
#endif

#define ASSAY_IN_PLACE_CLOBBERS                                                                    \
    "t0", "t1", "t2", "t3", "t4", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",                  \
        ASSAY_READ_CLOBBERS

/* The next frame becomes the innermost, unless there is none, with no children. Counted as open
 * before it has its frame: a signal handler with regions of its own may come in between. */
#define ASSAY_BEGIN_IN_PLACE                                                                       \
    __asm__ volatile(ASSAY_HERE_IN_PLACE                                                           \
                     "\tlw t3, 4(t0)\n"                                                            \
                     "\taddi t3, t3, 1\n"                                                          \
                     "\tsw t3, 4(t0)\n"                                                            \
                     "\tld t1, 8(t0)\n"                                                            \
                     "\tld t4, 16(t0)\n"                                                           \
                     "\taddi t1, t1, 960\n"                                                        \
                     "\tbleu t1, t4, 1f\n"                                                         \
                     "\tmv t1, t4\n"                                                               \
                     "1:\tsd t1, 8(t0)\n"                                                          \
                     "\tsd zero, 32(t1)\n"                                                         \
                     "\tsd zero, 40(t1)\n"                                                         \
                     "\tsd zero, 48(t1)\n"                                                         \
                     "\tsd zero, 56(t1)\n" ASSAY_READ_IN_PLACE(                                    \
                         ASSAY_UNREAD_IN_PLACE ASSAY_STAMP_IN_PLACE, "64", "16")                   \
                         ASSAY_USER_IN_PLACE(ASSAY_USER_SEEN_IN_PLACE, "448")                      \
                             ASSAY_TICKS_IN_PLACE("0") "\t.option pop\n"                           \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#define ASSAY_END_IN_PLACE                                                                         \
    __asm__ volatile(ASSAY_HERE_IN_PLACE "\tld t1, 8(t0)\n" ASSAY_TICKS_IN_PLACE("8")              \
                         ASSAY_USER_IN_PLACE("", "704")                                            \
                             ASSAY_READ_IN_PLACE("", "240", "24") "\t.option pop\n"                \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

/* A window: what of a region's ends is between its two readings of TICKS, and nothing else of them.
 * No region is begun: the frame is that of none. */
#define ASSAY_WINDOW_IN_PLACE(into)                                                                \
    __asm__ volatile(ASSAY_HERE_IN_PLACE                                                           \
                     "\tld t1, 8(t0)\n" ASSAY_TICKS_IN_PLACE(into) "\t.option pop\n"               \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#endif
