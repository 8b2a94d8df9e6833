/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens of caches and TLBs are made of, on AArch64: what walks on where the
 * last call stopped, what flushes a line, and blocks of code that are copied to where they are
 * needed. Each is one instruction unless it says otherwise; registers are those of code.h. */
#pragma once

#include <stdint.h>
#include <string.h>

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
