/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * No flag that a program may set for itself to trap after every instruction: on most ISAs only the
 * operating system can. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What the handler of a trap sees and changes of the code it interrupted. Nothing, where no flag
 * makes code trap. */

/* A system call that the interrupted code is about to make. */
struct trap_call {
    long number;
    uint64_t arguments[4];
};

static inline bool trap_was_set(uint64_t flags)
{
    (void)flags;
    return false;
}

static inline bool trap_is_set(void)
{
    return false;
}

static inline bool trap_context_set(const void *context)
{
    (void)context;
    return false;
}

static inline uint64_t trap_context_left(const void *context)
{
    (void)context;
    return 0;
}

static inline void trap_context_skip(void *context, size_t bytes)
{
    (void)context;
    (void)bytes;
}

#define TRAP_ABORT_BYTES     4u
#define TRAP_ABORT_SIGNATURE 0u

static inline void trap_context_clear(void *context)
{
    (void)context;
}

static inline bool trap_context_call(const void *context, struct trap_call *call)
{
    (void)context;
    (void)call;
    return false;
}

static inline bool trap_context_failed(const void *context)
{
    (void)context;
    return true;
}

static inline void trap_context_answer(void *context, long result)
{
    (void)context;
    (void)result;
}

static inline uint64_t *trap_context_mask(void *context)
{
    (void)context;
    return NULL;
}
