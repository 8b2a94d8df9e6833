/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches on the wire: what one side asks for the other understands, all fields or none, and what
 * makes no sense for its kind is refused; clocks that people bring along, as text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sent-cell.h"

static struct cell watch_of(enum watch_kind kind, uint32_t columns, uint32_t runs)
{
    static const char *const names[CELL_MAX_COUNTERS] = {
        "c0",  "c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",  "c9",  "c10",
        "c11", "c12", "c13", "c14", "c15", "c16", "c17", "c18", "c19", "c20", "c21",
        "c22", "c23", "c24", "c25", "c26", "c27", "c28", "c29", "c30", "c31"};
    struct cell cell = {.id = 9,
                        .counters = columns,
                        .path = words("watch"),
                        .pattern = PATTERN_RR,
                        .specimen = words("null"),
                        .opt = words("O2"),
                        .link = words("static"),
                        .runs = runs,
                        .cpu = -1,
                        .watch = {.kind = kind, .threads = 1, .partner = -1}};
    for (uint32_t i = 0; i < columns; i++)
        cell.events[i] = words(names[i]);
    return cell;
}

static struct cell interval(void)
{
    struct cell cell = watch_of(WATCH_INTERVAL, 2, 24);
    cell.watch = (struct cell_watch){WATCH_INTERVAL, words("sleep"), 20000, 2, 3, true, true, -1};
    return cell;
}

static struct cell row(void)
{
    struct cell cell = watch_of(WATCH_ROW, ROW_COLUMNS, 7);
    cell.watch.length = WATCH_MOST_BLOCK;
    for (int i = ROW_FIRST; i <= ROW_WORST; i++)
        cell.events[i] = words("tsc");
    cell.events[ROW_BEFORE] = cell.events[ROW_AFTER] = words("monotonic-raw");
    return cell;
}

static struct cell steps(void)
{
    struct cell cell = watch_of(WATCH_STEPS, 2, 5);
    cell.watch.length = 1;
    return cell;
}

static struct cell trips(void)
{
    struct cell cell = watch_of(WATCH_TRIPS, CELL_MAX_COUNTERS, 3);
    cell.cpu = 0;
    cell.watch.partner = INT32_MAX;
    return cell;
}

static struct cell edges(void)
{
    struct cell cell = watch_of(WATCH_EDGES, 2, 4);
    cell.watch.length = WATCH_MOST_MICROS;
    cell.watch.awake = true;
    return cell;
}

static struct cell outside(void)
{
    struct cell cell = watch_of(WATCH_OUTSIDE, 3, 15);
    cell.events[2] = cell.events[0];
    return cell;
}

static struct cell (*const good[])(void) = {interval, row, steps, trips, edges};
enum { GOOD = sizeof(good) / sizeof(*good) };

TEST(every_kind_comes_back_whole)
{
    for (size_t i = 0; i < GOOD; i++) {
        const struct cell cell = good[i]();
        struct cell got, copy;
        struct failure why = {0};
        if (send(&cell, NULL, NULL, &got, &why) < 0)
            fail_msg("%s", why.text);
        assert_int_equal(cell_copy(&copy, &got), 0);
        cell_release(&got);
        assert_null(got.watch.workload);
        assert_true(cell_same_watch(&copy, &cell));
        for (uint32_t column = 0; column < cell.counters; column++)
            assert_string_equal(copy.events[column], cell.events[column]);
        cell_release(&copy);
    }
}

TEST(all_fields_are_there_or_none)
{
    static const char *const changes[] =
        TABLE("watch", "watch=", "watch=sundial", "watch=outside", "workload",
              "workload=", "workload=Sleep", "workload=a,b",
              "workload=a-workload-with-a-word-much-too-long", "length", "length=-1",
              "length=600000001", "length=18446744073709551616", "threads", "threads=0",
              "threads=65", "threads=4294967297", "moves", "moves=1025", "handover", "handover=2",
              "awake", "awake=yes", "partner", "partner=1", "partner=-2", "partner=2147483648",
              "runs=23", "runs=6", "path=perf-read", "path=tour", "pattern=ar", "specimen=loop",
              "n=1", "event1=c0", "event1=c 1", "event1=c1@7", "event1=c1=object:x");
    const struct cell cell = interval();
    expect_changes_refused(&cell, changes, sizeof(changes) / sizeof(*changes));
}

