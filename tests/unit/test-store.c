/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store in good times: what goes in comes out, visits are whole, one writer at a time. */
#include "store-fixture.h"
#include "store/handle.h"

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

static void run_machine_and_plan_come_back(void **state)
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

static void samples_come_back_in_order_up_to_the_largest_count(void **state)
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

static void a_callback_can_end_the_reading(void **state)
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

static size_t count_pending(struct store *store)
{
    struct visit *visits = NULL;
    size_t count = 0;
    must(store_visits(store, true, &visits, &count, failure));
    free(visits);
    return count;
}

static void a_visit_without_its_end_leaves_nothing(void **state)
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

static void a_dropped_visit_is_pending_and_empty(void **state)
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

static void breaking_off_keeps_whole_visits_only(void **state)
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

static void a_failed_visit_keeps_its_reason(void **state)
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

static void pending_visits_come_in_planned_order(void **state)
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

static void a_further_plan_comes_after_the_first(void **state)
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

static void a_finished_store_is_one_plain_file(void **state)
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

static void an_existing_file_is_never_touched(void **state)
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

static void what_a_probe_must_not_send_is_refused(void **state)
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

static void a_bad_plan_is_refused(void **state)
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

static void the_first_difference_of_plans_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(store_same_plan(store, &fixture->run, fixture->cells, PLAN_CELLS, failure));
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

/* --- one writer, many readers --- */

/* A process of its own, started before the store is open: SQLite's locks know processes, and a
 * child would take its parent's for its own. Both sides move on by a byte from the other. */
struct neighbour {
    pid_t pid;
    int to, from;
};

static void tell(int fd)
{
    assert_int_equal(write(fd, "!", 1), 1);
}

static void hear(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
}

