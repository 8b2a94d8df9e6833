/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cases of unit tests. They register themselves, and the cases of a file are a chapter, called
 * test-CHAPTER.c, which main.c runs in the order in which they stand there. */
#pragma once

/* cmocka.h needs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit_case {
    const char *file;
    int line;
    struct CMUnitTest test; /* without a function: fixtures of the whole chapter */
    void (*examples)(void); /* in place of a test: registers cases by unit_example() */
    const char *skip;       /* in place of a test: why the chapter cannot be tried here */
    struct unit_case *next;
};

void unit_register(struct unit_case *added);

#define UNIT_REGISTER(tag, ...)                                                                    \
    __attribute__((constructor)) static void register_##tag(void)                                  \
    {                                                                                              \
        static struct unit_case added = {.file = __FILE__, .line = __LINE__, __VA_ARGS__};         \
        unit_register(&added);                                                                     \
    }

/* NOLINTBEGIN(bugprone-macro-parentheses): names take none
 *
 * TEST(name) { … } is a case. TEST_WITH has fixtures, either may be NULL, and sees their state or
 * the chapter's. */
#define TEST(name)                       UNIT_TEST(name, NULL, NULL, no_state)
#define TEST_WITH(name, setup, teardown) UNIT_TEST(name, setup, teardown, state)
#define UNIT_TEST(name, setup, teardown, state)                                                    \
    static void name(void **state);                                                                \
    UNIT_REGISTER(name, .test = cmocka_unit_test_setup_teardown(name, setup, teardown))            \
    static void name(__attribute__((unused)) void **state)

/* Fixtures of the whole chapter, either may be NULL; once a file. */
#define GROUP(setup, teardown)                                                                     \
    UNIT_REGISTER(group, .test = {.setup_func = (setup), .teardown_func = (teardown)})

#define SKIP_CHAPTER(reason) UNIT_REGISTER(skip, .skip = (reason))

/* EXAMPLES(name) { … } runs before all cases, and calls unit_example() for each case of a table. */
#define EXAMPLES(name)                                                                             \
    static void name(void);                                                                        \
    UNIT_REGISTER(name, .examples = name)                                                          \
    static void name(void)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The braces of a long table, whose rows clang-format then sets side by side. */
#define TABLE(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

void unit_example(const char *name, CMUnitTestFunction function, const void *state);

/* A skip that states its reason. cmocka 1.1 reports skip() as "not ok # SKIP", which Meson counts
 * as a failure, and has no room for a reason; so the reason goes in front of the case's own line
 * as a TAP comment, from which tests/summary.py counts the case as skipped. Stands in the test
 * function itself. */
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
