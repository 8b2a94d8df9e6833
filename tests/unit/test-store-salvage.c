/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left of damaged stores and collections: whole processes as they were written, the others
 * marked as lost, or a refusal. Never a value that was not written. */
#include "store-fixture.h"

#include "store-dump.h"
#include "store/store.h"

/* The samples of the fixture's plan, its tour and its watches. */
enum { CELLS = 16, PROCESSES = 8 };

struct lost {
    unsigned count;
    char last[400];
};

static void note(void *context, const char *name, const char *what)
{
    struct lost *lost = context;
    lost->count++;
    snprintf(lost->last, sizeof(lost->last), "%.100s: %.200s", name, what);
}

static int salvage_file(const char *from, const char *to, struct lost *lost,
                        struct failure *failure)
{
    *lost = (struct lost){0};
    const struct salvage salvage = {note, lost};
    unlink(to);
    return collection_salvage(to, &from, 1, &salvage, NULL, failure);
}

/* --- a rest against what was written --- */

struct compared {
    uint64_t of_visit[CELLS][PROCESSES];
    uint64_t samples, wrong, failed, done, other;
};

static int compare_sample(void *context, const struct sample *sample)
{
    struct compared *compared = context;
    struct sample right = right_sample(sample->cell, sample->process, sample->run, sample->counter);
    compared->samples++;
    compared->wrong += !same_sample(sample, &right);
    if (sample->cell < CELLS && sample->process < PROCESSES)
        compared->of_visit[sample->cell][sample->process]++;
    return 0;
}

static int compare_visit(void *context, const struct stored_visit *visit)
{
    struct compared *compared = context;
    compared->done += visit->state == VISIT_DONE;
    compared->failed += visit->state == VISIT_FAILED;
    if (visit->state == VISIT_FAILED)
        compared->wrong += !visit->reason || visit->samples > 0 || visit->error != EBADMSG;
    uint64_t has = compared->of_visit[visit->visit.cell % CELLS][visit->visit.process % PROCESSES];
    compared->other += visit->samples != has;
    return 0;
}

static int dump_plan(void *context, const struct stored_cell *stored)
{
    struct stored_cell cell = *stored;
    cell.processes = cell.done = cell.failed = 0; /* how its visits fared is compared apart */
    return dump_cell(context, &cell);
}

/* Cells and knowledge must be what they were; visits and samples are counted. */
static void look_into(const char *path, struct text *plan, struct compared *compared)
{
    struct store *store = NULL;
    struct failure refusal = {0};
    *compared = (struct compared){0};
    text_clear(plan);
    int error = store_open(&store, path, false, &refusal);
    if (!error)
        error = store_each_cell(store, dump_plan, plan, &refusal);
    if (!error)
        error = dump_knowledge(store, plan, &refusal);
    if (!error)
        error = store_each_sample(store, 0, compare_sample, compared, &refusal);
    if (!error)
        error = store_each_visit(store, compare_visit, compared, &refusal);
    if (error)
        fail_msg("the rest cannot be read: %s", refusal.text);
    store_close(store);
}

struct attempt {
    char rest[160];
    struct text plan, right_plan;
    struct compared right;
    unsigned sound, saved, refused;
};

static void begin(struct fixture *fixture, struct attempt *attempt)
{
    snprintf(attempt->rest, sizeof(attempt->rest), "%s/rest.sqlite", fixture->folder);
    look_into(fixture->path, &attempt->right_plan, &attempt->right);
    assert_int_equal(attempt->right.wrong, 0);
}

static void end(struct attempt *attempt)
{
    text_free(&attempt->plan);
    text_free(&attempt->right_plan);
}

/* Salvages the file and holds what comes of it against what was written. */
static void try_it(struct fixture *fixture, struct attempt *attempt, const char *what, size_t place)
{
    struct failure refusal = {0};
    struct lost lost;
    struct compared found;
    int error = salvage_file(fixture->path, attempt->rest, &lost, &refusal);
    if (error) {
        if (strlen(refusal.text) < 20)
            fail_msg("%s at %zu: no explanation", what, place);
        if (exists(attempt->rest, ""))
            fail_msg("%s at %zu: a file was left", what, place);
        attempt->refused++;
        return;
    }
    look_into(attempt->rest, &attempt->plan, &found);
    if (found.wrong || found.other)
        fail_msg("%s at %zu: %" PRIu64 " samples or visits are wrong", what, place,
                 found.wrong + found.other);
    if (strcmp(text_string(&attempt->plan), text_string(&attempt->right_plan)) != 0)
        fail_msg("%s at %zu: the plan is another", what, place);
    /* a damaged record may look like one more process, which is lost, too */
    if (found.done > attempt->right.done || found.done + lost.count < attempt->right.done)
        fail_msg("%s at %zu: %" PRIu64 " done, %u lost of %" PRIu64 " (%s)", what, place,
                 found.done, lost.count, attempt->right.done, lost.last);
    if (lost.count)
        attempt->saved++;
    else
        attempt->sound++;
}

