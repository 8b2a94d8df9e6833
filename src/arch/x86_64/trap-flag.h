/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The flag that makes an x86 trap after every instruction. A program may set it for itself. */
#pragma once

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
