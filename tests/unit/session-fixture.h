/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sessions with a probe that misbehaves on demand: a kit with the fake probe around each test,
 * which must leave no process and no descriptor behind. */
#pragma once

#include "case.h"
#include "engine/session.h"
#include "fake-kit.h"

#define HELLO_MS 5000

static char kit_folder[64];
static int descriptors_before;
static volatile int stop_flag;

static inline int before_each(void **state)
{
    (void)state;
    fake_kit_make(kit_folder);
    unsetenv("FAKE_MODE");
    unsetenv("ASSAY_SILENCE_MS");
    stop_flag = 0;
    descriptors_before = open_descriptors();
    return 0;
}

static inline int after_each(void **state)
{
    (void)state;
    assert_no_children();
    assert_int_equal(open_descriptors(), descriptors_before);
    fake_kit_remove(kit_folder);
    return 0;
}

static inline struct session *open_session(const char *mode)
{
    struct session *session = NULL;
    struct failure failure = {0};
    setenv("FAKE_MODE", mode, 1);
    if (session_open(&session, NULL, HELLO_MS, &stop_flag, &failure) < 0)
        fail_msg("%s", failure.text);
    return session;
}

static inline void assert_says(const struct failure *failure, const char *words)
{
    if (!strstr(failure->text, words))
        fail_msg("'%s' does not say '%s'", failure->text, words);
}

static inline void assert_open_fails(const char *mode, int timeout_ms, int code, const char *said,
                                     const char *more)
{
    struct session *session = NULL;
    struct failure failure = {0};
    setenv("FAKE_MODE", mode, 1);
    if (session_open(&session, NULL, timeout_ms, &stop_flag, &failure) != code)
        fail_msg("%s: %s", mode, failure.text);
    assert_null(session);
    assert_int_equal(failure.code, code);
    assert_says(&failure, said);
    assert_says(&failure, more);
    assert_no_children();
}

/* Each mode, "TYPE:KEY=VALUE" or "TYPE:KEY", makes a catalogue that is refused by the name of the
 * key or by its value. */
static inline void assert_altered_refused(const char *const *modes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char key[96], value[96];
        const char *altered = strchr(modes[i], ':') + 1, *sign = strchr(altered, '=');
        struct session *session = NULL;
        struct failure failure = {0};
        snprintf(key, sizeof(key), "'%.*s'", (int)strcspn(altered, "="), altered);
        snprintf(value, sizeof(value), "'%s'", sign ? sign + 1 : "");
        setenv("FAKE_MODE", modes[i], 1);
        if (session_open(&session, NULL, HELLO_MS, &stop_flag, &failure) != -EBADMSG ||
            !(strstr(failure.text, key) || (sign && strstr(failure.text, value)) ||
              strstr(failure.text, "no name of one")))
            fail_msg("%s: %s", modes[i], failure.text);
        assert_null(session);
        assert_no_children();
    }
}
#define ASSERT_ALTERED_REFUSED(...)                                                                \
    assert_altered_refused((const char *const[]){__VA_ARGS__},                                     \
                           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
