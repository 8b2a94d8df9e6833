/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands in a session: who counts them and which subjects there are, what executions tell, and
 * files that are brought; against probes that behave and probes that do not. */
#include "session-fixture.h"

#include "base/cleanup.h"

TEST_WITH(catalogues_that_make_no_sense_are_refused, before_each, after_each)
{
    ASSERT_ALTERED_REFUSED(
        "counter:source", "counter:source=", "counter:source=QEMU", "counter:source=a/b",
        "counter:classes", "counter:classes=a,,b", "counter:classes=a,", "counter:classes=a b",
        "counter:details", "counter:details=code,code2", "counter:details=,", "counter:note",
        "subject:name", "subject:name=", "subject:name=../sh", "subject:summary", "subject:shows",
        "subject:shows=M1,M2", "subject:n", "subject:n=-1", "subject:truth", "subject:truth=2",
        "subject:base", "subject:base=1.5", "subject:each=x", "subject:bits", "subject:bits=128",
        "subject:libc=yes");
    assert_open_fails("counter:source=step", HELLO_MS, -EBADMSG, "twice", "probe");
    assert_open_fails("subject:name=loop", HELLO_MS, -EBADMSG, "twice", "probe");
    assert_open_fails("subject:bits=16", HELLO_MS, -EBADMSG, "neither 32 nor 64", "probe");
    assert_open_fails("commands-endless-counters", HELLO_MS, -E2BIG, "more than 32", "count");
    assert_open_fails("commands-endless-subjects", HELLO_MS, -E2BIG, "more than 256", "subjects");
}

/* --- details --- */

struct told {
    size_t ran, calls, ended;
    int refuse; /* what the sink answers */
    bool right;
};

static int see_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct told *told = context;
    const bool first = told->ran++ == 0;
    told->right &= ran->cell == 7 && ran->process == 0 && told->ended == 0;
    told->right &= first ? strcmp(ran->object, "/bin/x") == 0 &&
                               strcmp(ran->function, "main") == 0 && ran->address == UINT64_MAX &&
                               ran->length == 5 && memcmp(ran->bytes, "\x48\x01%\n\xff", 5) == 0 &&
                               ran->instructions == 2 && ran->executions == UINT64_MAX - 1 &&
                               ran->repetitions == 0
                         : !*ran->object && ran->instructions == 1 && ran->repetitions == 60;
    return told->refuse ? fail_with(failure, told->refuse, "the sink is full") : 0;
}

static int see_call(void *context, const struct sent_call *call, struct failure *failure)
{
    struct told *told = context;
    told->right &= call->cell == 7 && call->position == told->calls && call->task == UINT32_MAX &&
                   strcmp(call->name, "getrandom") == 0 && call->result == -4 &&
                   call->asked == 16 && call->sum == UINT64_MAX && !*call->what;
    told->calls++;
    return told->refuse ? fail_with(failure, told->refuse, "the sink is full") : 0;
}

static int see_end(void *context, uint32_t cell, uint32_t process, enum visit_state visit,
                   int error, const char *reason, struct failure *failure)
{
    struct told *told = context;
    (void)cell, (void)process, (void)visit, (void)error, (void)reason, (void)failure;
    told->ended++;
    return 0;
}

static char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

static int run(const char *mode, enum command_detail detail, bool listening, struct told *told,
               struct failure *failure)
{
    struct session *session = open_session(mode);
    const struct cell cell = {
        .id = 7,
        .events = {words("instructions:u"), words(RUN_STATUS)},
        .counters = 2,
        .path = words("command"),
        .pattern = PATTERN_RR,
        .specimen = words("null"),
        .opt = words("O2"),
        .link = words("static"),
        .runs = 1,
        .cpu = -1,
        .command = {.words = words("true"), .name = words("true"), .detail = detail}};
    const struct visit visit = {7, 0};
    const struct session_sink sink = {.context = told,
                                      .visit_end = see_end,
                                      .ran = listening ? see_ran : NULL,
                                      .call = listening ? see_call : NULL};
    told->right = true;
    int status = session_run(session, &cell, 1, &visit, 1, 0, &sink, failure);
    session_close(session);
    return status;
}

TEST_WITH(details_reach_the_sink_before_the_end, before_each, after_each)
{
    struct failure failure = {0};
    struct told code = {0}, calls = {0}, none = {0}, deaf = {0};
    assert_int_equal(run("good", DETAIL_CODE, true, &code, &failure), 0);
    assert_true(code.right);
    assert_int_equal(code.ran, 2);
    assert_int_equal(code.ended, 1);
    assert_int_equal(run("good", DETAIL_CALLS, true, &calls, &failure), 0);
    assert_true(calls.right);
    assert_int_equal(calls.calls, 2);
    assert_int_equal(run("good", DETAIL_NONE, true, &none, &failure), 0);
    assert_int_equal(none.ran + none.calls, 0);
    assert_int_equal(run("good", DETAIL_CALLS, false, &deaf, &failure), 0);
    assert_int_equal(deaf.ended, 1);
}

