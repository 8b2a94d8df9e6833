/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the parts of a run share its time, and where they are kept. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "commands/run.h"

static struct run_plan planned(uint64_t total_ms, bool quick, bool emulated)
{
    struct run_plan plan = {.quick = quick, .emulated = emulated, .total_ms = total_ms};
    run_plan_parts(&plan);
    return plan;
}

static size_t index_of(const char *command)
{
    for (size_t i = 0; run_part_at(i); i++)
        if (strcmp(run_part_at(i)->name, command) == 0)
            return i;
    fail_msg("there is no part %s", command);
    return 0;
}

static size_t waiting(const struct run_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += plan->parts[i].state == PART_WAITING;
    return count;
}

/* Every part takes exactly what it is given. */
static uint64_t spend_all(struct run_plan *plan)
{
    uint64_t spent = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].state != PART_WAITING)
            continue;
        uint64_t share = run_share_ms(plan, i, plan->total_ms - spent);
        plan->parts[i].state = PART_DONE;
        spent += share;
    }
    return spent;
}

TEST(the_usual_times_hold_every_part)
{
    for (int quick = 0; quick < 2; quick++)
        for (int emulated = 0; emulated < 2; emulated++) {
            struct run_plan plan = planned(run_usual_ms(quick, emulated), quick, emulated);
            assert_int_equal(waiting(&plan), emulated ? plan.count - 1 : plan.count);
            /* Nothing is lost, and what judging needs is left. */
            uint64_t spent = spend_all(&plan), reserve = run_reserve_ms(&plan);
            assert_true(spent + reserve <= plan.total_ms + 2000);
            assert_true(spent + reserve + plan.count >= plan.total_ms);
        }
    assert_true(run_usual_ms(true, false) <= 150000);
    assert_true(run_usual_ms(false, false) <= 900000 && run_usual_ms(false, true) <= 900000);
}

TEST(what_a_part_does_not_use_the_later_ones_get)
{
    struct run_plan plan = planned(100000, false, false);
    size_t error = index_of("error");
    uint64_t before = run_share_ms(&plan, error, 60000);
    /* Two parts before it ended at once: more is left. */
    assert_true(run_share_ms(&plan, error, 90000) > before);
    /* One behind it is lacking: so is its share. */
    plan.parts[index_of("repeat")].state = PART_LACKING;
    assert_true(run_share_ms(&plan, error, 60000) > before);
    /* The last one gets all. */
    for (size_t i = 0; i < plan.count; i++)
        plan.parts[i].state = i == error ? PART_WAITING : PART_DONE;
    assert_int_equal(run_share_ms(&plan, error, 60000), 60000 - run_reserve_ms(&plan));
}

TEST(a_short_time_leaves_out_the_least_important)
{
    struct run_plan plan = planned(12000, false, false);
    assert_int_equal(plan.parts[index_of("validate")].state, PART_WAITING);
    assert_int_equal(plan.parts[index_of("error")].state, PART_WAITING);
    assert_int_equal(plan.parts[index_of("caches")].state, PART_LEFT_OUT);
    assert_non_null(strstr(plan.parts[index_of("caches")].reason, "--budget"));
    assert_true(waiting(&plan) < plan.count);
    /* Somebody who gives no time at all still learns something. */
    plan = planned(1, false, false);
    assert_int_equal(waiting(&plan), 1);
    assert_true(run_share_ms(&plan, index_of("validate"), 0) > 0);
    /* What just suffices for a part and for the more important one holds both. */
    uint64_t needed = 0;
    for (size_t i = 0; i < plan.count; i++)
        needed += plan.parts[i].kind->rank <= 1 ? plan.parts[i].kind->least_s * UINT64_C(1000) : 0;
    struct run_plan enough = {.total_ms = needed};
    while (enough.total_ms < needed + run_reserve_ms(&enough))
        enough.total_ms++;
    for (uint64_t less = 0; less < 2; less++) {
        plan = planned(enough.total_ms - less, false, false);
        assert_int_equal(waiting(&plan), less ? 1 : 2);
    }
    /* More time never holds fewer. */
    size_t held = 0;
    for (uint64_t ms = 1000; ms < 60000; ms += 1000) {
        plan = planned(ms, false, false);
        assert_true(waiting(&plan) >= held);
        held = waiting(&plan);
    }
    assert_int_equal(held, plan.count);
}

TEST(every_part_has_a_rank_of_its_own)
{
    struct run_plan plan = planned(100000, false, false);
    bool seen[32] = {0};
    assert_in_range(plan.count, 6, 32);
    for (size_t rank = 0; rank < plan.count; rank++) {
        assert_int_equal(plan.parts[run_part_of_rank(rank)].kind->rank, rank);
        seen[run_part_of_rank(rank)] = true;
    }
    for (size_t i = 0; i < plan.count; i++)
        assert_true(seen[i]);
    assert_int_equal(run_part_of_rank(0), index_of("validate"));
}

TEST(caches_of_emulated_machines_are_not_asked_for)
{
    struct run_plan plan = planned(run_usual_ms(true, true), true, true);
    assert_int_equal(plan.parts[index_of("caches")].state, PART_LACKING);
    assert_non_null(strstr(plan.parts[index_of("caches")].reason, "emulated"));
}

