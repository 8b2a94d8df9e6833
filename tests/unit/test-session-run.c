/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans and samples of a session: every sample of a probe that behaves arrives in order, whatever a
 * probe, a sink, a signal or a budget breaks off is told, and none leaves a process or a descriptor
 * behind. */
#include <sys/time.h>

#include "case.h"
#include "session-fixture.h"

#define RUNS 4

static struct cell make_cell(uint32_t id, uint32_t counters)
{
    struct cell cell = {.id = id,
                        .counters = counters,
                        .path = (char *)(uintptr_t) "perf-read",
                        .specimen = (char *)(uintptr_t) "null",
                        .opt = (char *)(uintptr_t) "O0",
                        .link = (char *)(uintptr_t) "static",
                        .runs = RUNS,
                        .cpu = -1};
    for (uint32_t i = 0; i < counters; i++)
        cell.events[i] = (char *)(uintptr_t) "page-faults";
    return cell;
}

struct seen {
    size_t rows, ends, failed;
    bool sums_right;
    struct visit last;
    struct text output;
    int refuse_after_ends; /* the sink then fails as a full disk would */
    size_t stop_after_ends, force_after_ends;
};

static int see_batch(void *context, const struct batch *batch, struct failure *failure)
{
    struct seen *seen = context;
    (void)failure;
    for (uint32_t run = 0; run < batch->runs; run++)
        for (uint32_t counter = 0; counter < batch->counters; counter++) {
            size_t row = run * batch->counters + counter;
            if (batch->values[row] != batch->first_run + run + 1000u * counter ||
                batch->enabled[row] != 5000 || batch->running[row] != 5000)
                seen->sums_right = false;
        }
    seen->rows += (size_t)batch->runs * batch->counters;
    return 0;
}

static int see_end(void *context, uint32_t cell, uint32_t process, enum visit_state visit,
                   int error, const char *reason, struct failure *failure)
{
    struct seen *seen = context;
    seen->last = (struct visit){cell, process};
    seen->ends++;
    if (visit == VISIT_FAILED) {
        seen->failed++;
        assert_int_equal(error, EIO);
        assert_string_equal(reason, "the specimen broke");
    }
    if (seen->refuse_after_ends && seen->ends == (size_t)seen->refuse_after_ends)
        return fail_with(failure, -ENOSPC, "the disk is full");
    if (seen->stop_after_ends && seen->ends == seen->stop_after_ends)
        stop_flag = 1;
    if (seen->force_after_ends && seen->ends == seen->force_after_ends)
        stop_flag = 2;
    return 0;
}

static void see_output(void *context, int stream, const char *bytes, size_t length)
{
    struct seen *seen = context;
    text_printf(&seen->output, "%d:", stream);
    text_append(&seen->output, bytes, length);
}

static int run_visits(struct session *session, size_t count, uint64_t budget_ms, struct seen *seen,
                      struct failure *failure)
{
    struct cell cells[2] = {make_cell(7, 1), make_cell(3, 2)};
    struct visit *visits = calloc(count, sizeof(*visits));
    const struct session_sink sink = {
        .context = seen, .batch = see_batch, .visit_end = see_end, .output = see_output};
    assert_non_null(visits);
    for (size_t i = 0; i < count; i++)
        visits[i] = (struct visit){i % 2 ? 3 : 7, (uint32_t)(i / 2)};
    seen->sums_right = true;
    int status = session_run(session, cells, 2, visits, count, budget_ms, &sink, failure);
    free(visits);
    return status;
}

TEST_WITH(a_run_gives_every_sample_in_order, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    for (int plan = 0; plan < 2; plan++) { /* a session takes further plans */
        struct seen seen = {0};
        if (run_visits(session, 5, 0, &seen, &failure) < 0)
            fail_msg("%s", failure.text);
        assert_int_equal(seen.ends, 5);
        assert_int_equal(seen.failed, 0);
        assert_int_equal(seen.rows, 3 * RUNS * 1 + 2 * RUNS * 2);
        assert_true(seen.sums_right);
        assert_int_equal(seen.last.cell, 7);
        assert_int_equal(seen.last.process, 2);
    }
    session_close(session);
}

