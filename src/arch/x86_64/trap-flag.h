/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The flag that makes an x86 trap after every instruction. A program may set it for itself. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define TRAP_FLAG 1

/* The trap that popf switches on comes after the instruction behind it: that is the nop, so that
 * the first trap shows where the code of interest begins. The code must have no red zone. */
#define TRAP_FLAG_SET                                                                              \
    "pushfq\n"                                                                                     \
    "\torq $0x100, (%%rsp)\n"                                                                      \
    "\tpopfq\n"                                                                                    \
    "\tnop"

/* All three still trap, the last because the flag was set when it began. */
#define TRAP_FLAG_CLEAR                                                                            \
    "pushfq\n"                                                                                     \
    "\tandq $~0x100, (%%rsp)\n"                                                                    \
    "\tpopfq"

/* Traps of the two texts themselves: nop, pushfq, andq, popfq. */
#define TRAP_FLAG_OWN 4

/* Did the flag make a trap with this si_code, after the instruction that begun points at (NULL: not
 * known)? Some hypervisors now and then lose the bit in DR6 that says so. The operating system then
 * takes the trap for that of int1, which is the only other one without a reason. */
static inline bool trap_flag_made(int code, const unsigned char *begun)
{
    return code == TRAP_TRACE || (code == TRAP_BRKPT && !(begun && *begun == 0xf1));
}
