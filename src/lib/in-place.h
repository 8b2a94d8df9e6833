/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region for the library's own functions: the instructions of include/assay where
 * there are any for the ISA, else C. */
#pragma once

#include <sys/syscall.h>

#include "lib/calipers.h"
#include "syscall.h"

#if defined(__x86_64__) && defined(__LP64__)
#include "assay/in-place-x86_64.h"
#elif defined(__aarch64__)
#include "assay/in-place-aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "assay/in-place-riscv64.h"
#endif
#ifdef ASSAY_BEGIN_IN_PLACE
#define IN_PLACE_TICKS 1 /* there are instructions for them */
#define IN_PLACE_USER  1
#else
#define IN_PLACE_TICKS 0
#define IN_PLACE_USER  0
#endif

static inline __attribute__((always_inline)) void in_place_begin(void)
{
#ifdef ASSAY_BEGIN_IN_PLACE
    ASSAY_BEGIN_IN_PLACE;
#else
    struct assay_here *here = assay_here;
    struct assay_frame *frame = here->frame == here->last ? here->last : here->frame + 1;
    here->frame = frame;
    here->depth++;
    frame->children = frame->named = frame->noticed = frame->measuring = 0;
    if (here->ways & ASSAY_WAY_READ)
        frame->got[0] = assay_syscall3(SYS_read, (long)here->descriptor,
                                       (long)(uintptr_t)frame->begun, (long)here->size);
#endif
}

static inline __attribute__((always_inline)) void in_place_end(void)
{
#ifdef ASSAY_END_IN_PLACE
    ASSAY_END_IN_PLACE;
#else
    struct assay_here *here = assay_here;
    struct assay_frame *frame = here->frame;
    if (here->ways & ASSAY_WAY_READ)
        frame->got[1] = assay_syscall3(SYS_read, (long)here->descriptor,
                                       (long)(uintptr_t)frame->ended, (long)here->size);
#endif
}
