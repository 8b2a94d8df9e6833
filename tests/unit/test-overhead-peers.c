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
    static const struct {
        const char *path, *what, *bare;
        double ratio;
        bool paired;
    } expected[] = {
        {"papi-low", "start + stop + read", "perf-read", (1.8 * 3926 + 2028) / (1.8 * 2444 + 1014),
         false},
        {"papi-low", "start + stop + read", "perf-syscall",
         (1.8 * 3926 + 2028) / (1.8 * 2400 + 990), false},
        {"papi-low", "read, read", "perf-read", 2, true},
        {"papi-high", "read, read", "perf-syscall", 1.8 * 3484 / (2 * 990), false},
        {"assay", "read, read", "perf-read", 150 / 1014.0, true},
    };
    BUILDER(builder, 1);
    static const char *const tours[] = {bare_calls, papi_calls, high_calls, read_calls};
    for (size_t i = 0; i < 4; i++)
        build_overhead_tour(&builder, WAY(.calls = tours[i], .processes = 10, .passes = 2));
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const struct overhead_peer *peer =
            find(&report, expected[i].path, expected[i].what, expected[i].bare, "static");
        assert_near(peer->ratio, expected[i].ratio, 1e-3);
        assert_near(peer->ratio, peer->cost / peer->bare, 1e-9);
        assert_true(peer->low == peer->ratio && peer->high == peer->ratio);
        assert_int_equal(peer->paired, expected[i].paired);
    }
    /* Nobody started or stopped through assay. */
    assert_null(find(&report, "assay", "start + stop + read", "perf-read", "static"));
    assert_int_equal(report.peer_count, 8);
}

/* Ratio 2, from processes that differ by 30 %: only those of one and the same cancel out. */
TEST(ratios_within_processes_are_sharper)
{
    enum { CASES = 400 };
    static const char *const calls[] = {read_calls, "timer.nothing,timer.gauge,perf-read.read",
                                        "timer.nothing,timer.gauge,papi-low.read"};
    size_t held[2] = {0};
    double width[2] = {0};
    for (uint64_t seed = 0; seed < CASES; seed++) {
        BUILDER(builder, seed);
        for (size_t i = 0; i < 3; i++)
            build_overhead_tour(&builder,
                                WAY(.calls = calls[i], .link = i ? "lazy" : "static", .passes = 3,
                                    .process_noise = 0.1, .run_noise = 0.05));
        struct overhead_report report = judge_part(&builder, overhead_judge_peers);
        for (int apart = 0; apart < 2; apart++) {
            const struct overhead_peer *peer =
                find(&report, "papi-low", "read, read", "perf-read", apart ? "lazy" : "static");
            assert_int_equal(peer->paired, !apart);
            held[apart] += peer->low <= 2 && 2 <= peer->high;
            width[apart] += (peer->high - peer->low) / CASES;
        }
    }
    assert_in_range(held[0], CASES * 925 / 1000, CASES * 98 / 100);
    assert_in_range(held[1], CASES * 925 / 1000, CASES * 985 / 1000);
    assert_true(width[0] < width[1] / 2);
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

/* Bare calls static, with more events, of ticks or of another machine: none fits. */
TEST(only_the_same_way_is_compared)
{
    static const struct overhead_way bare[] = {
        {.link = "static", .meters = {"instructions:u"}},
        {.link = "lazy", .meters = {"instructions:u"}, .open = 4},
        {.link = "lazy"},
        {.link = "lazy", .meters = {"instructions:u"}, .machine = 1},
        {.link = "lazy", .meters = {"instructions:u"}}};
    BUILDER(builder, 4);
    build_overhead_machine(&builder, "other", false);
    build_overhead_tour(&builder, WAY(.calls = papi_calls, .link = "lazy", .processes = 3,
                                      .meters = {"instructions:u"}));
    for (size_t i = 0; i < 5; i++) {
        struct overhead_way way = bare[i];
        way.calls = bare_calls;
        way.processes = 3;
        build_overhead_tour(&builder, &way);
        /* start + stop + read and read, read; against libc's calls and inline ones. */
        assert_int_equal(judge_part(&builder, overhead_judge_peers).peer_count, i < 4 ? 0 : 4);
    }
}

TEST(what_is_missing_is_not_compared)
{
    BUILDER(builder, 6);
    /* PAPI that cannot read, or cannot be used, a disturbed tour, cold calls. */
    build_overhead_tour(&builder, WAY(.calls = "timer.nothing,papi-low.start,papi-low.stop"));
    build_overhead_tour(&builder, WAY(.calls = bare_calls));
    build_overhead_failed(&builder, WAY(.calls = papi_calls), ENOENT, "none");
    build_overhead_tour(&builder, WAY(0)); /* on a core of its own */
    build_overhead_tour(&builder, WAY(.calls = read_calls, .processes = 2, .shared = 1));
    build_overhead_tour(&builder, WAY(.calls = read_calls, .processes = 2, .cold = true));
    struct overhead_report report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 0);
    /* One process: a ratio, and no interval. */
    overhead_builder_start(&builder, 7);
    build_overhead_tour(&builder, WAY(.calls = read_calls, .processes = 1));
    report = judge_part(&builder, overhead_judge_peers);
    assert_int_equal(report.peer_count, 4);
    assert_near(report.peers[0].ratio, 2, 1e-9);
    assert_true(report.peers[0].low == 0 && isinf(report.peers[0].high));
}
