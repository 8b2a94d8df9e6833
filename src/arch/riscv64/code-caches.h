/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens of caches and TLBs are made of, on RISC-V (64 bit): what walks on where
 * the last call stopped, what flushes a line, and blocks of code that are copied to where they are
 * needed. Each is one instruction unless it says otherwise; registers are those of code.h. */
#pragma once

#include <stdint.h>
#include <string.h>

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