TEST(resuming_counts_what_was_spent)
{
    struct run_plan plan = planned(100000, true, false);
    plan.parts[0].spent_ms = 30000;
    plan.parts[1].spent_ms = 20000;
    assert_int_equal(run_left_ms(&plan), 50000);
    plan.parts[2].spent_ms = 90000;
    assert_int_equal(run_left_ms(&plan), 0);
}

TEST(only_parts_that_know_it_are_quick)
{
    struct run_plan plan = planned(100000, true, false);
    assert_false(run_is_quick(&plan, index_of("error"), 1000));
    assert_true(run_is_quick(&plan, index_of("clocks"), 15000));
    assert_true(run_is_quick(&plan, index_of("repeat"), 15000));
    assert_false(run_is_quick(&plan, index_of("repeat"), 120000));
}

TEST(states_are_read_as_they_are_written)
{
    enum part_state read;
    for (int i = PART_WAITING; i <= PART_LEFT_OUT; i++) {
        assert_true(part_state_read(part_state_names[i], &read));
        assert_int_equal(read, i);
    }
    assert_false(part_state_read("dreaming", &read));
    assert_false(part_state_read(NULL, &read));
}

/* --- places --- */

static char *fresh_folder(void)
{
    char *folder = strdup("/tmp/assay-run-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

TEST(a_place_has_one_owner)
{
    AUTO_FREE char *folder = fresh_folder();
    char store[128];
    snprintf(store, sizeof(store), "%s/a store.sqlite", folder);
    struct run_place first = {.lock = -1}, second = {.lock = -1};
    struct failure failure = {0};
    assert_int_equal(run_place_create(&first, store, "0123", &failure), 0);
    assert_int_equal(run_place_create(&second, store, "0123", &failure), -EEXIST);
    assert_non_null(strstr(failure.text, "--resume"));
    run_place_release(&second);
    assert_int_equal(run_place_reopen(&second, store, "0123", &failure), -EBUSY);
    run_place_release(&second);
    /* Whoever ends leaves it to the next. */
    run_place_release(&first);
    assert_int_equal(run_place_reopen(&second, store, "0123", &failure), 0);
    const char *part = run_place_part(&second, 2);
    assert_non_null(strstr(part, "/a store.sqlite.parts/03-error.sqlite"));
    run_place_remove(&second);
    assert_int_equal(access(second.folder, F_OK), -1);
    run_place_release(&second);
    assert_int_equal(run_place_reopen(&second, store, "0123", &failure), -ENOENT);
    run_place_release(&second);
    rmdir(folder);
}

TEST(what_is_there_is_never_touched)
{
    AUTO_FREE char *folder = fresh_folder();
    char store[128], note[192];
    snprintf(store, sizeof(store), "%s/x", folder);
    snprintf(note, sizeof(note), "%s.parts/note", store);
    struct run_place place = {.lock = -1};
    struct failure failure = {0};
    assert_int_equal(run_place_create(&place, store, "0123", &failure), 0);
    FILE *file = fopen(note, "w");
    assert_non_null(file);
    fclose(file);
    run_place_remove(&place);
    assert_int_equal(access(note, F_OK), 0);
    run_place_release(&place);
    unlink(note);
    snprintf(note, sizeof(note), "%s.parts", store);
    rmdir(note);
    assert_int_equal(mkdir(store, 0700), 0);
    assert_int_equal(run_place_create(&place, store, "0123", &failure), -EEXIST);
    run_place_release(&place);
    assert_int_equal(run_place_create(&place, "", "0123", &failure), -EINVAL);
    run_place_release(&place);
    snprintf(note, sizeof(note), "%s/nowhere/x", folder);
    assert_int_equal(run_place_create(&place, note, "0123", &failure), -ENOENT);
    assert_non_null(strstr(failure.text, "--store"));
    run_place_release(&place);
    rmdir(store);
    rmdir(folder);
}

/* In the state folder the latest is taken that nobody works at, and names never collide. */
TEST(the_latest_free_one_is_found)
{
    AUTO_FREE char *folder = fresh_folder();
    struct run_place first = {.lock = -1}, second = {.lock = -1}, found = {.lock = -1};
    struct failure failure = {0};
    setenv("XDG_STATE_HOME", folder, 1);
    assert_int_equal(run_place_create(&first, NULL, "0123", &failure), 0);
    assert_int_equal(run_place_create(&second, NULL, "0123", &failure), 0);
    assert_string_not_equal(first.store, second.store);
    /* One that was killed before it wrote down what it wants cannot be gone on with. */
    run_place_release(&first);
    assert_int_equal(run_place_reopen(&found, NULL, "0123", &failure), -ENOENT);
    run_place_release(&found);
    const char *record = run_place_record(&second);
    FILE *file = fopen(record, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(run_place_reopen(&found, NULL, "0123", &failure), -ENOENT);
    run_place_release(&found);
    AUTO_FREE char *wanted = strdup(second.store);
    run_place_release(&second);
    assert_int_equal(run_place_reopen(&found, NULL, "0123", &failure), 0);
    assert_string_equal(found.store, wanted);
    run_place_remove(&found);
    run_place_release(&found);
}
