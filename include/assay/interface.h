/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What all of libassay's headers share. Include assay.h, not this. */
#ifndef ASSAY_INTERFACE_H
#define ASSAY_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#define ASSAY_VERSION_MAJOR 0
#define ASSAY_VERSION_MINOR 1

#define ASSAY_API __attribute__((visibility("default")))

/* Where code of this ISA can stand in the caller's own program. ASSAY_NO_INLINE turns it off: then
 * everything is a call of the library, as from other languages. */
#if !defined(ASSAY_NO_INLINE) && defined(__GNUC__) && defined(__linux__) &&                        \
    ((defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__) ||                         \
     (defined(__riscv) && __riscv_xlen == 64))
#define ASSAY_IN_PLACE 1
#else
#define ASSAY_IN_PLACE 0
#endif
#define ASSAY_INLINE static inline __attribute__((always_inline))

#ifdef __cplusplus
extern "C" {
#endif

/* What a count is. */
enum assay_state {
    ASSAY_COUNTED,     /* the counter ran all the time it was enabled */
    ASSAY_MULTIPLEXED, /* it ran part of the time: the count is too small, and was scaled */
    ASSAY_UNSCHEDULED, /* it was enabled but never got a counter: the zero means nothing */
    ASSAY_UNSUPPORTED, /* it could not be opened: its reason says why */
};

ASSAY_API const char *assay_state_name(enum assay_state state);

/* The text of this thread's last failed call; "" when none failed. */
ASSAY_API const char *assay_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
