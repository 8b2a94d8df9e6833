/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region on AArch64, as they stand in the caller's code: texts without an operand, so
 * that they are the same instructions everywhere. x9 is the thread's struct assay_here, x10 the
 * frame, w11 the ways. Not part of the interface. */
#ifndef ASSAY_IN_PLACE_AARCH64_H
#define ASSAY_IN_PLACE_AARCH64_H

#include "counter-table-aarch64.h"
#include "system-call.h"

#define ASSAY_HERE_IN_PLACE                                                                        \
    "\tadrp x9, :gottprel:assay_here\n"                                                            \
    "\tldr x9, [x9, #:gottprel_lo12:assay_here]\n"                                                 \
    "\tmrs x10, tpidr_el0\n"                                                                       \
    "\tldr x9, [x10, x9]\n"                                                                        \
    "\tldp x11, x10, [x9]\n"

/* Neither end has been read: ended.c looks at the time in both reports. */
#define ASSAY_UNREAD_IN_PLACE                                                                      \
    "\tstr xzr, [x10, #72]\n"                                                                      \
    "\tstr xzr, [x10, #248]\n"

/* Inside another region, with TICKS: when this one began, which ended.c takes from the time of
 * those around. What system calls cost depends on what runs beside them: it is measured, not
 * assumed. */
#define ASSAY_STAMP_IN_PLACE                                                                       \
    "\ttbz w11, #3, 11f\n"                                                                         \
    "\tldr w12, [x9, #4]\n"                                                                        \
    "\tcmp w12, #1\n"                                                                              \
    "\tb.ls 11f\n"                                                                                 \
    "\tisb\n"                                                                                      \
    "\tmrs x12, cntvct_el0\n"                                                                      \
    "\tstr x12, [x10, #232]\n"                                                                     \
    "11:\n"

/* READ: read(descriptor, frame + report, size), the result into frame + got. */
#define ASSAY_READ_IN_PLACE(first, report, got)                                                    \
    "\ttbz w11, #0, 10f\n" first "\tldp x0, x2, [x9, #24]\n"                                       \
    "\tadd x1, x10, #" report "\n"                                                                 \
    "\tmov x8, #63\n"                                                                              \
    "\tsvc #0\n"                                                                                   \
    "\tstr x0, [x10, #" got "]\n"                                                                  \
    "10:\n"

/* What the first page says before any counter is read: ended.c looks whether it still does. */
#define ASSAY_USER_SEEN_IN_PLACE                                                                   \
    "\tldr w14, [x12, #8]\n"                                                                       \
    "\tldp x15, x16, [x12, #24]\n"                                                                 \
    "\tstr x14, [x10, #416]\n"                                                                     \
    "\tstp x15, x16, [x10, #424]\n"

/* USER, for every page (x12) until the first NULL: what it adds to the counter, and the counter
 * that it names as it is; again where the page was written meanwhile,
 * which is noticed (ASSAY_SAW_DISTURBED). 14 instructions a counter,
 * the seventh reads it (the eighth where branches are guarded). An index that has no instruction
 * counts as none. */
#define ASSAY_USER_IN_PLACE(seen, into)                                                            \
    "\ttbz w11, #1, 20f\n"                                                                         \
    "\tldr x12, [x9, #48]\n" seen "\tadd x13, x9, #56\n"                                           \
    "\tadd x17, x10, #" into "\n"                                                                  \
    "\tadr x8, 22f\n"                                                                              \
    "21:\tldp w14, w15, [x12, #8]\n"                                                               \
    "\tldr x16, [x12, #16]\n"                                                                      \
    "\tcmp w15, #32\n"                                                                             \
    "\tb.hi 22f\n"                                                                                 \
    "\tadd x15, x8, w15, uxtw #" ASSAY_COUNTER_STRIDE "\n"                                         \
    "\tbr x15\n"                                                                                   \
    "22:\n" ASSAY_COUNTER_TABLE("x15", "23f") "23:\tldr w7, [x12, #8]\n"                           \
                                              "\tcmp w7, w14\n"                                    \
                                              "\tb.ne 24f\n"                                       \
                                              "\tstp x16, x15, [x17], #16\n"                       \
                                              "\tldr x12, [x13], #8\n"                             \
                                              "\tcbnz x12, 21b\n"                                  \
                                              "\tb 20f\n"                                          \
                                              "24:\tldr x7, [x10, #48]\n"                          \
                                              "\torr x7, x7, #16\n"                                \
                                              "\tstr x7, [x10, #48]\n"                             \
                                              "\tb 21b\n"                                          \
                                              "20:\n"

