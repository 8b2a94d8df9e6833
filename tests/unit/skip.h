/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A skip that states its reason. cmocka 1.1 reports skip() as "not ok # SKIP", which Meson counts
 * as a failure, and has no room for a reason; so the reason goes in front of the case's own line
 * as a TAP comment, from which tests/summary.py counts the case as skipped. Stands in the test
 * function itself, after cmocka.h. */
#pragma once

#define skip_because(...)                                                                          \
    do {                                                                                           \
        print_message("# skip: ");                                                                 \
        print_message(__VA_ARGS__);                                                                \
        print_message("\n");                                                                       \
        return;                                                                                    \
    } while (0)

/* Which sanitizer is in: gcc says so by macros, clang by features. */
#ifdef __has_feature
#define SANITIZED_FEATURE(name) __has_feature(name)
#else
#define SANITIZED_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || SANITIZED_FEATURE(address_sanitizer)
#define SANITIZED_ADDRESSES
#endif
#if defined(__SANITIZE_THREAD__) || SANITIZED_FEATURE(thread_sanitizer)
#define SANITIZED_THREADS
#endif
