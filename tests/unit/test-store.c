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

static int stop_at_ten(void *context, const struct sample *sample)
{
    (void)sample;
    return ++*(int *)context == 10 ? 42 : 0;
}

TEST_WITH(a_callback_can_end_the_reading, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    int seen = 0;
    assert_int_equal(store_each_sample(store, 0, stop_at_ten, &seen, NULL), 42);
    assert_int_equal(seen, 10);
    struct store_info info; /* and the store is as good as before */
    must(store_info(store, &info, failure));
    store_info_release(&info);
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

TEST_WITH(a_dropped_visit_is_pending_and_empty, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct visit visit = fixture->visits[0];
    const struct cell *cell = &fixture->cells[visit.cell - 1];
    must(store_drop_visit(store, visit.cell, visit.process, failure)); /* nothing came yet */
    must(put_runs(store, cell, visit.process, 0, 20, failure));
    must(store_drop_visit(store, visit.cell, visit.process, failure));
    assert_int_equal(count_pending(store), PLAN_VISITS);
    must(put_visit(store, fixture, visit, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.samples, PLAN_RUNS * cell->counters);
    assert_int_equal(seen.wrong, 0);
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

TEST_WITH(a_further_plan_comes_after_the_first, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    struct cell more = fixture->cells[0];
    more.id = 9;
    struct visit visit = {9, 0};
    must(store_put_plan(store, &more, 1, &visit, 1, failure));
    struct visit *visits = NULL;
    size_t count = 0;
    must(store_visits(store, false, &visits, &count, failure));
    assert_int_equal(count, PLAN_VISITS + 1);
    assert_int_equal(visits[PLAN_VISITS].cell, 9);
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

TEST_WITH(an_existing_file_is_never_touched, setup, teardown)
{
    struct fixture *fixture = *state;
    FILE *file = fopen(fixture->path, "w");
    fputs("precious", file);
    fclose(file);
    struct store *store = NULL;
    struct failure refusal = {0};
    assert_int_equal(store_create(&store, fixture->path, &fixture->run, &refusal), -EEXIST);
    assert_null(store);
    char content[16] = "";
    file = fopen(fixture->path, "r");
    assert_non_null(fgets(content, sizeof(content), file));
    fclose(file);
    assert_string_equal(content, "precious");
}

TEST_WITH(what_a_probe_must_not_send_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct cell *two = &fixture->cells[0], *one = &fixture->cells[1];
    struct cell wrong = *one;
    wrong.counters = 2;
    struct cell absent = *one;
    absent.id = 77;
    static const struct {
        int setup, error;
        const char *words;
    } cases[] = {
        {0, -EPROTO, "counters"},   {1, -EPROTO, "runs 45"}, {2, -EPROTO, "runs 0"},
        {3, -ENOENT, "no process"}, {4, -ENOENT, "cell 77"}, {5, -EEXIST, "done already"},
        {6, -EPROTO, "has ended"},  {7, -EINVAL, "state 0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store *store = create(fixture);
        struct failure refusal = {0};
        int error = 0;
        switch (cases[i].setup) {
        case 0:
            error = put_runs(store, &wrong, 0, 0, 5, &refusal);
            break;
        case 1:
            error = put_runs(store, one, 0, 45, 6, &refusal);
            break;
        case 2:
            must(put_runs(store, one, 0, 0, 5, failure));
            error = put_runs(store, one, 0, 0, 5, &refusal);
            break;
        case 3:
            error = put_runs(store, one, PLAN_PROCESSES, 0, 5, &refusal);
            break;
        case 4:
            error = put_runs(store, &absent, 0, 0, 5, &refusal);
            break;
        case 5:
            must(put_visit(store, fixture, (struct visit){2, 0}, failure));
            error = put_runs(store, one, 0, 0, 5, &refusal);
            break;
        case 6:
            must(put_runs(store, two, 0, 0, 5, failure));
            error = put_runs(store, one, 0, 0, 5, &refusal);
            break;
        default:
            error = store_end_visit(store, 1, 0, VISIT_PENDING, 0, NULL, &refusal);
        }
        assert_int_equal(error, cases[i].error);
        if (!strstr(refusal.text, cases[i].words))
            fail_msg("\"%s\" is not in: %s", cases[i].words, refusal.text);
        store_close(store);
        must(store_open(&store, fixture->path, false, failure)); /* still whole */
        struct seen seen = {0};
        must(store_each_sample(store, 0, see, &seen, failure));
        assert_int_equal(seen.wrong, 0);
        store_close(store);
        unlink(fixture->path);
    }
}

TEST_WITH(a_bad_plan_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    struct cell bad[5];
    for (size_t i = 0; i < 5; i++)
        bad[i] = fixture->cells[0];
    bad[0].id = 0;
    bad[1].counters = 0;
    bad[2].counters = CELL_MAX_COUNTERS + 1;
    bad[3].runs = CELL_MAX_RUNS + 1;
    bad[4].events[1] = NULL;
    for (size_t i = 0; i < 5; i++) {
        struct store *store = NULL;
        must(store_create(&store, fixture->path, &fixture->run, failure));
        assert_int_equal(store_put_plan(store, &bad[i], 1, NULL, 0, NULL), -EINVAL);
        store_close(store);
        unlink(fixture->path);
    }
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    struct visit stray = {4, 0};
    struct failure refusal = {0};
    assert_int_equal(store_put_plan(store, fixture->cells, 3, &stray, 1, &refusal), -EINVAL);
    assert_non_null(strstr(refusal.text, "cell 4"));
    store_close(store);
}

TEST_WITH(the_first_difference_of_plans_is_named, setup, teardown)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(store_same_plan(store, &fixture->run, fixture->cells, PLAN_CELLS, failure));
    AUTO_FACTS struct facts other = {0};
    must(store_facts(store, &other, failure));
    facts_set(&other, "kernel.release", "6.1", 0);
    static const char *const words_wanted[] = {
        "event page-faults:u became instructions:u",
        "path perf-read became papi-low",
        "n 0 became 5",
        "pattern ar became ro",
        "runs 50 became 51",
        "separate no became yes",
        "cpu -1 became 3",
        "number of cells 3 became 2",
        "seed 18446744073709551615 became 1",
        "fingerprint 0123456789abcdef became fe",
        "command measure became run",
        "cell 1 became 8",
        "counters 2 became 1",
        "kit: c0ffee became 7ea",
        "update: kernel none -> 6.1. Its samples",
    };
    for (size_t i = 0; i < sizeof(words_wanted) / sizeof(words_wanted[0]); i++) {
        struct cell cells[PLAN_CELLS];
        memcpy(cells, fixture->cells, sizeof(cells));
        struct store_run run = fixture->run;
        size_t count = PLAN_CELLS;
        switch (i) {
        case 0:
            cells[0].events[0] = words("instructions:u");
            break;
        case 1:
            cells[0].path = words("papi-low");
            break;
        case 2:
            cells[0].n = 5;
            break;
        case 3:
            cells[0].pattern = PATTERN_RO;
            break;
        case 4:
            cells[0].runs = 51;
            break;
        case 5:
            cells[0].separate = true;
            break;
        case 6:
            cells[0].cpu = 3;
            break;
        case 7:
            count = 2;
            break;
        case 8:
            run.seed = 1;
            break;
        case 9:
            run.fingerprint = "fe";
            break;
        case 10:
            run.command = "run";
            break;
        case 11:
            cells[0].id = 8;
            break;
        case 12:
            cells[0].counters = 1;
            break;
        case 13:
            run.kit = "7ea";
            break;
        case 14:
            run.fingerprint = "fe";
            run.facts = &other;
            break;
        default:
            break;
        }
        struct failure refusal = {0};
        assert_int_equal(store_same_plan(store, &run, cells, count, &refusal), -ESTALE);
        if (!strstr(refusal.text, words_wanted[i]))
            fail_msg("\"%s\" is not in: %s", words_wanted[i], refusal.text);
    }
    store_close(store);
}