/* TICKS: what stands before is done, and what follows not begun. */
#define ASSAY_TICKS_IN_PLACE(into)                                                                 \
    "\ttbz w11, #3, 40f\n"                                                                         \
    "\tisb\n"                                                                                      \
    "\tmrs x12, cntvct_el0\n"                                                                      \
    "\tstr x12, [x10, #" into "]\n"                                                                \
    "\tisb\n"                                                                                      \
    "40:\n"

/* A region's address by two instructions, every time: left alone, compilers keep it in a register
 * for several regions, or that of a neighbour. The name of the operand tells an address from a
 * register. In libraries it is left alone, because others may define what is addressed. */
#if !defined(__PIC__) || defined(__PIE__)
#define ASSAY_ADDRESS_IN_PLACE(region)                                                             \
    do {                                                                                           \
        register struct assay_region *assay_address __asm__("x0");                                 \
        __asm__ volatile("\t.set .Lassay_held, 0\n"                                                \
                         "\t.irp held, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, " \
                         "17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"                \
                         "\t.ifc %1, x\\held\n"                                                    \
                         "\t.set .Lassay_held, 1\n"                                                \
                         "\t.endif\n"                                                              \
                         "\t.endr\n"                                                               \
                         "\t.if .Lassay_held\n"                                                    \
                         "\tmov x0, %1\n"                                                          \
                         "\tnop\n"                                                                 \
                         "\t.else\n"                                                               \
                         "\tadrp x0, %1\n"                                                         \
                         "\tadd x0, x0, :lo12:%1\n"                                                \
                         "\t.endif\n"                                                              \
                         : "=r"(assay_address)                                                     \
                         : "Sr"(region));                                                          \
        (region) = assay_address;                                                                  \
    } while (0)
#else
#define ASSAY_ADDRESS_IN_PLACE(region) ((void)(region))
#endif

#define ASSAY_IN_PLACE_CLOBBERS                                                                    \
    "x0", "x1", "x2", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",    \
        "cc", ASSAY_READ_CLOBBERS

/* The next frame becomes the innermost, unless there is none, with no children. Counted as open
 * before it has its frame: a signal handler with regions of its own may come in between. */
#define ASSAY_BEGIN_IN_PLACE                                                                       \
    __asm__ volatile(ASSAY_HERE_IN_PLACE                                                           \
                     "\tlsr x12, x11, #32\n"                                                       \
                     "\tadd w12, w12, #1\n"                                                        \
                     "\tstr w12, [x9, #4]\n"                                                       \
                     "\tldp x10, x12, [x9, #8]\n"                                                  \
                     "\tadd x10, x10, #960\n"                                                      \
                     "\tcmp x10, x12\n"                                                            \
                     "\tcsel x10, x10, x12, ls\n"                                                  \
                     "\tstr x10, [x9, #8]\n"                                                       \
                     "\tstp xzr, xzr, [x10, #32]\n"                                                \
                     "\tstp xzr, xzr, [x10, #48]\n" ASSAY_READ_IN_PLACE(                           \
                         ASSAY_UNREAD_IN_PLACE ASSAY_STAMP_IN_PLACE, "64", "16")                   \
                         ASSAY_USER_IN_PLACE(ASSAY_USER_SEEN_IN_PLACE, "448")                      \
                             ASSAY_TICKS_IN_PLACE("0")                                             \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

#define ASSAY_END_IN_PLACE                                                                         \
    __asm__ volatile(ASSAY_HERE_IN_PLACE ASSAY_TICKS_IN_PLACE("8") ASSAY_USER_IN_PLACE("", "704")  \
                         ASSAY_READ_IN_PLACE("", "240", "24")                                      \
                     :                                                                             \
                     :                                                                             \
                     : ASSAY_IN_PLACE_CLOBBERS)

/* A window: what of a region's ends is between its two readings of TICKS, and nothing else of them.
 * No region is begun: the frame is that of none. */
#define ASSAY_WINDOW_IN_PLACE(into)                                                                \
    __asm__ volatile(ASSAY_HERE_IN_PLACE ASSAY_TICKS_IN_PLACE(into) : : : ASSAY_IN_PLACE_CLOBBERS)

#endif
