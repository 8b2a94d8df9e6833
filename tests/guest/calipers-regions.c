/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions of known numbers of instructions. Compiled several times: -DMAKER=NAME, at different
 * levels, and with -DASSAY_NO_INLINE. What stands between the ends is a text without operands, so
 * that the compiler adds nothing to it at any level. */
#include "calipers.h"

#include <assay.h>

#define JOIN(a, b)   a##b
#define NAMED(a, b)  JOIN(a, b)
#define QUOTED(text) #text
#define TEXT(text)   QUOTED(text)

/* 2 + 2·times instructions. */
#if defined(__x86_64__)
#define LOOP(times)                                                                                \
    __asm__ volatile("nop\n\tmovl $" times ", %%ecx\n1:\tdecl %%ecx\n\tjnz 1b" : : : "ecx", "cc")
#elif defined(__aarch64__)
#define LOOP(times)                                                                                \
    __asm__ volatile("movz x9, #(" times " & 0xffff)\n\tmovk x9, #(" times " >> 16), lsl #16\n"    \
                     "1:\tsubs x9, x9, #1\n\tb.ne 1b"                                              \
                     :                                                                             \
                     :                                                                             \
                     : "x9", "cc")
#else
#define LOOP(times)                                                                                \
    __asm__ volatile("lui t0, %%hi(" times ")\n\taddi t0, t0, %%lo(" times ")\n"                   \
                     "1:\taddi t0, t0, -1\n\tbnez t0, 1b"                                          \
                     :                                                                             \
                     :                                                                             \
                     : "t0")
#endif
#define ROW(times) __asm__ volatile(".rept " times "\n\tnop\n\t.endr")

/* Behind the last end of a function: a function that is called last is jumped to, with what the
 * caller restores before that in the region. */
#define STAY __asm__ volatile("")

#define BLOCK_0       __asm__ volatile("")
#define BLOCK_1       ROW("1")
#define BLOCK_10      ROW("10")
#define BLOCK_100     ROW("100")
#define BLOCK_1000    ROW("1000")
#define BLOCK_10000   LOOP("4999")
#define BLOCK_100000  LOOP("49999")
#define BLOCK_1000000 LOOP("499999")

static struct assay_region first = ASSAY_REGION("first"), second = ASSAY_REGION("second");

#define SHAPES(size)                                                                               \
    static void single_##size(void)                                                                \
    {                                                                                              \
        assay_begin();                                                                             \
        BLOCK_##size;                                                                              \
        assay_end();                                                                               \
        STAY;                                                                                      \
    }                                                                                              \
    static void one_child_##size(void)                                                             \
    {                                                                                              \
        assay_begin();                                                                             \
        BLOCK_##size;                                                                              \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        assay_end();                                                                               \
        STAY;                                                                                      \
    }                                                                                              \
    static void three_children_##size(void)                                                        \
    {                                                                                              \
        assay_begin();                                                                             \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        BLOCK_##size;                                                                              \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        assay_end();                                                                               \
        STAY;                                                                                      \
    }                                                                                              \
    static void depth_three_##size(void)                                                           \
    {                                                                                              \
        assay_begin();                                                                             \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        assay_end();                                                                               \
        BLOCK_##size;                                                                              \
        assay_end();                                                                               \
        STAY;                                                                                      \
    }                                                                                              \
    static void named_children_##size(void)                                                        \
    {                                                                                              \
        assay_begin();                                                                             \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end_in(&first);                                                                      \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end();                                                                               \
        BLOCK_##size;                                                                              \
        assay_begin();                                                                             \
        BLOCK_10;                                                                                  \
        assay_end_in(&second);                                                                     \
        assay_end();                                                                               \
        STAY;                                                                                      \
    }

SHAPES(0)
SHAPES(1)
SHAPES(10)
SHAPES(100)
SHAPES(1000)
SHAPES(10000)
SHAPES(100000)
SHAPES(1000000)

static int calibrate(void)
{
    return assay_calibrate();
}

#define ALL(shape)                                                                                 \
    {                                                                                              \
        shape##_0, shape##_1, shape##_10, shape##_100, shape##_1000, shape##_10000,                \
            shape##_100000, shape##_1000000                                                        \
    }

const struct region_maker NAMED(region_maker_, MAKER) = {
    .name = TEXT(MAKER),
    .calibrate = calibrate,
    .make =
        {
            [REGION_SINGLE] = ALL(single),
            [REGION_ONE_CHILD] = ALL(one_child),
            [REGION_THREE_CHILDREN] = ALL(three_children),
            [REGION_DEPTH_THREE] = ALL(depth_three),
            [REGION_NAMED_CHILDREN] = ALL(named_children),
        },
};
