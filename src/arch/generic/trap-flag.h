/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * No flag that a program may set for itself to trap after every instruction: on most ISAs only the
 * operating system can. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TRAP_FLAG       0
#define TRAP_FLAG_SET   ""
#define TRAP_FLAG_CLEAR ""
#define TRAP_FLAG_BELOW ""
#define TRAP_FLAG_ABOVE ""
#define TRAP_FLAG_OWN   0

#define TRAP_STUCK_MOST 100u

static inline size_t trap_flag_breakpoint(const unsigned char *code)
{
    (void)code;
    return 0;
}

static inline bool trap_flag_made(int code, const unsigned char *begun, bool set)
{
    (void)code;
    (void)begun;
    (void)set;
    return false;
}

static inline bool trap_flag_calls(const unsigned char *begun)
{
    (void)begun;
    return false;
}

static inline bool trap_flag_may_stay(const unsigned char *begun, bool counted)
{
    (void)begun;
    (void)counted;
    return true;
}

static inline unsigned trap_flag_stands_for(const unsigned char *begun, const unsigned char *next)
{
    (void)begun;
    (void)next;
    return 1;
}
