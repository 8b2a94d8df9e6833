/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where stores live when nobody says where, and how the run to be resumed is found. */
#include "store-fixture.h"
#include "store/handle.h"
#include "store/store.h"

TEST_WITH(stores_live_below_the_state_folder, setup, teardown)
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

static int touch(void *context, const char *path, struct failure *failure)
{
    (void)failure;
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    *(size_t *)context += fd >= 0;
    return fd < 0 ? -errno : 0;
}

static int refuse(void *context, const char *path, struct failure *failure)
{
    (void)path;
    ++*(size_t *)context;
    return fail_with(failure, -EACCES, "no");
}

/* Two commands that begin in the same millisecond: neither is told that its store is there. */
TEST_WITH(stores_made_at_the_same_time_get_names_of_their_own, setup, teardown)
{
    struct fixture *fixture = *state;
    size_t made = 0, refused = 0;
    struct failure refusal = {0};
    setenv("XDG_STATE_HOME", fixture->folder, 1);
    for (int i = 0; i < 20; i++)
        must(store_make_default("cafe", "measure", touch, &made, failure));
    assert_int_equal(made, 20);
    assert_int_equal(store_make_default("cafe", "measure", refuse, &refused, &refusal), -EACCES);
    assert_int_equal(refused, 1); /* not a matter of names */
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

TEST_WITH(the_newest_unfinished_run_is_found, setup, teardown)
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

/* What `assay run` measured is known as if its parts had been measured alone. */
TEST_WITH(runs_within_a_run_are_found, setup, teardown)
{
    struct fixture *fixture = *state;
    setenv("XDG_STATE_HOME", fixture->folder, 1);
    char *path = NULL, *collection = NULL, *begun = NULL;
    char *alone = make_in_place(fixture, "cafe", "measure", true, true);
    usleep(2000);
    must(store_default_path("cafe", "run", &collection, failure));
    must(collection_write(collection, (const char *const[]){alone}, 1, NULL, failure));
    must(store_latest("cafe", "measure", &path, failure));
    assert_memory_equal(path, collection, strlen(collection));
    assert_string_equal(path + strlen(collection), "#1");
    /* While it is under way its parts are stores. */
    usleep(2000);
    must(store_default_path("cafe", "run", &begun, failure));
    char part[512];
    snprintf(part, sizeof(part), "%s.parts", begun);
    assert_int_equal(mkdir(part, 0700), 0);
    snprintf(part, sizeof(part), "%s.parts/01-measure.sqlite", begun);
    struct store *store = NULL;
    must(store_create(&store, part, &fixture->run, failure));
    store_close(store);
    char *older = NULL, *oldest = NULL, *none = NULL;
    free(path);
    must(store_latest("cafe", "measure", &path, failure));
    assert_string_equal(path, part);
    /* And each has those before it. */
    must(store_latest_before("cafe", "measure", path, &older, failure));
    assert_memory_equal(older, collection, strlen(collection));
    must(store_latest_before("cafe", "measure", older, &oldest, failure));
    assert_string_equal(oldest, alone);
    assert_int_equal(store_latest_before("cafe", "measure", oldest, &none, NULL), -ENOENT);
    assert_int_equal(store_latest("cafe", "caches", &none, NULL), -ENOENT);
    char *all[] = {path, collection, begun, alone, older, oldest};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}
