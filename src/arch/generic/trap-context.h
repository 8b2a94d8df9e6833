/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What the handler of a trap sees and changes of the code it interrupted. Nothing, where no flag
 * makes code trap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
