/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store in good times: what goes in comes out, and visits are whole. */
#include "store-fixture.h"
#include "store/handle.h"
#include "store/store.h"

static int check_cell(void *context, const struct stored_cell *stored)
{
    const struct fixture *fixture = context;
    const struct cell *wanted = &fixture->cells[stored->cell.id - 1], *got = &stored->cell;
    assert_int_equal(got->counters, wanted->counters);
    for (uint32_t i = 0; i < wanted->counters; i++)
        assert_string_equal(got->events[i], wanted->events[i]);
    assert_string_equal(got->path, wanted->path);
    assert_int_equal(got->pattern, wanted->pattern);
    assert_string_equal(got->specimen, wanted->specimen);
    assert_true(got->n == wanted->n);
    assert_string_equal(got->opt, wanted->opt);
    assert_string_equal(got->link, wanted->link);
    assert_int_equal(got->runs, wanted->runs);
    assert_int_equal(got->separate, wanted->separate);
    assert_int_equal(got->cpu, wanted->cpu);
    assert_int_equal(stored->processes, PLAN_PROCESSES);
    if (got->id == 1) {
        assert_true(stored->counters[0].has_truth);
        assert_int_equal(stored->counters[0].truth, 7);
        assert_string_equal(stored->counters[0].class, "page-faults");
        assert_string_equal(stored->counters[0].grade, "proven");
        assert_true(stored->has_faults && !stored->has_switches);
        assert_int_equal(stored->faults, 7);
    } else {
        assert_false(stored->counters[0].has_truth);
        assert_null(stored->counters[0].class);
        assert_null(stored->counters[0].grade);
        assert_false(stored->has_faults || stored->has_switches);
    }
    return 0;
}

TEST_WITH(run_machine_and_plan_come_back, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_int_equal(info.schema, STORE_SCHEMA);
    assert_string_equal(info.command, "measure");
    assert_string_equal(info.argv, "[\"assay\",\"measure\"]");
    assert_string_equal(info.version, ASSAY_VERSION);
    assert_string_equal(info.fingerprint, "0123456789abcdef");
    assert_string_equal(info.kit, "c0ffee");
    assert_true(info.seed == UINT64_MAX);
    assert_non_null(info.finished);
    assert_int_equal(info.cells, PLAN_CELLS);
    assert_int_equal(info.visits, PLAN_VISITS);
    assert_int_equal(info.visits_done, PLAN_VISITS);
    assert_int_equal(info.samples, 4 * PLAN_PROCESSES * PLAN_RUNS);
    store_info_release(&info);
    struct facts facts = {0};
    must(store_facts(store, &facts, failure));
    assert_int_equal(facts.count, 2);
    assert_string_equal(facts.list[0].key, "cpu.model");
    assert_string_equal(facts.list[0].value, "A CPU, \"quoted\"\nand broken");
    assert_null(facts.list[1].value);
    assert_int_equal(facts.list[1].error, EACCES);
    facts_free(&facts);
    must(store_each_cell(store, check_cell, fixture, failure));
    store_close(store);
}

TEST_WITH(samples_come_back_in_order_up_to_the_largest_count, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.samples, 4 * PLAN_PROCESSES * PLAN_RUNS);
    assert_int_equal(seen.wrong, 0);
    struct seen one = {0};
    must(store_each_sample(store, 2, see, &one, failure));
    assert_int_equal(one.samples, PLAN_PROCESSES * PLAN_RUNS);
    assert_int_equal(one.wrong, 0);
    assert_true(right_sample(1, 0, 0, 0).value == UINT64_MAX);
    store_close(store);
}

