/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The controller's end of a session before anything is measured (hello, catalogue, events, code),
 * against probes that behave and probes that do not: each gives its own clear error, and none
 * leaves a process or a descriptor behind. */
#include "case.h"
#include "session-fixture.h"

TEST_WITH(the_catalogue_is_what_the_probe_said, before_each, after_each)
{
    struct session *session = open_session("good");
    const struct catalogue *catalogue = session_catalogue(session);
    assert_string_equal(catalogue->version, "0.0-fake");
    assert_string_equal(catalogue->build, "fake");
    assert_string_equal(catalogue->isa, "fake64");
    assert_string_equal(facts_get(&catalogue->facts, "cpu.model"), "Fake CPU");
    assert_null(facts_get(&catalogue->facts, "sys.hidden"));
    assert_int_equal(facts_find(&catalogue->facts, "sys.hidden")->error, EACCES);
    assert_int_equal(strlen(catalogue->fingerprint), 16);
    assert_int_equal(catalogue->specimen_count, 1);
    const struct catalogue_specimen *specimen = catalogue_specimen(catalogue, "null");
    assert_non_null(specimen);
    assert_true(specimen->max_n == UINT64_MAX);
    assert_int_equal(specimen->truth_count, 2);
    assert_string_equal(specimen->truths[0].class, "instructions");
    assert_int_equal(specimen->truths[0].base, -1);
    assert_int_equal(specimen->truths[0].each, 2);
    assert_string_equal(specimen->truths[0].grade, "proven");
    assert_string_equal(specimen->truths[0].sources, "step,qemu");
    assert_int_equal(specimen->truths[0].high_base, -1);
    assert_int_equal(specimen->truths[0].high_each, 2);
    assert_string_equal(specimen->truths[1].grade, "bounded");
    assert_string_equal(specimen->truths[1].why, "predictors learn");
    assert_int_equal(specimen->truths[1].base, 0);
    assert_int_equal(specimen->truths[1].high_base, 7);
    assert_int_equal(specimen->truths[1].high_each, 3);
    assert_null(catalogue_specimen(catalogue, "loop"));
    const struct catalogue_path *path = catalogue_path(catalogue, "perf-read");
    assert_non_null(path);
    assert_string_equal(path->patterns, "ar,ao");
    assert_null(path->note);
    assert_string_equal(path->sources,
                        "perf_event"); /* what a path without a word about it counts */
    assert_null(catalogue_path(catalogue, "papi-low"));
    assert_string_equal(catalogue_path(catalogue, "bare")->sources, "step,qemu");
    const struct catalogue_source *source = catalogue_source(catalogue, "step");
    assert_non_null(source);
    assert_string_equal(source->classes, "instructions,syscalls");
    assert_int_equal(source->runs, 5);
    assert_null(catalogue_source(catalogue, "qemu"));
    assert_int_equal(catalogue->absence_count, 1);
    assert_string_equal(catalogue->absences[0].name, "papi-low");
    assert_int_equal(catalogue->absences[0].error, ENOENT);
    session_close(session);
}

TEST_WITH(operations_that_make_no_sense_are_refused, before_each, after_each)
{
    ASSERT_ALTERED_REFUSED(
        "operation:path", "operation:path=", "operation:path=perf.read", "operation:path=perf read",
        "operation:path=a.b,c",
        "operation:path=a123456789b123456789c123456789d123456789e123456789f1234567890",
        "operation:kind", "operation:kind=", "operation:kind=stop*2", "operation:kind=stop*1",
        "operation:kind=stop,a.b", "operation:instrument",
        "operation:instrument=", "operation:effect", "operation:effect=halts", "operation:when",
        "operation:when=", "operation:when=never", "operation:links",
        "operation:links=", "operation:binds", "operation:binds=2", "operation:alone=yes",
        "operation:page", "operation:page=hot", "operation:note");
    struct session *session = open_session("operation:note=good");
    assert_int_equal(session_catalogue(session)->operation_count, 3);
    session_close(session);
    assert_open_fails("operation-twice", HELLO_MS, -EBADMSG, "'timer.nothing'", "twice");
    assert_open_fails("endless-operations", HELLO_MS, -E2BIG, "more than 512", "operations");
}

