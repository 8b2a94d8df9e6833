/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens of caches and TLBs are made of, on x86-64: what walks on where the last
 * call stopped, what flushes a line, and blocks of code that are copied to where they are needed.
 * Each is one instruction unless it says otherwise; registers are those of code.h. */
#pragma once

#include <stdint.h>
#include <string.h>

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