TEST_WITH(a_visit_without_its_end_leaves_nothing, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    struct visit visit = fixture->visits[1];
    must(put_runs(store, &fixture->cells[visit.cell - 1], visit.process, 0, 20, failure));
    store_close(store);
    must(store_open(&store, fixture->path, true, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.of_visit[visit.cell][visit.process], 0);
    assert_int_equal(count_pending(store), PLAN_VISITS - 1);
    must(put_visit(store, fixture, visit, failure)); /* and can be made again */
    store_close(store);
}

TEST_WITH(breaking_off_keeps_whole_visits_only, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    struct visit visit = fixture->visits[1];
    must(put_runs(store, &fixture->cells[visit.cell - 1], visit.process, 0, 20, failure));
    must(store_break_off(store, failure));
    struct store *other = NULL; /* sees what is committed, and nothing else */
    must(store_open(&other, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(other, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.of_visit[visit.cell][visit.process], 0);
    assert_int_equal(count_pending(other), PLAN_VISITS - 1);
    store_close(other);
    store_close(store);
}

static int check_failed_cell(void *context, const struct stored_cell *stored)
{
    (void)context;
    if (stored->cell.id != 2)
        return 0;
    assert_int_equal(stored->failed, 2);
    assert_int_equal(stored->done, 0);
    assert_int_equal(stored->error, ENOENT);
    assert_string_equal(stored->reason, "no such event");
    return 1;
}

TEST_WITH(a_failed_visit_keeps_its_reason, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    /* in planned order process 1 of cell 2 comes after process 3 */
    must(store_end_visit(store, 2, 3, VISIT_FAILED, ENOENT, "no such event", failure));
    must(store_end_visit(store, 2, 1, VISIT_FAILED, EACCES, "no permission", failure));
    assert_int_equal(store_each_cell(store, check_failed_cell, NULL, NULL), 1);
    assert_int_equal(count_pending(store), PLAN_VISITS - 2);
    store_close(store);
}

TEST_WITH(pending_visits_come_in_planned_order, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    for (size_t i = 0; i < 5; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    store_close(store);
    must(store_open(&store, fixture->path, true, failure));
    struct visit *visits = NULL;
    size_t count = 0;
    must(store_visits(store, true, &visits, &count, failure));
    assert_int_equal(count, PLAN_VISITS - 5);
    assert_memory_equal(visits, fixture->visits + 5, count * sizeof(*visits));
    free(visits);
    must(store_visits(store, false, &visits, &count, failure));
    assert_int_equal(count, PLAN_VISITS);
    assert_memory_equal(visits, fixture->visits, count * sizeof(*visits));
    free(visits);
    store_close(store);
}

TEST_WITH(visits_that_were_not_made_are_struck, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    for (size_t i = 0; i < 5; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_strike_pending(store, failure));
    must(store_finish(store, failure));
    store_close(store);
    must(store_open(&store, fixture->path, false, failure));
    struct visit *visits = NULL;
    size_t count = 0;
    must(store_visits(store, false, &visits, &count, failure));
    assert_int_equal(count, 5);
    assert_memory_equal(visits, fixture->visits, count * sizeof(*visits));
    free(visits);
    store_close(store);
}

TEST_WITH(a_finished_store_is_one_plain_file, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    assert_true(exists(fixture->path, "-wal")); /* while it is being written */
    for (size_t i = 0; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_finish(store, failure));
    static const char *const others[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 3; i++)
        assert_false(exists(fixture->path, others[i]));
    struct failure refusal = {0};
    assert_int_equal(store_end_visit(store, 1, 0, VISIT_DONE, 0, NULL, &refusal), -EROFS);
    assert_non_null(strstr(refusal.text, "finished"));
    store_close(store);
    must(store_open(&store, fixture->path, true, failure));
    assert_int_equal(store_put_plan(store, fixture->cells, 1, NULL, 0, NULL), -EROFS);
    store_close(store);
    assert_false(exists(fixture->path, "-wal"));
}

TEST_WITH(how_a_run_ended_is_kept_until_it_goes_on, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const ends[] = {"budget", NULL};
    for (size_t i = 0; i < 2; i++) {
        struct store *store = NULL;
        if (i == 0)
            store = create(fixture);
        else
            must(store_open(&store, fixture->path, true, failure));
        must(store_put_ended(store, ends[i], failure));
        store_close(store);
        struct run_list runs;
        must(run_list_read(fixture->path, &runs, failure));
        assert_null(runs.list[0].finished);
        if (ends[i])
            assert_string_equal(runs.list[0].ended, ends[i]);
        else
            assert_null(runs.list[0].ended);
        run_list_release(&runs);
    }
}

TEST_WITH(a_finished_run_does_not_say_how_it_ended_before, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(store_put_ended(store, "budget", failure));
    must(store_finish(store, failure));
    store_close(store);
    struct run_list runs;
    must(run_list_read(fixture->path, &runs, failure));
    assert_non_null(runs.list[0].finished);
    assert_null(runs.list[0].ended);
    run_list_release(&runs);
}

TEST_WITH(what_a_probe_must_not_send_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct cell *two = &fixture->cells[0], *one = &fixture->cells[1];
    struct cell wrong = *one, absent = *one;
    wrong.counters = 2;
    absent.id = 77;
#define NOT_SENT(first, then, code, said)                                                          \
    do {                                                                                           \
        struct store *store = create(fixture);                                                     \
        struct failure refusal = {0};                                                              \
        struct seen seen = {0};                                                                    \
        must(first);                                                                               \
        assert_int_equal(then, code);                                                              \
        expect_words(&refusal, said);                                                              \
        store_close(store);                                                                        \
        must(store_open(&store, fixture->path, false, failure)); /* still whole */                 \
        must(store_each_sample(store, 0, see, &seen, failure));                                    \
        assert_int_equal(seen.wrong, 0);                                                           \
        store_close(store);                                                                        \
        unlink(fixture->path);                                                                     \
    } while (0)
    const int nothing = 0;
    struct visit visit = {2, 0};
    NOT_SENT(((void)failure, nothing), put_runs(store, &wrong, 0, 0, 5, &refusal), -EPROTO,
             "counters");
    NOT_SENT(((void)failure, nothing), put_runs(store, one, 0, 45, 6, &refusal), -EPROTO,
             "runs 45");
    NOT_SENT(put_runs(store, one, 0, 0, 5, failure), put_runs(store, one, 0, 0, 5, &refusal),
             -EPROTO, "runs 0");
    NOT_SENT(((void)failure, nothing), put_runs(store, one, PLAN_PROCESSES, 0, 5, &refusal),
             -ENOENT, "no process");
    NOT_SENT(((void)failure, nothing), put_runs(store, &absent, 0, 0, 5, &refusal), -ENOENT,
             "cell 77");
    NOT_SENT(put_visit(store, fixture, visit, failure), put_runs(store, one, 0, 0, 5, &refusal),
             -EEXIST, "done already");
    NOT_SENT(put_runs(store, two, 0, 0, 5, failure), put_runs(store, one, 0, 0, 5, &refusal),
             -EPROTO, "has ended");
    NOT_SENT(((void)failure, nothing),
             store_end_visit(store, 1, 0, VISIT_PENDING, 0, NULL, &refusal), -EINVAL, "state 0");
}

TEST_WITH(a_bad_plan_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct cell plain = fixture->cells[0], tour = tour_cell(), watch = watch_cell(0),
                      command = command_cell(0);
    struct store *store = NULL;
#define REFUSED(kind, change, said)                                                                \
    do {                                                                                           \
        struct cell cell = kind;                                                                   \
        struct failure refusal = {0};                                                              \
        cell.change;                                                                               \
        must(store_create(&store, fixture->path, &fixture->run, failure));                         \
        assert_int_equal(store_put_plan(store, &cell, 1, NULL, 0, &refusal), -EINVAL);             \
        expect_words(&refusal, said);                                                              \
        store_close(store);                                                                        \
        unlink(fixture->path);                                                                     \
    } while (0)
    REFUSED(plain, id = 0, "");
    REFUSED(plain, counters = 0, "");
    REFUSED(plain, counters = CELL_MAX_COUNTERS + 1, "");
    REFUSED(plain, runs = CELL_MAX_RUNS + 1, "");
    REFUSED(plain, events[1] = NULL, "");
    REFUSED(tour, tour.calls = words("a.b,c"), "no dot");
    REFUSED(tour, tour.calls = words("a.b,c.d,e.f"), "50 runs");
    REFUSED(tour, tour.counted = NULL, "counted");
    REFUSED(tour, tour.open = 33, "from 1 to 32");
    REFUSED(tour, tour.calls = NULL, "has no calls");
    REFUSED(tour, tour = (struct cell_tour){0}, "path 'tour', but no calls");
    REFUSED(watch, runs--, "no multiple");
    REFUSED(watch, watch.kind = WATCH_NONE, "path 'watch', but no kind");
    REFUSED(watch, n = 1, "path, pattern, specimen and n");
    REFUSED(command, runs++, "runs must be");
    REFUSED(command, command.words = NULL, "path 'command', but no words");
    REFUSED(command, tour = tour.tour, "path, pattern, specimen and n"); /* the tour complains */
    REFUSED(command, command.words = words("''"), "names no program");
    must(store_create(&store, fixture->path, &fixture->run, failure));
    struct visit stray = {4, 0};
    struct failure refusal = {0};
    assert_int_equal(store_put_plan(store, fixture->cells, 3, &stray, 1, &refusal), -EINVAL);
    expect_words(&refusal, "cell 4");
    store_close(store);
}

TEST_WITH(the_first_difference_of_plans_is_named, setup, teardown)
{
    struct fixture *fixture = *state;
    enum { TOUR, WATCH, COMMAND, LONG, CELLS };
    struct cell plan[CELLS] = {tour_cell(), watch_cell(0), command_cell(2), command_cell(2)};
    char long_words[2][600];
    for (int i = 0; i < 2; i++) { /* which differ only where no sentence reaches */
        memset(long_words[i], 'x', sizeof(long_words[i]) - 2);
        strcpy(long_words[i] + sizeof(long_words[i]) - 2, i ? "b" : "a");
    }
    plan[LONG].id = COMMAND_CELL + COMMAND_CELLS;
    plan[LONG].command.words = long_words[0];
    struct store *store = create(fixture);
    must(store_put_plan(store, plan, CELLS, NULL, 0, failure));
    AUTO_FACTS struct facts other = {0};
    must(store_facts(store, &other, failure));
    facts_set(&other, "kernel.release", "6.1", 0);
    struct cell cells[PLAN_CELLS + CELLS];
    memcpy(cells, fixture->cells, sizeof(fixture->cells));
    memcpy(cells + PLAN_CELLS, plan, sizeof(plan));
    const size_t all = sizeof(cells) / sizeof(cells[0]);
    must(store_same_plan(store, &fixture->run, cells, all, failure));
    struct cell *const tour = cells + PLAN_CELLS + TOUR, *const watch = cells + PLAN_CELLS + WATCH,
                       *const command = cells + PLAN_CELLS + COMMAND;
    struct store_run run = fixture->run;
#define EXPECT_DIFFERENCE(count, said)                                                             \
    do {                                                                                           \
        struct failure refusal = {0};                                                              \
        assert_int_equal(store_same_plan(store, &run, cells, count, &refusal), -ESTALE);           \
        expect_words(&refusal, said);                                                              \
    } while (0)
#define DIFFERENCE(place, value, said)                                                             \
    do {                                                                                           \
        __typeof__(place) was = place;                                                             \
        (place) = value;                                                                           \
        EXPECT_DIFFERENCE(all, said);                                                              \
        (place) = was;                                                                             \
    } while (0)
    EXPECT_DIFFERENCE(2, "number of cells 7 became 2");
    DIFFERENCE(run.seed, 1, "seed 18446744073709551615 became 1");
    DIFFERENCE(run.fingerprint, "fe", "fingerprint 0123456789abcdef became fe");
    DIFFERENCE(run.command, "run", "command measure became run");
    DIFFERENCE(run.kit, "7ea", "kit: c0ffee became 7ea");
    DIFFERENCE(cells[0].events[0], words("instructions:u"),
               "event page-faults:u became instructions:u");
    DIFFERENCE(cells[0].path, words("papi-low"), "path perf-read became papi-low");
    DIFFERENCE(cells[0].n, 5, "n 0 became 5");
    DIFFERENCE(cells[0].pattern, PATTERN_RO, "pattern ar became ro");
    DIFFERENCE(cells[0].runs, 51, "runs 50 became 51");
    DIFFERENCE(cells[0].separate, true, "separate no became yes");
    DIFFERENCE(cells[0].cpu, 3, "cpu -1 became 3");
    DIFFERENCE(cells[0].id, 8, "cell 1 became 8");
    DIFFERENCE(cells[0].counters, 1, "counters 2 became 1");
    DIFFERENCE(tour->tour.calls,
               words("timer.nothing,perf-read.start,perf-read.read*9,perf-read.read,x.y"),
               "call 3 of the tour of cell 4: perf-read.read*8 became perf-read.read*9.");
    DIFFERENCE(tour->tour.calls, words("timer.nothing,perf-read.start"),
               "call 3 of the tour of cell 4: perf-read.read*8 became none.");
    DIFFERENCE(tour->tour.calls, words(TOUR_CALLS ",a.b"),
               "call 6 of the tour of cell 4: none became a.b.");
    DIFFERENCE(tour->tour.counted, words("cycles"),
               "counted by a tour: task-clock:u became cycles");
    DIFFERENCE(tour->tour.open, 2, "8 became 2");
    DIFFERENCE(tour->tour.cold, false, "cold became warm");
    DIFFERENCE(tour->tour, (struct cell_tour){0}, "with a tour became one without");
    DIFFERENCE(watch->events[0], words("lying@1000001=ask:./clock --from=@now"), "lying@1000001");
    DIFFERENCE(watch->watch.workload, NULL, "sleep became none");
    DIFFERENCE(watch->watch.length, 20001, "length of a watch: 20000 became 20001");
    DIFFERENCE(watch->watch.threads, 4, "threads of a watch: 2 became 4");
    DIFFERENCE(watch->watch.moves, 0, "moves of a watch: 3 became 0");
    DIFFERENCE(watch->watch.handover, false, "handover of a watch: yes became no");
    DIFFERENCE(watch->watch.awake, false, "awake CPUs during a watch: yes became no");
    DIFFERENCE(watch->watch.partner, 1, "partner of a watch: -1 became 1");
    DIFFERENCE(watch->watch.kind, WATCH_EDGES, "interval became edges");
    DIFFERENCE(watch->watch, (struct cell_watch){0}, "interval became none");
    DIFFERENCE(command->command.words, words("perl -e 'print 2'"),
               "print 1' became perl -e 'print 2'");
    DIFFERENCE(command->command.name, words("python"), "perl became python");
    DIFFERENCE(command->command.directory, NULL, "{brought} became none");
    DIFFERENCE(command->command.input, words("/etc/passwd"), "words.txt became /etc/passwd");
    DIFFERENCE(command->command.keep, words("HOME"), "HOME,LANG became HOME");
    DIFFERENCE(command->command.controls, 0, "without-aslr became as-is");
    DIFFERENCE(command->command.sweep, SWEEP_ENVIRONMENT, "stack became env");
    DIFFERENCE(command->command.swept, 65, "64 became 65");
    DIFFERENCE(command->command.timeout, 7, "0 became 7");
    DIFFERENCE(command->command.detail, DETAIL_CODE, "none became code");
    DIFFERENCE(command->command.shown, false, "yes became no");
    DIFFERENCE(command->command.words, NULL, "with a command became one without");
    DIFFERENCE(command->command.words, long_words[0], "became xxx");
    DIFFERENCE(cells[PLAN_CELLS + LONG].command.words, long_words[1], "");
    run.fingerprint = "fe";
    run.facts = &other;
    EXPECT_DIFFERENCE(all, "update: kernel none -> 6.1. Its samples");
    store_close(store);
}

/* --- the scan over all samples --- */

/* What a scan saw: samples that are not what was written, and the order of visits. */
struct scanned {
    uint64_t samples, wrong;
    struct visit visits[PLAN_VISITS];
    size_t visit_count;
    uint32_t run, counter; /* of the last one */
    uint64_t stop_after;   /* 0: never */
};

static int take(void *context, const struct sample *sample)
{
    struct scanned *scanned = context;
    struct sample right = right_sample(sample->cell, sample->process, sample->run, sample->counter);
    struct visit visit = {sample->cell, sample->process};
    const struct visit *last = scanned->visits + scanned->visit_count;
    bool same =
        scanned->visit_count && last[-1].cell == visit.cell && last[-1].process == visit.process;
    bool rises = sample->run > scanned->run ||
                 (sample->run == scanned->run && sample->counter > scanned->counter);
    scanned->wrong += !same_sample(sample, &right) || (same && !rises);
    if (!same && scanned->visit_count < PLAN_VISITS)
        scanned->visits[scanned->visit_count++] = visit;
    scanned->run = sample->run;
    scanned->counter = sample->counter;
    return ++scanned->samples == scanned->stop_after ? 77 : 0;
}

static int scan(const struct fixture *fixture, struct scanned *scanned, struct failure *told)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    int error = store_scan_samples(store, take, scanned, told);
    if (!error) { /* once more on the same store */
        struct scanned again = {0};
        must(store_scan_samples(store, take, &again, failure));
        assert_true(again.samples == scanned->samples);
    }
    store_close(store);
    return error;
}

TEST_WITH(every_sample_comes_in_the_order_of_visits, setup, teardown)
{
    struct fixture *fixture = *state;
    struct scanned scanned = {0};
    make_finished(fixture);
    must(scan(fixture, &scanned, failure));
    /* cell 1 has two counters */
    assert_int_equal(scanned.samples, PLAN_PROCESSES * PLAN_RUNS * (PLAN_CELLS + 1));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, PLAN_VISITS);
    for (size_t i = 0; i < PLAN_VISITS; i++) {
        assert_int_equal(scanned.visits[i].cell, fixture->visits[i].cell);
        assert_int_equal(scanned.visits[i].process, fixture->visits[i].process);
    }
}

TEST_WITH(visits_without_samples_are_passed_over, setup, teardown)
{
    struct fixture *fixture = *state;
    struct scanned scanned = {0};
    struct store *store = create(fixture);
    for (size_t i = 1; i < PLAN_VISITS - 1; i += 2)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_commit(store, failure));
    store_close(store);
    must(scan(fixture, &scanned, failure));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, (PLAN_VISITS - 1) / 2);
}