TEST_WITH(details_that_make_no_sense_lose_the_probe, before_each, after_each)
{
    static const struct {
        const char *mode;
        enum command_detail detail;
        const char *said;
    } bad[] = {{"details-unasked", DETAIL_NONE, "does not ask for that"},
               {"details-swapped", DETAIL_CODE, "does not ask for that"},
               {"details-swapped", DETAIL_CALLS, "does not ask for that"},
               {"details-of-another", DETAIL_CODE, "not its turn"},
               {"ran:object", DETAIL_CODE, "'object'"},
               {"ran:function", DETAIL_CODE, "'function'"},
               {"ran:address=-1", DETAIL_CODE, "'address'"},
               {"ran:bytes", DETAIL_CODE, "'bytes'"},
               {"ran:bytes=", DETAIL_CODE, "'bytes'"},
               {"ran:instructions=0", DETAIL_CODE, "cannot be"},
               {"ran:instructions=6", DETAIL_CODE, "'instructions'"},
               {"ran:executions=0", DETAIL_CODE, "cannot be"},
               {"ran:executions", DETAIL_CODE, "'executions'"},
               {"ran:repetitions=1", DETAIL_CODE, "cannot be"},
               {"call:position=1", DETAIL_CALLS, "where the next was 0"},
               {"call:position=0", DETAIL_CALLS, "where the next was 1"},
               {"call:task=4294967296", DETAIL_CALLS, "'task'"},
               {"call:name=", DETAIL_CALLS, "where the next was"},
               {"call:result", DETAIL_CALLS, "'result'"},
               {"call:result=9223372036854775808", DETAIL_CALLS, "'result'"},
               {"call:asked=many", DETAIL_CALLS, "'asked'"},
               {"call:sum", DETAIL_CALLS, "'sum'"},
               {"call:what", DETAIL_CALLS, "'what'"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct failure failure = {0};
        struct told told = {0};
        if (run(bad[i].mode, bad[i].detail, true, &told, &failure) != -EBADMSG)
            fail_msg("%s was taken: %s", bad[i].mode, failure.text);
        assert_says(&failure, bad[i].said);
        assert_int_equal(told.ended, 0);
    }
}

/* --- files --- */

static unsigned char *make_bytes(size_t length)
{
    unsigned char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(i * 7);
    return bytes;
}

TEST_WITH(files_arrive_byte_by_byte, before_each, after_each)
{
    static const size_t lengths[] = {0, 1, 131071, 131072, 131073, 3000000};
    AUTO_FREE unsigned char *bytes = make_bytes(3000000);
    struct session *session = open_session("good");
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        struct failure failure = {0};
        if (session_bring(session, "x.bin", bytes, lengths[i], i % 2, &failure) < 0)
            fail_msg("%zu bytes: %s", lengths[i], failure.text);
    }
    session_close(session);
}

TEST_WITH(a_refused_file_is_no_lost_session, before_each, after_each)
{
    AUTO_FREE unsigned char *bytes = make_bytes(3000000);
    struct session *session = open_session("file-refused");
    for (int again = 0; again < 2; again++) {
        struct failure failure = {0};
        assert_int_equal(session_bring(session, "x.bin", bytes, 3000000, false, &failure), -ENOSPC);
        assert_says(&failure, "no room");
    }
    assert_int_equal(session_find(session, "ls", NULL), 0);
    session_close(session);
}

TEST_WITH(answers_that_do_not_fit_lose_the_probe, before_each, after_each)
{
    static const char *const modes[] = {"file-early", "file-short", "file-other", "file-name"};
    AUTO_FREE unsigned char *bytes = make_bytes(3000000);
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        struct failure failure = {0};
        struct session *session = open_session(modes[i]);
        assert_int_equal(session_bring(session, "x.bin", bytes, 3000000, false, &failure),
                         -EBADMSG);
        assert_says(&failure, "does not fit");
        session_close(session);
    }
}

TEST_WITH(a_probe_that_takes_nothing_hangs, before_each, after_each)
{
    struct failure failure = {0};
    AUTO_FREE unsigned char *bytes = make_bytes(3000000);
    setenv("ASSAY_SILENCE_MS", "300", 1);
    struct session *session = open_session("file-hangs");
    assert_int_equal(session_bring(session, "x.bin", bytes, 3000000, false, &failure), -ETIMEDOUT);
    session_close(session);
}

TEST_WITH(programs_are_asked_for, before_each, after_each)
{
    struct failure failure = {0};
    struct session *session = open_session("good");
    assert_int_equal(session_find(session, "ls", &failure), 0);
    assert_int_equal(session_find(session, "moon", &failure), -ENOENT);
    assert_says(&failure, "moon");
    session_close(session);
    session = open_session("find-other");
    assert_int_equal(session_find(session, "ls", &failure), -EBADMSG);
    session_close(session);
}
