/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The flag that makes an x86 trap after every instruction. A program may set it for itself. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

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

/* Around both in code with a red zone, which they would write into. */
#define TRAP_FLAG_BELOW "leaq -128(%%rsp), %%rsp\n\t"
#define TRAP_FLAG_ABOVE "\n\tleaq 128(%%rsp), %%rsp"

/* Traps of the two texts themselves: nop, pushfq, andq, popfq. */
#define TRAP_FLAG_OWN 4

/* Did the flag make a trap with this si_code, after the instruction that begun points at (NULL: not
 * known)? Some hypervisors now and then lose the bit in DR6 that says so. The operating system then
 * takes the trap for that of int1, which is the only other one without a reason. */
static inline bool trap_flag_made(int code, const unsigned char *begun)
{
    return code == TRAP_TRACE || (code == TRAP_BRKPT && !(begun && *begun == 0xf1));
}

/* How many instructions ended with a trap, the CPU having been about to begin `begun` (NULL: not
 * known) and being about to go on at `next`:
 *  - none, while a repeated string instruction repeats itself: it traps after every repetition;
 *  - two behind one that holds its trap back, and where the trap of a system call was lost;
 *  - one else. Of the page of the old vsyscalls, where the operating system acts in the place of
 *    code and which may not be read, it is the instruction behind the call of it. */
static inline unsigned trap_flag_stands_for(const unsigned char *begun, const unsigned char *next)
{
    if (!begun || (intptr_t)begun < 0)
        return 1;
    if (begun == next && decode_is_repeated(begun, DECODE_LONGEST))
        return 0;
    if (decode_holds_trap(begun, DECODE_LONGEST))
        return 2;
    bool called = decode_is_system_call_at(begun) || (begun[0] == 0xcd && begun[1] == 0x80);
    return called && next != begun + DECODE_SYSTEM_CALL_BYTES ? 2 : 1; /* int $0x80 is as long */
}