/* --- the damage --- */

struct content {
    char *bytes;
    size_t size;
};

static void begin_with(struct fixture *fixture, struct attempt *attempt, struct content *content)
{
    begin(fixture, attempt);
    content->bytes = read_file(fixture->path, &content->size);
}

/* Ends the attempt, which must have met every kind of outcome so often at least. */
static void end_with(struct attempt *attempt, struct content *content, unsigned sound,
                     unsigned saved, unsigned refused)
{
    assert_true(attempt->sound >= sound);
    assert_true(attempt->saved >= saved);
    assert_true(attempt->refused >= refused);
    free(content->bytes);
    end(attempt);
}

/* Makes a copy of the content different, at a place that it tells. */
typedef size_t damage_bytes(char *bytes, size_t size, const struct content *content, size_t number);

static void try_damage(struct fixture *fixture, struct attempt *attempt,
                       const struct content *content, const char *what, damage_bytes *damage,
                       size_t number)
{
    AUTO_FREE char *damaged = malloc(content->size);
    memcpy(damaged, content->bytes, content->size);
    size_t place = damage(damaged, content->size, content, number);
    write_file(fixture->path, damaged, content->size);
    try_it(fixture, attempt, what, place);
}

/* The first ones go through the header. */
static size_t flip_a_bit(char *bytes, size_t size, const struct content *content, size_t number)
{
    (void)content;
    size_t place = number < 40 ? number * 5 / 2 : (size_t)rand() % size;
    bytes[place] ^= (char)(1 << rand() % 8);
    return place;
}

static size_t wipe_a_page(char *bytes, size_t size, const struct content *content, size_t number)
{
    (void)size;
    (void)content;
    memset(bytes + number * 4096, number % 2 ? 0xff : 0, 4096);
    return number;
}

/* Anything, or what stands elsewhere in the file. */
static size_t make_noise(char *bytes, size_t size, const struct content *content, size_t number)
{
    size_t length = (size_t)(rand() % 600) + 1, at = (size_t)rand() % (size - length);
    size_t from = (size_t)rand() % (size - length);
    for (size_t i = 0; i < length; i++)
        bytes[at + i] = number % 2 ? (char)rand() : content->bytes[from + i];
    return at;
}

/* Every kind of outcome so often at least. A run in a collection is salvaged as one in a file of
 * its own. */
static const struct kind_of_damage {
    const char *what;
    damage_bytes *damage;
    size_t times; /* 0: once for each page */
    unsigned seed;
    bool in_collection;
    unsigned sound, saved, refused;
} kinds_of_damage[] = {
    {"a flipped bit", flip_a_bit, 100, 11, false, 10 /* unused space */, 10, 11},
    {"a page of nothing", wipe_a_page, 0, 1, false, 0, 1, 4},
    {"noise", make_noise, 32, 5, false, 0, 4, 0},
    {"a flipped bit in a collection", flip_a_bit, 160, 3, true, 0, 11, 11},
};

TEST_WITH(damaged_bytes_leave_what_was_written_or_a_refusal, setup, teardown)
{
    struct fixture *fixture = *state;
    char store[160];
    make_finished_with_all(fixture);
    snprintf(store, sizeof(store), "%s", fixture->path);
    const char *const from[] = {store};
    for (size_t i = 0; i < sizeof(kinds_of_damage) / sizeof(*kinds_of_damage); i++) {
        const struct kind_of_damage *kind = &kinds_of_damage[i];
        struct attempt attempt = {0};
        struct content content;
        if (kind->in_collection) {
            snprintf(fixture->path, sizeof(fixture->path), "%s/all.sqlite", fixture->folder);
            must(collection_write(fixture->path, from, 1, NULL, failure));
        }
        begin_with(fixture, &attempt, &content);
        srand(kind->seed);
        for (size_t at = 0; at < (kind->times ? kind->times : content.size / 4096); at++)
            try_damage(fixture, &attempt, &content, kind->what, kind->damage, at);
        write_file(fixture->path, content.bytes, content.size);
        end_with(&attempt, &content, kind->sound, kind->saved, kind->refused);
    }
}

TEST_WITH(cut_files, setup, teardown)
{
    struct fixture *fixture = *state;
    struct attempt attempt = {0};
    struct content content;
    make_finished_with_all(fixture);
    begin_with(fixture, &attempt, &content);
    for (size_t length = 0; length < content.size; length += 6143) {
        write_file(fixture->path, content.bytes, length);
        try_it(fixture, &attempt, "a cut", length);
    }
    assert_int_equal(attempt.sound, 0);
    end_with(&attempt, &content, 0, 0, 4);
}