/* More than any pipe holds, in both directions. */
TEST_WITH(a_hundred_thousand_visits_do_not_block_each_other, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct seen seen = {0};
    if (run_visits(session, 100000, 0, &seen, &failure) < 0)
        fail_msg("%s", failure.text);
    assert_int_equal(seen.ends, 100000);
    assert_true(seen.sums_right);
    session_close(session);
}

TEST_WITH(a_plan_that_contradicts_itself_is_ours_to_refuse, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct cell cells[2] = {make_cell(7, 1), make_cell(7, 1)};
    const struct session_sink sink = {0};
    assert_int_equal(session_run(session, cells, 2, NULL, 0, 0, &sink, &failure), -EINVAL);
    assert_says(&failure, "two cells with the number 7");
    assert_int_equal(session_run(session, cells, 1, &(struct visit){8, 0}, 1, 0, &sink, &failure),
                     -EINVAL);
    assert_says(&failure, "cell 8");
    session_close(session);
}

TEST_WITH(failed_visits_and_output_are_passed_on, before_each, after_each)
{
    struct session *session = open_session("visits-fail");
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 3, 0, &seen, NULL), 0);
    assert_int_equal(seen.failed, 3);
    session_close(session);

    session = open_session("output");
    seen = (struct seen){0};
    assert_int_equal(run_visits(session, 1, 0, &seen, NULL), 0);
    assert_int_equal(seen.output.length, 6);
    assert_memory_equal(seen.output.bytes, "2:a\0b\n", 6);
    text_free(&seen.output);
    session_close(session);
}

TEST_WITH(a_slow_probe_that_is_alive_is_waited_for, before_each, after_each)
{
    setenv("ASSAY_SILENCE_MS", "300", 1); /* the fake's visit takes twice that, and says so */
    int status = -1;
    for (int attempt = 0; attempt < 5 && status < 0; attempt++) { /* a busy machine is silent too */
        struct session *session = open_session("slow");
        struct failure failure = {0};
        struct seen seen = {0};
        status = run_visits(session, 1, 0, &seen, &failure);
        if (status < 0)
            print_message("# %s\n", failure.text);
        session_close(session);
    }
    assert_int_equal(status, 0);
}

/* More warnings than a pipe holds: a probe must not get stuck on them. */
TEST_WITH(warnings_without_end_do_not_hold_up_a_run, before_each, after_each)
{
    setenv("ASSAY_SILENCE_MS", "60000", 1);
    struct session *session = open_session("noisy-errors");
    struct failure failure = {0};
    struct seen seen = {0};
    if (run_visits(session, 2, 0, &seen, &failure) < 0)
        fail_msg("%s", failure.text);
    session_close(session);
}

static void assert_run_fails(const char *mode, int code, const char *words, const char *more)
{
    struct session *session = open_session(mode);
    struct failure failure = {0};
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 6, 0, &seen, &failure), code);
    assert_says(&failure, words);
    assert_says(&failure, more);
    assert_says(&failure, "--resume");
    assert_no_children(); /* even before the session is closed */
    assert_int_equal(run_visits(session, 1, 0, &seen, &failure), -EPIPE);
    assert_says(&failure, "over");
    session_close(session);
}

TEST_WITH(a_probe_that_dies_is_told_with_its_last_words, before_each, after_each)
{
    assert_run_fails("dies", -EPIPE, "signal 9", "out of luck");
    assert_run_fails("closes-output", -EPIPE, "gone", "signal 15");
    assert_run_fails("leaves", -EPIPE, "gone", "exit status 0");
}

TEST_WITH(a_probe_that_hangs_is_ended, before_each, after_each)
{
    setenv("ASSAY_SILENCE_MS", "200", 1);
    assert_run_fails("hangs", -ETIMEDOUT, "hangs", "signal 15");
    assert_run_fails("hangs-hard", -ETIMEDOUT, "hangs", "signal 9");
}

