/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells and batches on the wire: what one side means the other understands, and rubbish is
 * refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "case.h"
#include "wire/cell.h"

/* Parses the one frame gathered in a writer; *kept must outlive the frame. */
static void parse_only_frame(struct wire_writer *writer, struct wire_frame *frame, char **kept)
{
    char *line = *kept = strdup(text_string(&writer->pending));
    assert_non_null(line);
    size_t length = strlen(line);
    assert_true(length > 0);
    line[length - 1] = '\0';
    assert_null(strchr(line, '\n'));
    assert_int_equal(wire_parse(line, length - 1, frame, NULL), 0);
    wire_writer_free(writer);
}

static char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

TEST(a_cell_comes_back_whole)
{
    const struct cell cells[] = {
        {.id = UINT32_MAX,
         .counters = 2,
         .events = {words("mem:0x10/4:rw"), words("uprobe:/a b%/x:main")},
         .path = words("perf-read"),
         .pattern = PATTERN_RO,
         .specimen = words("loop"),
         .n = UINT64_MAX,
         .opt = words("O2"),
         .link = words("bind-now"),
         .runs = CELL_MAX_RUNS,
         .separate = true,
         .cpu = -1},
        {.id = 7,
         .counters = 1,
         .events = {words("clock/ticks/")},
         .path = words("tour"),
         .pattern = PATTERN_RR,
         .specimen = words("null"),
         .opt = words("O2"),
         .link = words("lazy"),
         .runs = 6,
         .cpu = 1,
         .tour = {words("timer.nothing,perf-read.read*8"), words("page-faults:u"),
                  CELL_MAX_COUNTERS, true}},
    };
    for (size_t i = 0; i < 2; i++) {
        const struct cell *sent = &cells[i];
        struct wire_writer writer = {0};
        struct wire_frame frame;
        struct cell got, copy;
        cell_put(&writer, sent);
        AUTO_FREE char *line = NULL;
        parse_only_frame(&writer, &frame, &line);
        assert_string_equal(frame.type, "cell");
        assert_int_equal(cell_get(&frame, &got, NULL), 0);
        assert_int_equal(cell_copy(&copy, &got), 0);
        cell_release(&got);
        assert_null(got.tour.calls);
        assert_int_equal(copy.id, sent->id);
        assert_int_equal(copy.counters, sent->counters);
        for (uint32_t event = 0; event < sent->counters; event++)
            assert_string_equal(copy.events[event], sent->events[event]);
        assert_string_equal(copy.path, sent->path);
        assert_string_equal(copy.specimen, sent->specimen);
        assert_string_equal(copy.opt, sent->opt);
        assert_string_equal(copy.link, sent->link);
        assert_true(copy.n == sent->n && copy.pattern == sent->pattern);
        assert_true(copy.runs == sent->runs && copy.separate == sent->separate);
        assert_int_equal(copy.cpu, sent->cpu);
        assert_true(cell_same_tour(&copy, sent));
        cell_release(&copy);
    }
}

