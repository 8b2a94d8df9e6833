/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * How a function says why it failed. It returns a negative errno and, where the caller gave a
 * struct failure, leaves a sentence for a person: what happened, why, and what to do next.
 * The text is written at the place that knows the context and is never rewritten above it.
 *
 * The folder:
 *
 *     failure.h, .c           a negative errno and a sentence
 *     text.h, .c              text that grows, and bytes from outside made safe to show
 *     words.h, .c             lists of words
 *     cleanup.h               freed and closed at the end of a block
 *     list.h, monotonic.h     lists, a clock */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct failure {
    int code; /* negative errno; 0 while nothing failed */
    char text[1024];
};

/* Records code and text (failure may be NULL) and returns code, so that `return fail_with(...)`
 * reads as what it does. code must be negative. */
int fail_with(struct failure *failure, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* which would follow failures that are none */
#define fail_with(failure, code, ...) ((fail_with)(failure, code, __VA_ARGS__), -1)
#endif
