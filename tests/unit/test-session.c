/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The controller's end of a session against probes that behave and probes that do not: each gives
 * its own clear error, and none leaves a process or a descriptor behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake-kit.h"
#include "session/session.h"

#define HELLO_MS 5000

static char kit_folder[64];
static int descriptors_before;
static volatile int stop_flag;

static int before_each(void **state)
{
    (void)state;
    fake_kit_make(kit_folder);
    unsetenv("FAKE_MODE");
    unsetenv("ASSAY_SILENCE_MS");
    stop_flag = 0;
    descriptors_before = open_descriptors();
    return 0;
}

static int after_each(void **state)
{
    (void)state;
    assert_no_children();
    assert_int_equal(open_descriptors(), descriptors_before);
    fake_kit_remove(kit_folder);
    return 0;
}

static struct session *open_session(const char *mode)
{
    struct session *session = NULL;
    struct failure failure = {0};
    setenv("FAKE_MODE", mode, 1);
    if (session_open(&session, NULL, HELLO_MS, &stop_flag, &failure) < 0)
        fail_msg("%s", failure.text);
    return session;
}

static void assert_says(const struct failure *failure, const char *words)
{
    if (!strstr(failure->text, words))
        fail_msg("'%s' does not say '%s'", failure->text, words);
}

/* --- opening --- */
static void assert_open_fails(const char *mode, int timeout_ms, int code, const char *words,
                              const char *more)
{
    struct session *session = NULL;
    struct failure failure = {0};
    setenv("FAKE_MODE", mode, 1);
    assert_int_equal(session_open(&session, NULL, timeout_ms, &stop_flag, &failure), code);
    assert_null(session);
    assert_int_equal(failure.code, code);
    assert_says(&failure, words);
    assert_says(&failure, more);
    assert_no_children();
}

static void the_catalogue_is_what_the_probe_said(void **state)
{
    (void)state;
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

static void another_version_says_which_side_is_older(void **state)
{
    (void)state;
    assert_open_fails("older", HELLO_MS, -EPROTONOSUPPORT, "the probe is the older one", "make");
    assert_open_fails("newer", HELLO_MS, -EPROTONOSUPPORT, "assay is the older one", "update");
}

static void no_hello_is_told_in_time(void **state)
{
    (void)state;
    assert_open_fails("mute", 100, -ETIMEDOUT, "no probe said hello", "ended with");
    assert_open_fails("floods", 100, -ETIMEDOUT, "no probe said hello", "Jack a dull boy");
    assert_open_fails("floods-errors", 100, -ETIMEDOUT, "no probe said hello", "noise and noise");
}

static void what_ends_before_hello_is_quoted(void **state)
{
    (void)state;
    assert_open_fails("ends", HELLO_MS, -EPIPE, "exit status 3", "nobody at home");
    assert_open_fails("rubbish", HELLO_MS, -EPIPE, "Segmentation fault", "?ELF??");
    assert_open_fails("truncated", HELLO_MS, -EPIPE, "@assay 0 he", "no probe said hello");
}

static void damage_before_ready_is_told(void **state)
{
    (void)state;
    assert_open_fails("checksum", HELLO_MS, -EBADMSG, "damaged", "checksum");
    assert_open_fails("skips", HELLO_MS, -EBADMSG, "damaged", "frame 10 was due but 11");
    assert_open_fails("endless-line", HELLO_MS, -EBADMSG, "longer than", "damaged");
    assert_open_fails("impatient", HELLO_MS, -EBADMSG, "'ready'", "instead of hello");
}

static void a_catalogue_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    assert_open_fails("stray-frame", HELLO_MS, -EBADMSG, "'confetti'", "does not know");
    assert_open_fails("bound-without-top", HELLO_MS, -EBADMSG, "'high_base'", "no number");
    assert_open_fails("truth-of-nothing", HELLO_MS, -EBADMSG, "'ghost'", "does not have");
    assert_open_fails("specimen-twice", HELLO_MS, -EBADMSG, "'null'", "twice");
    assert_open_fails("source-twice", HELLO_MS, -EBADMSG, "'step'", "twice");
    assert_open_fails("source-without-runs", HELLO_MS, -EBADMSG, "'step'", "no runs");
    assert_open_fails("endless-catalogue", HELLO_MS, -E2BIG, "does not end", "catalogue");
    assert_open_fails("last-word", HELLO_MS, -EPROTO, "the moon is full", "gave up");
}