/* What an older probe would not understand is not in the frame of a plain cell. */
TEST(other_cells_say_nothing_of_tours_watches_and_commands)
{
    const struct cell cell = {.id = 7,
                              .counters = 1,
                              .events = {words("cycles")},
                              .path = words("perf-read"),
                              .specimen = words("null"),
                              .opt = words("O2"),
                              .link = words("lazy"),
                              .runs = 6};
    struct wire_writer writer = {0};
    struct wire_frame frame;
    struct cell got;
    cell_put(&writer, &cell);
    AUTO_FREE char *line = NULL;
    parse_only_frame(&writer, &frame, &line);
    static const char *const keys[] = {
        "calls", "counted",   "open",     "cold",    "watch", "workload", "length",  "threads",
        "moves", "partner",   "handover", "awake",   "words", "name",     "keep",    "input",
        "swept", "directory", "sweep",    "timeout", "shown", "detail",   "controls"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        assert_null(wire_get(&frame, keys[i]));
    assert_int_equal(cell_get(&frame, &got, NULL), 0);
    assert_null(got.tour.calls);
    assert_null(got.tour.counted);
    cell_release(&got);
}

/* Fields of a frame, those called `altered` replaced by a value (NULL: left out). */
static int get_altered(const char *const (*fields)[2], size_t count, const char *altered,
                       const char *value, size_t length)
{
    struct wire_writer writer = {0};
    wire_begin(&writer, "cell");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i][0], altered) != 0)
            wire_put_string(&writer, fields[i][0], fields[i][1]);
        else if (value)
            wire_put_bytes(&writer, altered, value, length);
    }
    assert_int_equal(wire_end(&writer), 0);
    struct wire_frame frame;
    struct failure failure = {0};
    struct cell cell;
    AUTO_FREE char *line = NULL;
    parse_only_frame(&writer, &frame, &line);
    int status = cell_get(&frame, &cell, &failure);
    if (status == 0)
        cell_release(&cell);
    else if (failure.code != status ||
             (!strstr(failure.text, altered) && strcmp(altered, "calls") != 0))
        fail_msg("'%s' does not name '%s'", failure.text, altered);
    return status;
}

static int get_altered_cell(const char *altered, const char *value, size_t length)
{
    static const char *const fields[][2] = {
        {"id", "1"},        {"counters", "1"},    {"event0", "cycles"}, {"path", "perf-read"},
        {"pattern", "ar"},  {"specimen", "null"}, {"n", "0"},           {"opt", "O0"},
        {"link", "static"}, {"runs", "1"},        {"separate", "0"},    {"cpu", "0"}};
    return get_altered(fields, sizeof(fields) / sizeof(*fields), altered, value, length);
}

static int get_altered_tour(const char *altered, const char *value)
{
    static const char *const fields[][2] =
        TABLE({"id", "1"}, {"counters", "1"}, {"event0", "cycles"}, {"path", "tour"},
              {"pattern", "rr"}, {"specimen", "null"}, {"n", "0"}, {"opt", "O0"},
              {"link", "static"}, {"runs", "4"}, {"separate", "0"}, {"cpu", "0"},
              {"calls", "a.b*2,c.d"}, {"counted", "cycles"}, {"open", "1"}, {"cold", "0"});
    return get_altered(fields, sizeof(fields) / sizeof(*fields), altered, value,
                       value ? strlen(value) : 0);
}