TEST_WITH(another_version_says_which_side_is_older, before_each, after_each)
{
    assert_open_fails("older", HELLO_MS, -EPROTONOSUPPORT, "the probe is the older one", "make");
    assert_open_fails("newer", HELLO_MS, -EPROTONOSUPPORT, "assay is the older one", "update");
}

TEST_WITH(no_hello_is_told_in_time, before_each, after_each)
{
    assert_open_fails("mute", 100, -ETIMEDOUT, "no probe said hello", "ended with");
    assert_open_fails("floods", 100, -ETIMEDOUT, "no probe said hello", "Jack a dull boy");
    assert_open_fails("floods-errors", 100, -ETIMEDOUT, "no probe said hello", "noise and noise");
}

TEST_WITH(what_ends_before_hello_is_quoted, before_each, after_each)
{
    assert_open_fails("ends", HELLO_MS, -EPIPE, "exit status 3", "nobody at home");
    assert_open_fails("rubbish", HELLO_MS, -EPIPE, "Segmentation fault", "?ELF??");
    assert_open_fails("truncated", HELLO_MS, -EPIPE, "@assay 0 he", "no probe said hello");
}

TEST_WITH(damage_before_ready_is_told, before_each, after_each)
{
    assert_open_fails("checksum", HELLO_MS, -EBADMSG, "damaged", "checksum");
    assert_open_fails("skips", HELLO_MS, -EBADMSG, "damaged", "frame 12 was due but 13");
    assert_open_fails("endless-line", HELLO_MS, -EBADMSG, "longer than", "damaged");
    assert_open_fails("impatient", HELLO_MS, -EBADMSG, "'ready'", "instead of hello");
}

TEST_WITH(a_catalogue_that_makes_no_sense_is_refused, before_each, after_each)
{
    assert_open_fails("stray-frame", HELLO_MS, -EBADMSG, "'confetti'", "does not know");
    assert_open_fails("bound-without-top", HELLO_MS, -EBADMSG, "'high_base'", "no number");
    assert_open_fails("truth-of-nothing", HELLO_MS, -EBADMSG, "'ghost'", "does not have");
    assert_open_fails("specimen-twice", HELLO_MS, -EBADMSG, "'null'", "twice");
    assert_open_fails("source-twice", HELLO_MS, -EBADMSG, "'step'", "twice");
    assert_open_fails("source-without-runs", HELLO_MS, -EBADMSG, "'step'", "no runs");
    assert_open_fails("endless-catalogue", HELLO_MS, -E2BIG, "does not end", "catalogue");
    assert_open_fails("last-word", HELLO_MS, -EPROTO, "the moon is full", "gave up");
}

TEST_WITH(a_raised_flag_ends_opening, before_each, after_each)
{
    stop_flag = 1;
    assert_open_fails("mute", 60000, -EINTR, "interrupted", "");
}

/* --- events --- */
static int note_event(void *context, const struct listed_event *event)
{
    struct text *seen = context;
    text_printf(seen, "%s/%s/%s/%d/%d/%s;", event->name, event->kind,
                event->class ? event->class : "-", event->openable, event->error, event->reason);
    return 0;
}

static int refuse_event(void *context, const struct listed_event *event)
{
    (void)event;
    ++*(int *)context;
    return -ENOSPC;
}

TEST_WITH(events_are_listed_and_tried, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct listed_event event;
    AUTO_TEXT struct text seen = {0};
    int calls = 0;
    assert_int_equal(session_list_events(session, "*", note_event, &seen, NULL), 0);
    assert_string_equal(text_string(&seen), "page-faults/software/page-faults/1/0/;"
                                            "cycles/hardware/-/0/2/no PMU;");
    assert_int_equal(session_list_events(session, NULL, refuse_event, &calls, NULL), -ENOSPC);
    assert_int_equal(calls, 1);
    assert_int_equal(session_try_event(session, "a b%", &event, NULL), 0);
    assert_string_equal(event.name, "a b%");
    assert_true(event.openable);
    assert_int_equal(session_try_event(session, "nonsense", &event, &failure), -ENOENT);
    assert_says(&failure, "did you mean");
    assert_int_equal(session_try_event(session, "page-faults", &event, NULL), 0);
    session_close(session);
}