TEST_WITH(samples_that_do_not_fit_the_plan_are_refused, before_each, after_each)
{
    assert_run_fails("unknown-cell", -EBADMSG, "cell 4000000", "never asked for");
    assert_run_fails("other-process", -EBADMSG, "process 1", "not its turn");
    assert_run_fails("no-begin", -EBADMSG, "'samples'", "not its turn");
    assert_run_fails("more-counters", -EBADMSG, "2 counters", "which has 1");
    assert_run_fails("too-few", -EBADMSG, "sent 2 of 4 runs", "cell 7");
    assert_run_fails("too-many", -EBADMSG, "runs 4 to 4", "4 of 4 were there");
    assert_run_fails("overlaps", -EBADMSG, "runs 0 to 1", "2 of 4 were there");
    assert_run_fails("ends-twice", -EBADMSG, "'end'", "after its end");
    assert_run_fails("gives-up", -EBADMSG, "2 of 6 visits", "done");
}

TEST_WITH(a_sink_that_fails_ends_the_run_with_its_words, before_each, after_each)
{
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct seen seen = {.refuse_after_ends = 2};
    assert_int_equal(run_visits(session, 1000, 0, &seen, &failure), -ENOSPC);
    assert_string_equal(failure.text, "the disk is full");
    assert_int_equal(seen.ends, 2);
    assert_int_equal(run_visits(session, 1, 0, &seen, &failure), -EPIPE);
    assert_says(&failure, "the session with the probe is over");
    session_close(session);
}

TEST_WITH(the_stop_flag_ends_a_run_between_visits, before_each, after_each)
{
    struct session *session = open_session("endless");
    struct failure failure = {0};
    struct seen seen = {.stop_after_ends = 2};
    assert_int_equal(run_visits(session, 10000, 0, &seen, &failure), -EINTR);
    assert_true(seen.ends >= 2 && seen.ends < 10000);
    assert_says(&failure, "of 10000 visits");
    /* the session is still good */
    stop_flag = 0;
    seen = (struct seen){0};
    assert_int_equal(run_visits(session, 3, 0, &seen, &failure), 0);
    assert_int_equal(seen.ends, 3);
    session_close(session);
}

static void raise_flag_later(int signal_number)
{
    (void)signal_number;
    stop_flag = 1;
}

/* The budget waits for the visit under way, however long; whoever interrupts does not. */
TEST_WITH(the_stop_flag_breaks_off_a_visit_that_outlasts_the_budget, before_each, after_each)
{
    struct session *session = open_session("hangs");
    struct failure failure = {0};
    struct seen seen = {0};
    struct itimerval later = {.it_value = {.tv_usec = 200000}};
    signal(SIGALRM, raise_flag_later);
    setitimer(ITIMER_REAL, &later, NULL);
    assert_int_equal(run_visits(session, 6, 20, &seen, &failure), -EINTR);
    assert_says(&failure, "in the middle of a visit");
    assert_no_children();
    session_close(session);
}

TEST_WITH(a_second_interrupt_does_not_wait, before_each, after_each)
{
    struct session *session = open_session("endless");
    struct failure failure = {0};
    struct seen seen = {.force_after_ends = 1};
    assert_int_equal(run_visits(session, 10000, 0, &seen, &failure), -EINTR);
    assert_says(&failure, "twice");
    assert_no_children();
    session_close(session);
}

TEST_WITH(a_spent_budget_ends_a_run_between_visits, before_each, after_each)
{
    struct session *session = open_session("endless");
    struct failure failure = {0};
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 100000, 100, &seen, &failure), -ETIME);
    assert_true(seen.ends < 100000);
    assert_says(&failure, "budget");
    session_close(session);
}

/* `stop` crosses `idle` on the way: everything ran, and the answer to `stop` is not left over. */
TEST_WITH(a_stop_that_comes_too_late_changes_nothing, before_each, after_each)
{
    struct session *session = open_session("good");
    for (int i = 0; i < 20; i++) {
        struct seen seen = {.stop_after_ends = 3};
        stop_flag = 0;
        int status = run_visits(session, 3, 0, &seen, NULL);
        assert_int_equal(status, 0);
        assert_int_equal(seen.ends, 3);
    }
    stop_flag = 0;
    struct listed_event event;
    assert_int_equal(session_try_event(session, "page-faults", &event, NULL), 0);
    session_close(session);
}

/* The default for SIGPIPE is to die of it; a controller must not. */
TEST_WITH(a_probe_that_stops_listening_sends_no_signal, before_each, after_each)
{
    signal(SIGPIPE, SIG_DFL);
    struct session *session = open_session("leaves");
    struct failure failure = {0};
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 100000, 0, &seen, &failure), -EPIPE);
    session_close(session);
}