static void a_raised_flag_ends_opening(void **state)
{
    (void)state;
    stop_flag = 1;
    assert_open_fails("mute", 60000, -EINTR, "interrupted", "");
}

static void a_session_through_exec_is_the_same(void **state)
{
    (void)state;
    struct session *session = NULL;
    struct failure failure = {0};
    if (session_open(&session, "exec:env A=b", HELLO_MS, &stop_flag, &failure) < 0)
        fail_msg("%s", failure.text);
    assert_string_equal(session_catalogue(session)->isa, "fake64");
    session_close(session);
    /* and where the kit cannot be run in place */
    setenv("FAKE_MODE", "only-pushed", 1);
    if (session_open(&session, "exec:env", HELLO_MS, &stop_flag, &failure) < 0)
        fail_msg("%s", failure.text);
    session_close(session);
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

static void events_are_listed_and_tried(void **state)
{
    (void)state;
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
static void code_comes_in_pieces_and_is_put_together(void **state)
{
    (void)state;
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

static void code_that_is_empty_is_code_too(void **state)
{
    (void)state;
    struct session *session = open_session("code-empty");
    struct sent_code code;
    assert_int_equal(session_code(session, "null", &code, NULL), 0);
    assert_int_equal(code.length, 0);
    sent_code_release(&code);
    session_close(session);
}

static void damaged_code_ends_the_session(void **state)
{
    (void)state;
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

static void an_endless_list_can_be_interrupted(void **state)
{
    (void)state;
    struct session *session = open_session("endless-list");
    struct failure failure = {0};
    assert_int_equal(session_list_events(session, "*", raise_flag, NULL, &failure), -EINTR);
    session_close(session);
}

/* --- runs --- */
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
    const struct session_sink sink = {seen, see_batch, see_end, see_output};
    assert_non_null(visits);
    for (size_t i = 0; i < count; i++)
        visits[i] = (struct visit){i % 2 ? 3 : 7, (uint32_t)(i / 2)};
    seen->sums_right = true;
    int status = session_run(session, cells, 2, visits, count, budget_ms, &sink, failure);
    free(visits);
    return status;
}

static void a_run_gives_every_sample_in_order(void **state)
{
    (void)state;
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
static void a_hundred_thousand_visits_do_not_block_each_other(void **state)
{
    (void)state;
    struct session *session = open_session("good");
    struct failure failure = {0};
    struct seen seen = {0};
    if (run_visits(session, 100000, 0, &seen, &failure) < 0)
        fail_msg("%s", failure.text);
    assert_int_equal(seen.ends, 100000);
    assert_true(seen.sums_right);
    session_close(session);
}

static void an_empty_plan_is_done(void **state)
{
    (void)state;
    struct session *session = open_session("good");
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 0, 0, &seen, NULL), 0);
    session_close(session);
}

static void a_plan_that_contradicts_itself_is_ours_to_refuse(void **state)
{
    (void)state;
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

static void failed_visits_and_output_are_passed_on(void **state)
{
    (void)state;
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

static void a_slow_probe_that_is_alive_is_waited_for(void **state)
{
    (void)state;
    setenv("ASSAY_SILENCE_MS", "300",
           1); /* the fake's visit takes twice that, with signs of life */
    struct session *session = open_session("slow");
    struct failure failure = {0};
    struct seen seen = {0};
    if (run_visits(session, 1, 0, &seen, &failure) < 0)
        fail_msg("%s", failure.text);
    session_close(session);
}

/* More warnings than a pipe holds: a probe must not get stuck on them. */
static void warnings_without_end_do_not_hold_up_a_run(void **state)
{
    (void)state;
    setenv("ASSAY_SILENCE_MS", "2000", 1);
    struct session *session = open_session("noisy-errors");
    struct failure failure = {0};
    struct seen seen = {0};
    if (run_visits(session, 2, 0, &seen, &failure) < 0)
        fail_msg("%s", failure.text);
    session_close(session);
}

static void chatter_amid_frames_is_ignored(void **state)
{
    (void)state;
    struct session *session = open_session("mid-chatter");
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 4, 0, &seen, NULL), 0);
    assert_int_equal(seen.ends, 4);
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

static void a_probe_that_dies_is_told_with_its_last_words(void **state)
{
    (void)state;
    assert_run_fails("dies", -EPIPE, "signal 9", "out of luck");
    assert_run_fails("closes-output", -EPIPE, "gone", "signal 15");
    assert_run_fails("leaves", -EPIPE, "gone", "exit status 0");
}

static void a_probe_that_hangs_is_ended(void **state)
{
    (void)state;
    setenv("ASSAY_SILENCE_MS", "200", 1);
    assert_run_fails("hangs", -ETIMEDOUT, "hangs", "signal 15");
    assert_run_fails("hangs-hard", -ETIMEDOUT, "hangs", "signal 9");
}

static void samples_that_do_not_fit_the_plan_are_refused(void **state)
{
    (void)state;
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

static void a_sink_that_fails_ends_the_run_with_its_words(void **state)
{
    (void)state;
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

static void the_stop_flag_ends_a_run_between_visits(void **state)
{
    (void)state;
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

static void a_flag_raised_before_the_run_runs_nothing(void **state)
{
    (void)state;
    struct session *session = open_session("good");
    struct seen seen = {0};
    stop_flag = 1;
    assert_int_equal(run_visits(session, 10, 0, &seen, NULL), -EINTR);
    assert_int_equal(seen.ends, 0);
    session_close(session);
}

static void a_second_interrupt_does_not_wait(void **state)
{
    (void)state;
    struct session *session = open_session("endless");
    struct failure failure = {0};
    struct seen seen = {.force_after_ends = 1};
    assert_int_equal(run_visits(session, 10000, 0, &seen, &failure), -EINTR);
    assert_says(&failure, "twice");
    assert_no_children();
    session_close(session);
}

static void a_spent_budget_ends_a_run_between_visits(void **state)
{
    (void)state;
    struct session *session = open_session("endless");
    struct failure failure = {0};
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 100000, 100, &seen, &failure), -ETIME);
    assert_true(seen.ends < 100000);
    assert_says(&failure, "budget");
    session_close(session);
}

/* `stop` crosses `idle` on the way: everything ran, and the answer to `stop` is not left over. */
static void a_stop_that_comes_too_late_changes_nothing(void **state)
{
    (void)state;
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
static void a_probe_that_stops_listening_sends_no_signal(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_DFL);
    struct session *session = open_session("leaves");
    struct failure failure = {0};
    struct seen seen = {0};
    assert_int_equal(run_visits(session, 100000, 0, &seen, &failure), -EPIPE);
    session_close(session);
}

static void closing_nothing_is_harmless(void **state)
{
    (void)state;
    session_close(NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, before_each, after_each)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_catalogue_is_what_the_probe_said),
        CASE(another_version_says_which_side_is_older),
        CASE(no_hello_is_told_in_time),
        CASE(what_ends_before_hello_is_quoted),
        CASE(damage_before_ready_is_told),
        CASE(a_catalogue_that_makes_no_sense_is_refused),
        CASE(a_raised_flag_ends_opening),
        CASE(a_session_through_exec_is_the_same),
        CASE(events_are_listed_and_tried),
        CASE(code_comes_in_pieces_and_is_put_together),
        CASE(code_that_is_empty_is_code_too),
        CASE(damaged_code_ends_the_session),
        CASE(an_endless_list_can_be_interrupted),
        CASE(a_run_gives_every_sample_in_order),
        CASE(a_hundred_thousand_visits_do_not_block_each_other),
        CASE(an_empty_plan_is_done),
        CASE(a_plan_that_contradicts_itself_is_ours_to_refuse),
        CASE(failed_visits_and_output_are_passed_on),
        CASE(a_slow_probe_that_is_alive_is_waited_for),
        CASE(warnings_without_end_do_not_hold_up_a_run),
        CASE(chatter_amid_frames_is_ignored),
        CASE(a_probe_that_dies_is_told_with_its_last_words),
        CASE(a_probe_that_hangs_is_ended),
        CASE(samples_that_do_not_fit_the_plan_are_refused),
        CASE(a_sink_that_fails_ends_the_run_with_its_words),
        CASE(the_stop_flag_ends_a_run_between_visits),
        CASE(a_flag_raised_before_the_run_runs_nothing),
        CASE(a_second_interrupt_does_not_wait),
        CASE(a_spent_budget_ends_a_run_between_visits),
        CASE(a_stop_that_comes_too_late_changes_nothing),
        CASE(a_probe_that_stops_listening_sends_no_signal),
        CASE(closing_nothing_is_harmless),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