/* --- code --- */
TEST_WITH(code_comes_in_pieces_and_is_put_together, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct sent_code code;
    assert_int_equal(session_code(session, "null", &code, &failure), 0);
    assert_true(code.address == 4096 && code.call_address == 64 && code.min_n == 1);
    assert_int_equal(code.length, 4);
    assert_memory_equal(code.bytes, "\x90\x90\x90\xc3", 4);
    assert_int_equal(code.call_length, 2);
    assert_memory_equal(code.call, "\x48\xff", 2);
    assert_int_equal(code.trip_count, 2);
    assert_true(code.trips[0].base == -1 && code.trips[0].each == 1);
    assert_true(code.trips[1].base == 0 && code.trips[1].each == 3);
    sent_code_release(&code);
    assert_int_equal(session_code(session, "pages", &code, &failure), -ENOTSUP);
    assert_says(&failure, "made by the compiler");
    assert_int_equal(session_code(session, "null", &code, NULL), 0); /* and the session goes on */
    sent_code_release(&code);
    session_close(session);
}

TEST_WITH(damaged_code_ends_the_session, before_each, after_each)
{
    static const char *const modes[] = {"code-endless", "code-bad-trips", "code-trips-words",
                                        "code-stray",   "code-gap",       "code-too-much",
                                        "code-nothing", "code-odd",       "code-call-digits"};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        struct session *session = open_session(modes[i]);
        struct failure failure = {0};
        struct sent_code code;
        if (session_code(session, "null", &code, &failure) != -EBADMSG || !*failure.text)
            fail_msg("%s: %s", modes[i], failure.text);
        assert_null(code.bytes);
        assert_int_equal(session_code(session, "null", &code, &failure), -EPIPE);
        session_close(session);
    }
}

static int raise_flag(void *context, const struct listed_event *event)
{
    (void)context;
    (void)event;
    stop_flag = 1;
    return 0;
}

TEST_WITH(an_endless_list_can_be_interrupted, before_each, after_each)
{
    struct session *session = open_session("endless-list");
    struct failure failure = {0};
    assert_int_equal(session_list_events(session, "*", raise_flag, NULL, &failure), -EINTR);
    session_close(session);
}

/* --- clocks in a session --- */

TEST_WITH(clocks_that_make_no_sense_are_refused, before_each, after_each)
{
    ASSERT_ALTERED_REFUSED(
        "clock:name", "clock:name=", "clock:name=a b", "clock:name=a,b", "clock:name=mine=run:x",
        "clock:name=hpet@5", "clock:name=a123456789b123456789c123456789d1", "clock:kind",
        "clock:kind=", "clock:kind=sundial", "clock:way", "clock:way=", "clock:way=by hand",
        "clock:hardware", "clock:hardware=TSC", "clock:claim", "clock:note", "clock:hz",
        "clock:hz=-1", "clock:hz=18446744073709551616", "clock:resolution_ps",
        "clock:resolution_ps=1.5", "clock:slow", "clock:slow=2", "clock:steered=yes");
    assert_open_fails("clock:name=tsc", HELLO_MS, -EBADMSG, "twice", "probe");
    assert_open_fails("clocks-endless", HELLO_MS, -E2BIG, "more than 256", "clocks");
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
    static const char *const bad[][2] = {{"look-short", "does not have as many readings"},
                                         {"look-words", "does not have as many readings"},
                                         {"look-nothing", "does not have as many readings"},
                                         {"look-other", "with a frame 'event'"},
                                         {"look-early", "before it was asked"}};
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
