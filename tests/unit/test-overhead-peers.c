/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What others cost in units of the bare calls: within processes where one made both, by the same
 * link mode, meter and number of events; planted ratios are held as often as intervals say. */
#include <errno.h>

#include <math.h>

#include "case.h"
#include "overhead-figures.h"

static const char bare_calls[] = "timer.nothing,timer.gauge,perf-read.start,perf-read.read,"
                                 "perf-read.stop,perf-syscall.start,perf-syscall.read,"
                                 "perf-syscall.stop";
static const char papi_calls[] =
    "timer.nothing,timer.gauge,papi-low.start,papi-low.read,papi-low.stop";
static const char high_calls[] = "timer.nothing,timer.gauge,papi-high.begin,papi-high.end";
static const char read_calls[] = "timer.nothing,timer.gauge,perf-read.read,perf-syscall.read,"
                                 "papi-low.read,assay.read";

static const struct overhead_peer *find(const struct overhead_report *report, const char *path,
                                        const char *what, const char *bare, const char *variant)
{
    return ONLY(report->peers, report->peer_count, peer,
                strcmp(peer->path, path) == 0 && strcmp(peer->what, what) == 0 &&
                    strcmp(peer->bare_path, bare) == 0 && strcmp(peer->variant, variant) == 0);
}

TEST(tasks_are_held_against_the_bare_calls)
{
    BUILDER(builder, 1);
    static const char *const tours[] = {bare_calls, papi_calls, high_calls, read_calls};
    for (size_t i = 0; i < 4; i++)
        build_overhead_tour(&builder, WAY(.calls = tours[i], .processes = 10, .passes = 2));
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    const struct overhead_peer *low =
        find(&report, "papi-low", "start + stop + read", "perf-read", "static");
    assert_near(low->cost, 1.8 * 3926 + 2028, 1);
    assert_near(low->bare, 1.8 * 2444 + 1014, 1);
    assert_near(low->ratio, (1.8 * 3926 + 2028) / (1.8 * 2444 + 1014), 1e-3);
    assert_true(low->low == low->ratio && low->high == low->ratio);
    assert_false(low->paired);
    assert_non_null(find(&report, "papi-low", "start + stop + read", "perf-syscall", "static"));
    const struct overhead_peer *reads =
        find(&report, "papi-low", "read, read", "perf-read", "static");
    assert_near(reads->cost, 2 * 2028, 1e-9);
    assert_near(reads->ratio, 2, 1e-9);
    assert_true(reads->paired);
    assert_int_equal(reads->processes, 10);
    const struct overhead_peer *high =
        find(&report, "papi-high", "read, read", "perf-syscall", "static");
    assert_near(high->ratio, 1.8 * 3484 / (2 * 990), 1e-3);
    assert_false(high->paired);
    assert_near(find(&report, "assay", "read, read", "perf-read", "static")->ratio, 150 / 1014.0,
                1e-9);
    /* Nobody started or stopped through assay. */
    assert_null(find(&report, "assay", "start + stop + read", "perf-read", "static"));
    assert_int_equal(report.peer_count, 8);
}

/* Ratio 2, from processes that differ by 30 %: only those of one and the same cancel out. */
TEST(ratios_within_processes_are_sharper)
{
    enum { CASES = 400 };
    size_t paired_held = 0, apart_held = 0;
    double paired_width = 0, apart_width = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        BUILDER(builder, seed);
        struct overhead_way way = {
            .calls = read_calls, .passes = 3, .process_noise = 0.1, .run_noise = 0.05};
        build_overhead_tour(&builder, &way);
        way.link = "lazy";
        way.calls = "timer.nothing,timer.gauge,perf-read.read";
        build_overhead_tour(&builder, &way);
        way.calls = "timer.nothing,timer.gauge,papi-low.read";
        build_overhead_tour(&builder, &way);
        struct overhead_report report = judge_part(&builder, overhead_judge_peers);
        const struct overhead_peer *paired =
            find(&report, "papi-low", "read, read", "perf-read", "static");
        const struct overhead_peer *apart =
            find(&report, "papi-low", "read, read", "perf-read", "lazy");
        assert_true(paired->paired && !apart->paired);
        paired_held += paired->low <= 2 && 2 <= paired->high ? 1 : 0;
        apart_held += apart->low <= 2 && 2 <= apart->high ? 1 : 0;
        paired_width += (paired->high - paired->low) / CASES;
        apart_width += (apart->high - apart->low) / CASES;
    }
    print_message("# held in %zu and %zu of %d, widths %.3f and %.3f\n", paired_held, apart_held,
                  CASES, paired_width, apart_width);
    assert_in_range(paired_held, CASES * 925 / 1000, CASES * 98 / 100);
    assert_in_range(apart_held, CASES * 925 / 1000, CASES * 985 / 1000);
    assert_true(paired_width < apart_width / 2);
}