static void expect_refusal(const struct cell *cell, const char *said)
{
    struct failure why = {0};
    if (cell_check_watch(cell, &why) != -EINVAL || !strstr(why.text, said))
        fail_msg("'%s' does not say '%s'", why.text, said);
}

TEST(outside_is_for_stores_alone)
{
    struct cell cell = outside(), got;
    struct failure why = {0};
    assert_int_equal(cell_check_watch(&cell, NULL), 0);
    assert_int_equal(send(&cell, NULL, NULL, &got, &why), -EBADMSG);
    assert_non_null(strstr(why.text, "outside"));
    cell.events[2] = words("another");
    expect_refusal(&cell, "the same clock");
    cell = outside();
    cell.events[1] = cell.events[0];
    expect_refusal(&cell, "twice in a look");
    cell = outside();
    cell.counters = 2;
    cell.events[1] = cell.events[0];
    expect_refusal(&cell, "columns");
}

#define REFUSED(kind, change, said)                                                                \
    do {                                                                                           \
        struct cell cell = kind();                                                                 \
        cell.change;                                                                               \
        expect_refusal(&cell, said);                                                               \
    } while (0)

TEST(kinds_are_held_to_their_columns)
{
    for (uint32_t i = 0; i < ROW_COLUMNS; i++)
        REFUSED(row, events[i] = words("other"), "four times");
    struct cell metered_by_itself = row();
    metered_by_itself.events[ROW_BEFORE] = metered_by_itself.events[ROW_AFTER] = words("tsc");
    assert_int_equal(cell_check_watch(&metered_by_itself, NULL), 0);
    REFUSED(row, counters = 5, "columns");
    REFUSED(steps, counters = 1, "columns");
    REFUSED(edges, counters = 1, "columns");
    REFUSED(edges, events[1] = words("c0"), "twice in a look");
    REFUSED(trips, events[31] = words("c3"), "twice in a look");
    REFUSED(interval, events[1] = NULL, "no name");
}

TEST(kinds_are_held_to_their_numbers)
{
    for (size_t i = 1; i < GOOD; i++) { /* all but intervals */
        REFUSED(good[i], watch.threads = 2, "threads");
        REFUSED(good[i], watch.threads = 0, "threads");
        REFUSED(good[i], watch.moves = 1, "moves");
        REFUSED(good[i], watch.handover = true, "hands over");
        REFUSED(good[i], watch.workload = words("sleep"), "watches no interval");
        REFUSED(good[i], watch.length = UINT64_MAX, "length");
    }
    REFUSED(row, watch.length = 0, "length");
    REFUSED(steps, watch.length = 0, "length");
    REFUSED(trips, watch.length = 1, "length");
    REFUSED(edges, runs = 3, "no multiple");
    REFUSED(trips, runs = 4, "no multiple");
    REFUSED(interval, watch.kind = WATCH_KINDS, "that is none");
}

TEST(trips_need_two_cpus)
{
    static const int32_t pairs[][2] = {{-1, 0}, {0, -1}, {3, 3}, {-1, -1}, {-2, 1}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct cell cell = trips();
        cell.cpu = pairs[i][0];
        cell.watch.partner = pairs[i][1];
        expect_refusal(&cell, "two CPUs");
    }
    struct cell cell = steps();
    cell.watch.partner = 0;
    expect_refusal(&cell, "no trips");
}

/* --- clocks that people bring along --- */