TEST(a_malformed_tour_is_refused_by_name)
{
    static const char *const bad[][2] = {
        {"path", "perf-read"}, {"pattern", "ar"}, {"specimen", "loop"}, {"n", "1"},
        {"runs", "3"},         {"runs", "1"},     {"calls", NULL},      {"calls", ""},
        {"counted", NULL},     {"counted", ""},   {"open", NULL},       {"open", "0"},
        {"open", "33"},        {"open", "x"},     {"cold", NULL},       {"cold", "2"},
        {"cold", "no"},        {"cold", ""},
    };
    static const char *const bad_calls[] = {"a.b,", "a", "a.b*0,c.d", "a.b c.d", "a.b,c.d,e.f"};
    assert_int_equal(get_altered_tour("none", NULL), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(get_altered_tour(bad[i][0], bad[i][1]), -EBADMSG);
    for (size_t i = 0; i < sizeof(bad_calls) / sizeof(*bad_calls); i++)
        assert_int_equal(get_altered_tour("calls", bad_calls[i]), -EBADMSG);
    assert_int_equal(get_altered_cell("path", "tour", 4), -EBADMSG); /* without calls */
}

TEST(a_malformed_cell_is_refused_by_name)
{
    static const char *const bad[][2] = {
        {"id", NULL},        {"id", "4294967296"}, {"id", "-1"},      {"counters", "0"},
        {"counters", "33"},  {"event0", NULL},     {"event0", ""},    {"path", NULL},
        {"path", ""},        {"pattern", "xx"},    {"pattern", NULL}, {"specimen", ""},
        {"n", "x"},          {"opt", NULL},        {"link", ""},      {"runs", "0"},
        {"runs", "1000001"}, {"separate", "2"},    {"cpu", "-2"},     {"cpu", "2147483648"},
        {"cpu", NULL}};
    assert_int_equal(get_altered_cell("none", NULL, 0), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(get_altered_cell(bad[i][0], bad[i][1], bad[i][1] ? strlen(bad[i][1]) : 0),
                         -EBADMSG);
    }
    assert_int_equal(get_altered_cell("path", "a\0b", 3), -EBADMSG);
}

/* --- batches --- */
static struct batch filled(uint32_t runs, uint32_t counters, uint64_t *rows,
                           struct account *accounts)
{
    const size_t count = (size_t)runs * counters;
    struct batch batch = {.cell = 7,
                          .process = 2,
                          .first_run = 10,
                          .runs = runs,
                          .counters = counters,
                          .values = rows,
                          .enabled = rows + count,
                          .running = rows + 2 * count,
                          .accounts = accounts};
    return batch;
}

static void assert_batch_equal(const struct batch *got, const struct batch *sent)
{
    const size_t bytes = (size_t)sent->runs * sent->counters * sizeof(uint64_t);
    assert_int_equal(got->cell, sent->cell);
    assert_int_equal(got->process, sent->process);
    assert_int_equal(got->first_run, sent->first_run);
    assert_int_equal(got->runs, sent->runs);
    assert_int_equal(got->counters, sent->counters);
    assert_memory_equal(got->values, sent->values, bytes);
    assert_memory_equal(got->enabled, sent->enabled, bytes);
    assert_memory_equal(got->running, sent->running, bytes);
    assert_memory_equal(got->accounts, sent->accounts, sent->runs * sizeof(struct account));
}

/* Times of three counters over two runs: which columns travel, and do all come back? */
static void assert_columns(const uint64_t enabled[6], const uint64_t running[6],
                           const char *travelling, const char *left_out)
{
    uint64_t rows[18] = {1, 2, 3, UINT64_MAX, 0, 3};
    struct account accounts[2] = {{0}, {.voluntary = 1, .involuntary = UINT64_MAX}};
    memcpy(rows + 6, enabled, 6 * sizeof(uint64_t));
    memcpy(rows + 12, running, 6 * sizeof(uint64_t));
    struct batch sent = filled(2, 3, rows, accounts);
    struct wire_writer writer = {0};
    struct wire_frame frame;
    struct batch got;
    struct batch_storage storage = {0};
    assert_int_equal(batch_put(&writer, &sent), 0);
    AUTO_FREE char *line = NULL;
    parse_only_frame(&writer, &frame, &line);
    char key[3] = "";
    for (; *travelling; travelling += 2)
        assert_non_null(wire_field(&frame, memcpy(key, travelling, 2)));
    for (; *left_out; left_out += 2)
        assert_null(wire_field(&frame, memcpy(key, left_out, 2)));
    assert_null(wire_field(&frame, "minor"));
    assert_non_null(wire_field(&frame, "vol"));
    assert_int_equal(batch_get(&frame, &got, &storage, NULL), 0);
    assert_batch_equal(&got, &sent);
    batch_storage_free(&storage);
}

TEST(columns_that_say_nothing_new_stay_at_home)
{
    assert_columns((const uint64_t[]){9, 9, 9, 8, 8, 8}, (const uint64_t[]){9, 9, 9, 8, 8, 8}, "e0",
                   "r0e1r1e2r2");
    /* all ran part of the time, alike */
    assert_columns((const uint64_t[]){9, 9, 9, 8, 8, 8}, (const uint64_t[]){5, 5, 5, 4, 4, 4},
                   "e0r0", "e1r1e2r2");
    /* counter 1 has times of its own but ran throughout; counter 2 as counter 0 */
    assert_columns((const uint64_t[]){9, 7, 9, 8, 6, 8}, (const uint64_t[]){5, 7, 5, 4, 6, 4},
                   "e0r0e1", "r1e2r2");
    /* same enabled time as counter 0, which was multiplexed; this one was not */
    assert_columns((const uint64_t[]){9, 9, 9, 8, 8, 8}, (const uint64_t[]){5, 9, 5, 4, 8, 4},
                   "e0r0r1", "e1e2r2");
}

TEST(long_batches_are_cut_to_lines_and_come_back)
{
    enum { RUNS = 20000, COUNTERS = 2 };
    AUTO_FREE uint64_t *rows = calloc((size_t)3 * RUNS * COUNTERS, sizeof(uint64_t));
    AUTO_FREE struct account *accounts = calloc(RUNS, sizeof(*accounts));
    for (size_t i = 0; i < (size_t)3 * RUNS * COUNTERS; i++)
        rows[i] = UINT64_MAX - i; /* every number has all its digits */
    for (size_t i = 0; i < RUNS; i++)
        accounts[i] = (struct account){UINT64_MAX - 3 * i, UINT64_MAX - i, UINT64_MAX - 2 * i, ~i};
    struct batch sent = filled(RUNS, COUNTERS, rows, accounts);
    /* Large frames flush by themselves, so they need somewhere to go. */
    FILE *file = tmpfile();
    assert_non_null(file);
    struct wire_writer writer = {.fd = fileno(file)};
    assert_int_equal(batch_put(&writer, &sent), 0);
    assert_int_equal(wire_flush(&writer), 0);
    wire_writer_free(&writer);
    rewind(file);

    struct wire_reader reader = {.fd = fileno(file)};
    struct batch_storage storage = {0};
    struct wire_frame frame;
    uint32_t seen = 0;
    int frames = 0;
    for (; wire_read(&reader, 1000, &frame, NULL) == 1; frames++) {
        struct batch got;
        struct batch part = sent;
        assert_int_equal(batch_get(&frame, &got, &storage, NULL), 0);
        part.first_run += seen;
        part.runs = got.runs;
        part.values += (size_t)seen * COUNTERS;
        part.enabled += (size_t)seen * COUNTERS;
        part.running += (size_t)seen * COUNTERS;
        part.accounts += seen;
        assert_true(seen + got.runs <= RUNS);
        assert_batch_equal(&got, &part);
        seen += got.runs;
    }
    assert_int_equal(seen, RUNS);
    assert_true(frames > 1);
    batch_storage_free(&storage);
    wire_reader_free(&reader);
    fclose(file);
}

TEST(a_malformed_batch_is_refused)
{
    static const char *const bad[] = {
        "process=1 first=0 runs=1 counters=1 v0=1 e0=1",
        "cell=1 process=1 first=0 runs=0 counters=1 v0= e0=",
        "cell=1 process=1 first=0 runs=65537 counters=1 v0=1*65537 e0=1*65537",
        "cell=1 process=1 first=999999 runs=2 counters=1 v0=1*2 e0=1*2",
        "cell=1 process=1 first=18446744073709551615 runs=2 counters=1 v0=1*2 e0=1*2",
        "cell=1 process=1 first=0 runs=1 counters=0 v0=1 e0=1",
        "cell=1 process=1 first=0 runs=1 counters=33 v0=1 e0=1",
        "cell=1 process=1 first=0 runs=2 counters=1 v0=1 e0=1*2",
        "cell=1 process=1 first=0 runs=2 counters=1 v0=1*3 e0=1*2",
        "cell=1 process=1 first=0 runs=2 counters=1 v0=1*2",
        "cell=1 process=1 first=0 runs=2 counters=1 e0=1*2",
        "cell=1 process=1 first=0 runs=2 counters=2 v0=1*2 e0=1*2",
        "cell=1 process=1 first=0 runs=2 counters=1 v0=1*2 e0=1*2 r0=x",
        "cell=1 process=1 first=0 runs=2 counters=1 v0=1*2 e0=1*2 minor=1",
        "cell=4294967296 process=1 first=0 runs=1 counters=1 v0=1 e0=1",
    };
    struct batch_storage storage = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        AUTO_FREE char *body = NULL;
        AUTO_FREE char *line = NULL;
        struct wire_frame frame;
        struct batch batch;
        struct failure failure = {0};
        assert_true(asprintf(&body, "@assay 0 samples %s", bad[i]) > 0);
        assert_true(asprintf(&line, "%s %08x", body, wire_crc32(body, strlen(body))) > 0);
        assert_int_equal(wire_parse(line, strlen(line), &frame, NULL), 0);
        assert_int_equal(batch_get(&frame, &batch, &storage, &failure), -EBADMSG);
        assert_non_null(strstr(failure.text, "samples"));
    }
    batch_storage_free(&storage);
}