COST_OF_CALLS(command_cost, strcmp(call->path, "perf-stat") == 0 ? 60e6 : 2e6)

/* A command is a process of its own: which ones happen to follow each other pairs nothing, and the
 * ratio is that of the two costs beside it. */
TEST(the_ratio_of_commands_is_that_of_their_costs)
{
    BUILDER(builder, 5);
    struct overhead_tour *tour =
        build_overhead_tour(&builder, WAY(.calls = "timer.nothing,command.command,"
                                                   "timer.gauge,perf-stat.command",
                                          .cost = command_cost, .passes = 1, .processes = 30));
    /* 1, 2 and 3 million against 30, 60 and 30: medians 2 and 30, of the ratios 30. */
    for (size_t process = 0; process < tour->processes; process++) {
        int64_t *values = &tour->values[tour->begins[process]];
        values[1] = 1000000 * (1 + (int64_t)process % 3);
        values[3] = process % 3 == 1 ? 60000000 : 30000000;
    }
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 1);
    assert_near(report.peers->ratio, report.peers->cost / report.peers->bare, 1e-9);
    assert_string_equal(report.peers->what, "whole command");
    assert_string_equal(report.peers->bare_path, "command");
    assert_false(report.peers->paired);
}

TEST(only_the_same_way_is_compared)
{
    BUILDER(builder, 4);
    /* Bare calls static, of another machine, with more events, or of ticks: none fits. */
    uint32_t other = build_overhead_machine(&builder, "other", false);
    struct overhead_way way = {
        .calls = papi_calls, .link = "lazy", .processes = 3, .meters = {"instructions:u"}};
    build_overhead_tour(&builder, &way);
    way.calls = bare_calls;
    way.link = "static";
    build_overhead_tour(&builder, &way);
    way.link = "lazy";
    way.open = 4;
    build_overhead_tour(&builder, &way);
    way.open = 1;
    way.meters[0] = NULL;
    build_overhead_tour(&builder, &way);
    way.meters[0] = "instructions:u";
    way.machine = other;
    build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 0);
    way.machine = 0;
    build_overhead_tour(&builder, &way);
    report = judge_part(&builder, overhead_judge_peers);
    /* start + stop + read and read, read; against libc's calls and inline ones. */
    assert_int_equal(report.peer_count, 4);
}

TEST(more_events_and_both_modes)
{
    BUILDER(builder, 5);
    for (uint32_t open = 1; open <= 3; open++)
        build_overhead_tour(&builder, WAY(.calls = read_calls, .open = open, .processes = 3,
                                          .meters = {"instructions:u", "instructions:k"}));
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    /* papi-low and assay, against two, by three meters, with one event. */
    assert_int_equal(report.peer_count, 2 * 2 * 3);
    for (size_t i = 0; i < report.peer_count; i++)
        assert_int_equal(report.peers[i].processes, 3);
}

TEST(what_is_missing_is_not_compared)
{
    BUILDER(builder, 6);
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 0);
    /* PAPI that cannot read, or cannot be used, a disturbed tour, cold calls. */
    struct overhead_way way = {.calls = "timer.nothing,papi-low.start,papi-low.stop",
                               .processes = 2};
    build_overhead_tour(&builder, &way);
    way.calls = bare_calls;
    build_overhead_tour(&builder, &way);
    way.calls = papi_calls;
    build_overhead_failed(&builder, &way, ENOENT, "none");
    build_overhead_tour(&builder, WAY(0)); /* on a core of its own */
    way.calls = read_calls;
    way.shared = 1;
    build_overhead_tour(&builder, &way);
    way.shared = 0;
    way.cold = true;
    build_overhead_tour(&builder, &way);
    report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 0);
    /* One process: a ratio, and no interval. */
    overhead_builder_start(&builder, 7);
    build_overhead_tour(&builder, WAY(.calls = read_calls, .processes = 1));
    report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 4);
    assert_near(report.peers[0].ratio, 2, 1e-9);
    assert_true(report.peers[0].low == 0 && isinf(report.peers[0].high));
}