static struct neighbour start(int (*live)(struct fixture *, int from, int to),
                              struct fixture *fixture)
{
    int there[2], back[2];
    assert_int_equal(pipe(there) | pipe(back), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(there[1]);
        close(back[0]);
        alarm(60);
        _exit(live(fixture, there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    return (struct neighbour){pid, there[1], back[0]};
}

static void finish_neighbour(struct neighbour *neighbour)
{
    int status = -1;
    waitpid(neighbour->pid, &status, 0);
    close(neighbour->to);
    close(neighbour->from);
    assert_int_equal(status, 0);
}

static int try_to_write(struct fixture *fixture, int from, int to)
{
    struct store *second = NULL;
    struct failure refusal = {0};
    char holder[64], byte;
    snprintf(holder, sizeof(holder), "process %d on ", (int)getppid());
    if (read(from, &byte, 1) != 1)
        return 2;
    int error = store_open(&second, fixture->path, true, &refusal);
    return error == -EBUSY && strstr(refusal.text, holder) && write(to, "!", 1) == 1 ? 0 : 1;
}

static void a_second_writer_is_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(try_to_write, fixture);
    struct store *store = create(fixture);
    tell(neighbour.to);
    hear(neighbour.from);
    finish_neighbour(&neighbour);
    must(put_visit(store, fixture, fixture->visits[0], failure)); /* the first goes on */
    store_close(store);
    must(store_open(&store, fixture->path, true, failure)); /* and then it is free */
    store_close(store);
}

static void a_writer_that_was_overtaken_notices(void **state)
{
    struct fixture *fixture = *state;
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    must(store_commit(store, failure));
    /* as if another had slipped in between two transactions */
    must(store_execute(store, "UPDATE meta SET value = 'process 1 on mars' WHERE key = 'writer'",
                       "change", failure));
    struct failure refusal = {0};
    assert_int_equal(store_commit(store, &refusal), -EBUSY);
    assert_non_null(strstr(refusal.text, "process 1 on mars"));
    assert_int_equal(put_visit(store, fixture, fixture->visits[1], &refusal), -EBUSY);
    store_close(store);
}

static void readers_see_whole_visits_while_it_is_written(void **state)
{
    struct fixture *fixture = *state;
    struct store *writer = create(fixture), *reader = NULL;
    must(put_visit(writer, fixture, fixture->visits[0], failure));
    must(store_commit(writer, failure));
    struct visit visit = fixture->visits[1];
    must(put_runs(writer, &fixture->cells[visit.cell - 1], visit.process, 0, 20, failure));
    must(store_commit(writer, failure)); /* waits for the visit's end */
    must(store_open(&reader, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(reader, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.of_visit[visit.cell][visit.process], 0);
    assert_int_equal(count_pending(reader), PLAN_VISITS - 1);
    assert_int_equal(store_put_batch(reader, &(struct batch){0}, NULL), -EROFS);
    store_close(reader);
    store_close(writer);
}

static uint64_t cells_seen(const struct fixture *fixture)
{
    struct store *reader = NULL;
    struct store_info info = {0};
    must(store_open(&reader, fixture->path, false, failure));
    must(store_info(reader, &info, failure));
    uint64_t cells = info.cells;
    store_info_release(&info);
    store_close(reader);
    return cells;
}

/* Killed in between, a run must not be resumed as one whose counts nothing predicts. */
static void a_plan_is_there_with_its_truths_or_not_at_all(void **state)
{
    struct fixture *fixture = *state;
    struct store *store = NULL;
    must(store_create(&store, fixture->path, &fixture->run, failure));
    must(store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, failure));
    assert_int_equal(cells_seen(fixture), 0);
    must(store_put_truth(store, 1, 0, "page-faults", 7, "proven", failure));
    assert_int_equal(cells_seen(fixture), 0);
    must(store_commit(store, failure));
    assert_int_equal(cells_seen(fixture), PLAN_CELLS);
    store_close(store);
}

static void finished_visits_are_committed_without_being_asked(void **state)
{
    struct fixture *fixture = *state;
    struct store *writer = create(fixture), *reader = NULL;
    usleep(300000); /* longer than a commit may be put off */
    must(put_visit(writer, fixture, fixture->visits[0], failure));
    must(store_open(&reader, fixture->path, false, failure));
    assert_int_equal(count_pending(reader), PLAN_VISITS - 1);
    store_close(reader);
    store_close(writer);
}

static int hold_a_reading(struct fixture *fixture, int from, int to)
{
    char byte;
    sqlite3 *db = NULL;
    if (read(from, &byte, 1) != 1 ||
        sqlite3_open_v2(fixture->path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN; SELECT * FROM meta", NULL, NULL, NULL) != SQLITE_OK ||
        write(to, "!", 1) != 1 || read(from, &byte, 1) != 1)
        return 1;
    sqlite3_close(db);
    return 0;
}

static void a_reader_may_keep_the_run_from_becoming_one_file(void **state)
{
    struct fixture *fixture = *state;
    struct neighbour neighbour = start(hold_a_reading, fixture);
    struct store *store = create(fixture);
    tell(neighbour.to);
    hear(neighbour.from);
    struct failure refusal = {0};
    assert_int_equal(store_finish(store, &refusal), -EBUSY);
    assert_non_null(strstr(refusal.text, "complete and safe"));
    tell(neighbour.to);
    finish_neighbour(&neighbour);
    store_close(store);
    must(store_open(&store, fixture->path, false, failure));
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_non_null(info.finished);
    store_info_release(&info);
    store_close(store);
}

/* --- the default place --- */

static void stores_live_below_the_state_folder(void **state)
{
    struct fixture *fixture = *state;
    char *path = NULL, wanted[256];
    setenv("XDG_STATE_HOME", fixture->folder, 1);
    must(store_default_path("cafe", "measure", &path, failure));
    snprintf(wanted, sizeof(wanted), "%s/assay/cafe/2", fixture->folder);
    assert_memory_equal(path, wanted, strlen(wanted));
    assert_non_null(strstr(path, "-measure.sqlite"));
    struct store *store = NULL;
    must(store_create(&store, path, &fixture->run, failure)); /* its folders are there */
    store_close(store);
    free(path);
    setenv("XDG_STATE_HOME", "relative/is/ignored", 1);
    setenv("HOME", fixture->folder, 1);
    must(store_default_path("cafe", "measure", &path, failure));
    snprintf(wanted, sizeof(wanted), "%s/.local/state/assay/cafe/2", fixture->folder);
    assert_memory_equal(path, wanted, strlen(wanted));
    free(path);
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    struct failure refusal = {0};
    assert_int_equal(store_default_path("cafe", "measure", &path, &refusal), -ENOENT);
    assert_non_null(strstr(refusal.text, "--store"));
    assert_int_equal(store_latest(NULL, NULL, &path, NULL), -ENOENT);
    setenv("HOME", fixture->folder, 1);
    assert_int_equal(store_default_path("../../etc", "measure", &path, NULL), -EINVAL);
    assert_int_equal(store_default_path("cafe", "a/b", &path, NULL), -EINVAL);
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    assert_int_equal(store_default_path("cafe", "measure", &path, &refusal), -ENOENT);
    assert_non_null(strstr(refusal.text, "XDG_STATE_HOME"));
}

/* Makes a store in the default place and returns its path. */
static char *make_in_place(struct fixture *fixture, const char *machine, const char *command,
                           bool plan, bool finish)
{
    char *path = NULL;
    struct store *store = NULL;
    usleep(2000); /* names tell milliseconds apart */
    must(store_default_path(machine, command, &path, failure));
    must(store_create(&store, path, &fixture->run, failure));
    if (plan)
        must(store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS,
                            failure));
    if (finish)
        must(store_finish(store, failure));
    store_close(store);
    return path;
}

static void the_newest_unfinished_run_is_found(void **state)
{
    struct fixture *fixture = *state;
    setenv("XDG_STATE_HOME", fixture->folder, 1);
    char *path = NULL;
    assert_int_equal(store_latest_unfinished("cafe", "measure", &path, NULL), -ENOENT);
    char *older = make_in_place(fixture, "cafe", "measure", true, false);
    char *newer = make_in_place(fixture, "cafe", "measure", true, false);
    char *planless = make_in_place(fixture, "cafe", "measure", false, false);
    char *finished = make_in_place(fixture, "cafe", "measure", true, true);
    char *other_command = make_in_place(fixture, "cafe", "remeasure", true, false);
    char *other_machine = make_in_place(fixture, "beef", "measure", true, false);
    char junk[256];
    snprintf(junk, sizeof(junk), "%s/assay/cafe/29990101T000000.000-measure.sqlite",
             fixture->folder);
    FILE *file = fopen(junk, "w");
    fputs("not a store", file);
    fclose(file);
    must(store_latest_unfinished("cafe", "measure", &path, failure));
    assert_string_equal(path, newer);
    free(path);
    unlink(junk);
    must(store_latest("cafe", "measure", &path, failure));
    assert_string_equal(path, finished);
    free(path);
    must(store_latest("cafe", NULL, &path, failure));
    assert_string_equal(path, other_command);
    free(path);
    must(store_latest(NULL, NULL, &path, failure));
    assert_string_equal(path, other_machine);
    free(path);
    char *all[] = {older, newer, planless, finished, other_command, other_machine};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* --- death at any moment --- */

/* Writes what is pending, committing at random; 0 or the first error. */
static int write_pending(struct fixture *fixture, struct store *store, struct failure *refusal)
{
    struct visit *visits = NULL;
    size_t count = 0;
    int error = store_visits(store, true, &visits, &count, refusal);
    for (size_t i = 0; !error && i < count; i++) {
        error = put_visit(store, fixture, visits[i], refusal);
        if (!error && rand() % 3 == 0)
            error = store_commit(store, refusal);
        usleep((useconds_t)(rand() % 2000));
    }
    free(visits);
    return error ? error : store_finish(store, refusal);
}

static void write_until_killed(struct fixture *fixture)
{
    struct store *store = NULL;
    struct failure refusal = {0};
    int error = store_open(&store, fixture->path, true, &refusal);
    if (!error)
        error = write_pending(fixture, store, &refusal);
    if (error)
        print_message("# the writer says: %s\n", refusal.text);
    _exit(error != 0);
}

/* Every visit is pending and empty, or done and whole; done ones are the first of the plan. */
static size_t check_whole_visits(struct fixture *fixture)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    struct seen seen = {0};
    must(store_each_sample(store, 0, see, &seen, failure));
    assert_int_equal(seen.wrong, 0);
    size_t pending = count_pending(store);
    for (size_t i = 0; i < PLAN_VISITS; i++) {
        struct visit visit = fixture->visits[i];
        uint64_t whole = (uint64_t)PLAN_RUNS * fixture->cells[visit.cell - 1].counters;
        bool done = i < PLAN_VISITS - pending;
        assert_int_equal(seen.of_visit[visit.cell][visit.process], done ? whole : 0);
    }
    store_close(store);
    return pending;
}

/* One writer; killed after a while unless that is negative. True when it was. */
static bool write_in_a_process(struct fixture *fixture, int round, int microseconds)
{
    pid_t child = fork();
    if (child == 0) {
        srand((unsigned)round);
        write_until_killed(fixture);
    }
    if (microseconds >= 0) {
        usleep((useconds_t)microseconds);
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status);
}

static void a_killed_writer_leaves_whole_visits_and_can_be_resumed(void **state)
{
    struct fixture *fixture = *state;
    store_close(create(fixture));
    srand(1);
    int killed = 0, round = 0;
    for (; killed < 60 && round < 400; round++) {
        if (check_whole_visits(fixture) == 0) { /* it got through: another one */
            unlink(fixture->path);
            store_close(create(fixture));
        }
        killed += write_in_a_process(fixture, round, rand() % 12000);
    }
    write_in_a_process(fixture, round, -1);
    assert_int_equal(check_whole_visits(fixture), 0);
    assert_true(killed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        CASE(run_machine_and_plan_come_back),
        CASE(samples_come_back_in_order_up_to_the_largest_count),
        CASE(a_callback_can_end_the_reading),
        CASE(a_visit_without_its_end_leaves_nothing),
        CASE(a_dropped_visit_is_pending_and_empty),
        CASE(breaking_off_keeps_whole_visits_only),
        CASE(a_failed_visit_keeps_its_reason),
        CASE(pending_visits_come_in_planned_order),
        CASE(a_further_plan_comes_after_the_first),
        CASE(a_finished_store_is_one_plain_file),
        CASE(an_existing_file_is_never_touched),
        CASE(what_a_probe_must_not_send_is_refused),
        CASE(a_bad_plan_is_refused),
        CASE(the_first_difference_of_plans_is_named),
        CASE(a_second_writer_is_refused_by_name),
        CASE(a_writer_that_was_overtaken_notices),
        CASE(readers_see_whole_visits_while_it_is_written),
        CASE(a_plan_is_there_with_its_truths_or_not_at_all),
        CASE(finished_visits_are_committed_without_being_asked),
        CASE(a_reader_may_keep_the_run_from_becoming_one_file),
        CASE(stores_live_below_the_state_folder),
        CASE(the_newest_unfinished_run_is_found),
        CASE(a_killed_writer_leaves_whole_visits_and_can_be_resumed),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