TEST_WITH(a_callback_ends_the_scan_with_its_result, setup, teardown)
{
    struct scanned scanned = {.stop_after = 5};
    struct failure refusal = {0};
    make_finished(*state);
    assert_int_equal(scan(*state, &scanned, &refusal), 77);
    assert_int_equal(scanned.samples, 5);
    assert_int_equal(refusal.code, 0);
}

static void refuse_scan(struct fixture *fixture, const char *sql, const char *wanted)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    struct scanned scanned = {0};
    struct failure refusal = {0};
    make_finished(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "DELETE FROM meta WHERE key IN ('finished', 'checksum')", 0, 0, NULL), 0);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
    assert_int_equal(scan(fixture, &scanned, &refusal), -EBADMSG);
    if (!strstr(refusal.text, wanted))
        fail_msg("%s: \"%s\" is not in: %s", sql, wanted, refusal.text);
    unlink(fixture->path);
}

TEST_WITH(damage_is_told, setup, teardown)
{
    refuse_scan(*state, "UPDATE sample_packed SET value = value + 1 WHERE key & 31 = 1", "changed");
    refuse_scan(*state, "UPDATE sample_packed SET enabled = enabled + 1", "changed");
    refuse_scan(*state, "UPDATE sample_packed SET involuntary = 9", "changed");
    refuse_scan(*state, "UPDATE sample_packed SET value = 'many'", "impossible");
    refuse_scan(*state, "UPDATE sample_packed SET running = 0.5", "impossible");
    refuse_scan(*state, "UPDATE sample_packed SET major_faults = x'00'", "impossible");
    refuse_scan(*state, "UPDATE sample_packed SET key = -key", "no visit");
    refuse_scan(*state, "DELETE FROM sample_packed WHERE key & 1023 = 0", "lacks samples");
    refuse_scan(*state, "DELETE FROM sample_packed", "lacks samples");
    refuse_scan(*state, "DELETE FROM visit WHERE id = 3", "no visit");
    refuse_scan(*state, "DELETE FROM visit WHERE id = (SELECT max(id) FROM visit)", "no visit");
    refuse_scan(*state, "UPDATE visit SET samples = samples + 1 WHERE id = 5", "lacks samples");
    refuse_scan(*state, "UPDATE visit SET cell = -cell", "impossible");
    refuse_scan(*state, "UPDATE visit SET process = 'first' WHERE id = 2", "impossible");
}

/* An index that somebody added could be read in place of the table, in another order. */
TEST_WITH(foreign_indexes_are_not_used, setup, teardown)
{
    struct fixture *fixture = *state;
    sqlite3 *db = NULL;
    struct scanned scanned = {0};
    make_finished(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE INDEX mine ON sample_packed(value, enabled, running, "
                                  "minor_faults, major_faults, voluntary, involuntary);"
                                  "ANALYZE; UPDATE sqlite_stat1 SET stat = stat || ' sz=1' "
                                  "WHERE idx = 'mine'", /* it looks cheaper than the table */
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    must(scan(fixture, &scanned, failure));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, PLAN_VISITS);
}