TEST(a_persons_clock_is_read)
{
    static const struct {
        const char *text, *name, *what;
        uint64_t hz;
        enum external_way way;
    } cases[] = {
        {"mine=object:./a.so:now", "mine", "./a.so:now", 0, EXTERNAL_OBJECT},
        {"mine@1=object:/a:b=c@d/x.so:_now_2", "mine", "/a:b=c@d/x.so:_now_2", 1, EXTERNAL_OBJECT},
        {"A.b_c-9@1000000000000=ask:./clock --from=@now", "A.b_c-9", "./clock --from=@now",
         EXTERNAL_MOST_HZ, EXTERNAL_ASK},
        {"0=run:date +%s", "0", "date +%s", 0, EXTERNAL_RUN},
        {"a-name-of-thirty-one-characters=run:x", "a-name-of-thirty-one-characters", "x", 0,
         EXTERNAL_RUN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct external_clock clock;
        struct failure why = {0};
        if (external_clock_parse(cases[i].text, &clock, &why) != 1)
            fail_msg("%s: %s", cases[i].text, why.text);
        assert_string_equal(clock.name, cases[i].name);
        assert_string_equal(clock.what, cases[i].what);
        assert_true(clock.what > cases[i].text &&
                    clock.what < cases[i].text + strlen(cases[i].text));
        assert_true(clock.hz == cases[i].hz);
        assert_int_equal(clock.way, cases[i].way);
    }
}

TEST(hostile_clocks_are_refused)
{
    static char long_text[CLOCK_TEXT + 1] = "x=run:";
    memset(long_text + 6, 'y', CLOCK_TEXT - 6);
    static const char *const cases[][2] = TABLE(
        {"", "no name"}, {"=run:x", "no name"}, {"@5=run:x", "no name"},
        {"a-name-of-thirty-two-characters-=run:x", "more than 31"},
        {"a-name-of-thirty-two-characters-", "more than 31"}, {"-x=run:x", "name that is none"},
        {".x", "name that is none"}, {"a b=run:x", "name that is none"},
        {"a,b=run:x", "name that is none"}, {"\xc3\xa9=run:x", "name that is none"},
        {"a/b", "name that is none"}, {"a\x1b[2J=run:x", "control character"},
        {"x=run:a\nb", "control character"}, {"x=run:a\x7f", "control character"},
        {"x@=run:y", "behind its '@'"}, {"x@0=run:y", "behind its '@'"},
        {"x@07=run:y", "behind its '@'"}, {"x@-7=run:y", "behind its '@'"},
        {"x@+7=run:y", "behind its '@'"}, {"x@7Hz=run:y", "behind its '@'"},
        {"x@7@8=run:y", "behind its '@'"}, {"x@1000000000001=run:y", "behind its '@'"},
        {"x@18446744073709551617=run:y", "behind its '@'"}, {"x@7", "how it is read"},
        {"x=", "how it is read"}, {"x=y", "how it is read"}, {"x=RUN:y", "how it is read"},
        {"x=run", "how it is read"}, {"x=run:", "must name a command"},
        {"x=ask:   ", "must name a command"}, {"x=object:", "object:FILE:SYMBOL"},
        {"x=object:f", "object:FILE:SYMBOL"}, {"x=object::s", "object:FILE:SYMBOL"},
        {"x=object:f:", "object:FILE:SYMBOL"}, {"x=object:f:2s", "object:FILE:SYMBOL"},
        {"x=object:f:a b", "object:FILE:SYMBOL"}, {long_text, "longer than 511"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct external_clock clock;
        struct failure why = {0};
        if (external_clock_parse(cases[i][0], &clock, &why) != -EINVAL)
            fail_msg("'%s' was taken", cases[i][0]);
        if (!strstr(why.text, cases[i][1]))
            fail_msg("'%s' does not say '%s'", why.text, cases[i][1]);
        assert_null(strpbrk(why.text, "\x1b\x7f"));
    }
    long_text[CLOCK_TEXT - 1] = '\0'; /* as long as it may be */
    struct external_clock clock;
    assert_int_equal(external_clock_parse(long_text, &clock, NULL), 1);
}