/* --- the calls of a tour --- */

TEST(calls_are_read_in_order)
{
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count = 0;
    assert_int_equal(
        tour_parse("perf-read.start,perf-read.read*8,timer.nothing,a.b*1024", &calls, &count, NULL),
        0);
    static const struct tour_call wanted[] = {
        {"perf-read.start", 1}, {"perf-read.read", 8}, {"timer.nothing", 1}, {"a.b", 1024}};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(calls[i].operation, wanted[i].operation);
        assert_int_equal(calls[i].times, wanted[i].times);
    }
}

static void expect_refusal(const char *text, const char *words)
{
    struct tour_call *calls = NULL;
    struct failure failure = {0};
    size_t count = 7;
    int status = tour_parse(text, &calls, &count, &failure);
    if (status != -EINVAL || !strstr(failure.text, words))
        fail_msg("'%.80s': %d '%s' instead of '%s'", text ? text : "(none)", status, failure.text,
                 words);
    assert_null(calls);
    assert_int_equal(count, 0);
    assert_int_equal(failure.code, -EINVAL);
}

TEST(each_kind_of_wrong_text_has_its_sentence)
{
    static const char *const bad[][2] = TABLE(
        {"", "without a call"}, {",", "call 1 of a tour is empty"},
        {"a.b,", "call 2 of a tour is empty"}, {"a.b,,a.b", "call 2 of a tour is empty"},
        {"read", "call 1 of a tour, 'read', has no dot"},
        {"a.b,read*3", "call 2 of a tour, 'read*3', has no dot"}, {".read", "lacks its path"},
        {".", "lacks its path"}, {".*3", "lacks its path"}, {"perf.", "lacks its kind"},
        {"perf.*2", "lacks its kind"}, {"*2", "no dot"},
        {"a.b.c", "character that no operation has"}, {"a b.c", "character that no operation has"},
        {"A.read", "character that no operation has"},
        {"a.re\xc3\xa9", "character that no operation has"}, {"a.b*", "a number from 1 to 1024"},
        {"a.b*0", "a number from 1 to 1024"}, {"a.b*01", "a number from 1 to 1024"},
        {"a.b*-1", "a number from 1 to 1024"}, {"a.b*+1", "a number from 1 to 1024"},
        {"a.b*1025", "a number from 1 to 1024"}, {"a.b*4294967297", "a number from 1 to 1024"},
        {"a.b*99999999999999999999999", "a number from 1 to 1024"},
        {"a.b*2*2", "a number from 1 to 1024"}, {"a.b*2 ", "a number from 1 to 1024"},
        {"a.b* 2", "a number from 1 to 1024"});
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        expect_refusal(bad[i][0], bad[i][1]);
    expect_refusal(NULL, "without a call");
    char name[2 * TOUR_NAME] = "";
    memset(name, 'p', TOUR_NAME - 2);
    strcat(name, ".k");
    expect_refusal(name, "a name of more than 63 characters");
}

TEST(a_tour_has_an_end)
{
    AUTO_TEXT struct text text = {0};
    for (unsigned i = 0; i < TOUR_MOST_CALLS; i++)
        text_puts(&text, i ? ",a.b" : "a.b");
    struct tour_call *calls = NULL;
    size_t count = 0;
    assert_int_equal(tour_parse(text_string(&text), &calls, &count, NULL), 0);
    assert_int_equal(count, TOUR_MOST_CALLS);
    free(calls);
    text_puts(&text, ",a.b");
    expect_refusal(text_string(&text), "4097 calls, more than the 4096");
}