/* The end of a file that grew while it was measured is samples. */
TEST_WITH(a_file_without_its_end_keeps_the_rest, setup, teardown)
{
    struct fixture *fixture = *state;
    struct attempt attempt = {0};
    struct content content;
    struct store *store = create(fixture);
    put_knowledge(store);
    for (size_t i = 0; i < PLAN_VISITS; i++)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_finish(store, failure));
    store_close(store);
    change(fixture->path, "VACUUM");
    begin_with(fixture, &attempt, &content);
    for (size_t pages = 1; pages <= 3; pages++) {
        write_file(fixture->path, content.bytes, content.size - pages * 4096);
        try_it(fixture, &attempt, "a cut end", pages);
    }
    assert_true(attempt.saved + attempt.refused == 3);
    end_with(&attempt, &content, 0, 0, 0);
}

/* --- known damage, and what is said of it --- */

TEST_WITH(the_lost_process_is_named, setup, teardown)
{
    struct fixture *fixture = *state;
    struct attempt attempt = {0};
    struct lost lost;
    make_finished(fixture);
    begin(fixture, &attempt);
    change(fixture->path, "UPDATE sample_packed SET value = value + 1 WHERE key = "
                          "(SELECT id << 25 FROM visit WHERE cell = 2 AND process = 3)");
    struct store *store = NULL;
    struct failure refusal = {0};
    must(store_open(&store, fixture->path, false, failure));
    struct compared compared = {0};
    assert_int_equal(store_scan_samples(store, compare_sample, &compared, &refusal), -EBADMSG);
    assert_non_null(strstr(refusal.text, "process 3 of cell 2"));
    assert_non_null(strstr(refusal.text, "merge --salvage"));
    store_close(store);
    must(salvage_file(fixture->path, attempt.rest, &lost, failure));
    assert_int_equal(lost.count, 1);
    assert_non_null(strstr(lost.last, "run.sqlite: process 3 of cell 2: its samples are damaged"));
    must(store_open(&store, attempt.rest, false, failure));
    struct store_info info;
    must(store_info(store, &info, failure));
    assert_int_equal(info.visits_done, PLAN_VISITS - 1);
    assert_non_null(info.finished);
    store_info_release(&info);
    store_close(store);
    end(&attempt);
}

TEST_WITH(the_changed_table_is_named, setup, teardown)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *sql, *table;
    } changes[] = {{"UPDATE cell SET n = 1001 WHERE id = 2", "cell"},
                   {"UPDATE fact SET value = 'another CPU'", "fact"},
                   {"UPDATE truth SET base = base - 1", "truth"},
                   {"UPDATE meta SET value = '7' WHERE key = 'seed'", "meta"}};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        char rest[160], wanted[60];
        struct lost lost;
        struct store *store = NULL;
        struct failure refusal = {0};
        make_finished(fixture);
        change(fixture->path, changes[i].sql);
        assert_int_equal(store_open(&store, fixture->path, false, &refusal), -EBADMSG);
        snprintf(wanted, sizeof(wanted), "in table %s.", changes[i].table);
        if (!strstr(refusal.text, wanted))
            fail_msg("\"%s\" is not in: %s", wanted, refusal.text);
        snprintf(rest, sizeof(rest), "%s/rest.sqlite", fixture->folder);
        assert_int_equal(salvage_file(fixture->path, rest, &lost, &refusal), -EBADMSG);
        snprintf(wanted, sizeof(wanted), "table %s is damaged", changes[i].table);
        if (!strstr(refusal.text, wanted))
            fail_msg("\"%s\" is not in: %s", wanted, refusal.text);
        unlink(fixture->path);
    }
}

/* A visit that claims to be another is noticed by the index. */
TEST_WITH(a_visit_of_another_cell_is_lost, setup, teardown)
{
    struct fixture *fixture = *state;
    struct attempt attempt = {0};
    struct lost lost;
    make_finished(fixture);
    begin(fixture, &attempt);
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    /* the record of process 1 of cell 2: its cell, its process, and its state */
    static const char record[] = "\2\1done";
    char *place = memmem(bytes, size, record, sizeof(record) - 1);
    if (!place) { /* SQLite keeps the number 1 in the header of a record */
        static const char shorter[] = "\2done";
        place = memmem(bytes, size, shorter, sizeof(shorter) - 1);
    }
    assert_non_null(place);
    *place = 3;
    write_file(fixture->path, bytes, size);
    try_it(fixture, &attempt, "another cell", (size_t)(place - bytes));
    assert_int_equal(attempt.saved, 1);
    must(salvage_file(fixture->path, attempt.rest, &lost, failure));
    assert_int_equal(lost.count, 1);
    assert_non_null(strstr(lost.last, "its own record is damaged"));
    end(&attempt);
}

TEST_WITH(sound_stores_are_taken_whole, setup, teardown)
{
    struct fixture *fixture = *state;
    struct attempt attempt = {0};
    AUTO_TEXT struct text one = {0}, other = {0};
    struct lost lost;
    make_finished_with_all(fixture);
    begin(fixture, &attempt);
    must(salvage_file(fixture->path, attempt.rest, &lost, failure));
    assert_int_equal(lost.count, 0);
    must(dump(fixture->path, &one, failure));
    must(dump(attempt.rest, &other, failure));
    assert_string_equal(text_string(&one), text_string(&other));
    end(&attempt);
}
