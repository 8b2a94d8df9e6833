/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks in a session: what the probe's catalogue says of them, and looks at them between two
 * readings of our own clock; against probes that behave and probes that do not. */
#include "session-fixture.h"

TEST_WITH(clocks_are_found_by_name, before_each, after_each)
{
    struct session *session = open_session("clocks");
    const struct catalogue *catalogue = session_catalogue(session);
    assert_int_equal(catalogue->clock_count, 2);
    const struct catalogue_clock *tsc = catalogue_clock(catalogue, "tsc");
    assert_ptr_equal(tsc, &catalogue->clocks[0]);
    assert_string_equal(tsc->name, "tsc");
    assert_string_equal(tsc->kind, "wall");
    assert_string_equal(tsc->way, "instruction");
    assert_string_equal(tsc->hardware, "tsc");
    assert_string_equal(tsc->claim, "a page of perf");
    assert_string_equal(tsc->note, "a note");
    assert_true(tsc->hz == UINT64_MAX);
    assert_int_equal(tsc->resolution_ps, 0);
    assert_false(tsc->slow);
    assert_true(tsc->steered);
    const struct catalogue_clock *cpu = catalogue_clock(catalogue, "cpu");
    assert_ptr_equal(cpu, &catalogue->clocks[1]);
    assert_string_equal(cpu->hardware, "");
    assert_int_equal(cpu->resolution_ps, 7);
    assert_true(cpu->slow);
    assert_false(cpu->steered);
    assert_null(catalogue_clock(catalogue, "ts"));
    assert_null(catalogue_clock(catalogue, "tsc2"));
    assert_null(catalogue_clock(catalogue, ""));
    session_close(session);
}

static void assert_open_fails(const char *mode, int code, const char *said, const char *more)
{
    struct session *session = NULL;
    struct failure failure = {0};
    setenv("FAKE_MODE", mode, 1);
    assert_int_equal(session_open(&session, NULL, HELLO_MS, &stop_flag, &failure), code);
    assert_null(session);
    assert_says(&failure, said);
    assert_says(&failure, more);
    assert_no_children();
}

TEST_WITH(clocks_that_make_no_sense_are_refused, before_each, after_each)
{
    static const char *const bad[][2] = {
        {"clock:name", "'name'"},
        {"clock:name=", "no name of one"},
        {"clock:name=a b", "no name of one"},
        {"clock:name=a,b", "no name of one"},
        {"clock:name=mine=run:x", "no name of one"},
        {"clock:name=hpet@5", "no name of one"},
        {"clock:name=a123456789b123456789c123456789d1", "no name of one"},
        {"clock:name=tsc", "twice"},
        {"clock:kind", "'kind'"},
        {"clock:kind=", "'kind'"},
        {"clock:kind=sundial", "'sundial'"},
        {"clock:way", "'way'"},
        {"clock:way=", "'way'"},
        {"clock:way=by hand", "'by hand'"},
        {"clock:hardware", "'hardware'"},
        {"clock:hardware=TSC", "'TSC'"},
        {"clock:claim", "'claim'"},
        {"clock:note", "'note'"},
        {"clock:hz", "'hz'"},
        {"clock:hz=-1", "'hz'"},
        {"clock:hz=18446744073709551616", "'hz'"},
        {"clock:resolution_ps", "'resolution_ps'"},
        {"clock:resolution_ps=1.5", "'resolution_ps'"},
        {"clock:slow", "'slow'"},
        {"clock:slow=2", "'slow'"},
        {"clock:steered=yes", "'steered'"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_open_fails(bad[i][0], -EBADMSG, bad[i][1], "clock");
    assert_open_fails("clocks-endless", -E2BIG, "more than 256", "clocks");
    struct session *session = open_session("clock:hardware=hyperv_clocksource_tsc_page");
    assert_int_equal(session_catalogue(session)->clock_count, 3);
    session_close(session);
}

static const char *const both[] = {"sundial", "raw"};

/* The fake probe reads the same clock that stamps: a reading must lie between its stamps, whatever
 * else came from there meanwhile. */
TEST_WITH(a_look_lies_between_its_stamps, before_each, after_each)
{
    static const char *const modes[] = {"look-good", "look-chatter"};
    for (size_t mode = 0; mode < 2; mode++) {
        struct session *session = open_session(modes[mode]);
        uint64_t last = 0;
        for (int i = 0; i < 20; i++) {
            uint64_t readings[2] = {0}, sent = 0, received = 0;
            struct failure failure = {0};
            if (session_look(session, both, 2, readings, &sent, &received, &failure) < 0)
                fail_msg("%s", failure.text);
            assert_true(readings[0] == UINT64_MAX);
            assert_true(last < sent);
            assert_true(sent <= readings[1]);
            assert_true(readings[1] <= received);
            last = received;
        }
        session_close(session);
    }
}

TEST_WITH(a_look_that_is_refused_leaves_the_session_alone, before_each, after_each)
{
    struct session *session = open_session("look-refused");
    uint64_t readings[2], sent, received;
    for (int i = 0; i < 2; i++) {
        struct failure failure = {0};
        assert_int_equal(session_look(session, both, 2, readings, &sent, &received, &failure),
                         -ENOENT);
        assert_says(&failure, "no clock 'sundial' here");
    }
    session_close(session);
}

/* These never reach the probe. */
TEST_WITH(a_look_at_what_is_no_clock_is_ours_to_refuse, before_each, after_each)
{
    static const char *const names[] = {"", "a b", "a,b", "mine=run:x", "tsc@5"};
    const char *many[CELL_MAX_COUNTERS + 1];
    for (size_t i = 0; i <= CELL_MAX_COUNTERS; i++)
        many[i] = "raw";
    struct session *session = open_session("look-good");
    uint64_t readings[CELL_MAX_COUNTERS + 1], sent, received;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_int_equal(session_look(session, &names[i], 1, readings, &sent, &received, NULL),
                         -EINVAL);
    assert_int_equal(session_look(session, many, 0, readings, &sent, &received, NULL), -EINVAL);
    assert_int_equal(
        session_look(session, many, CELL_MAX_COUNTERS + 1, readings, &sent, &received, NULL),
        -EINVAL);
    assert_int_equal(
        session_look(session, many, CELL_MAX_COUNTERS, readings, &sent, &received, NULL), 0);
    session_close(session);
}

TEST_WITH(answers_that_are_none_end_the_session, before_each, after_each)
{
    static const char *const bad[][2] = {
        {"look-short", "does not have as many readings"},
        {"look-words", "does not have as many readings"},
        {"look-nothing", "does not have as many readings"},
        {"look-other", "with a frame 'event'"},
        {"look-early", "before it was asked"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct session *session = open_session(bad[i][0]);
        struct failure failure = {0};
        uint64_t readings[2], sent, received;
        assert_int_equal(session_look(session, both, 2, readings, &sent, &received, &failure),
                         -EBADMSG);
        assert_says(&failure, bad[i][1]);
        assert_int_equal(session_look(session, both, 2, readings, &sent, &received, NULL), -EPIPE);
        session_close(session);
    }
}

TEST_WITH(a_look_can_be_interrupted, before_each, after_each)
{
    struct session *session = open_session("look-good");
    uint64_t readings[2], sent, received;
    stop_flag = 1;
    assert_int_equal(session_look(session, both, 2, readings, &sent, &received, NULL), -EINTR);
    session_close(session);
}
