/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice: every use gets a clock that is fit for it, with its figures; what is wrong is named with
 * recommended for nothing; where nothing could be falsified, the way to do so. */
#include <math.h>
#include <string.h>
/* cmocka needs those before string.h before it. */

#include "base/memory.h"
#include "case.h"
#include "clocks-shapes.h"

static void begin(struct built_world *world, uint64_t seed)
{
    built_begin(world, seed, 2);
    built_usual_clocks(world);
    world->jitter = 0.3;
}

static void judged(struct built_world *world, struct clocks_report *report)
{
    built_plan(world, 1, true);
    clocks_judge(&world->file, 1, report);
    assert_in_range(report->advice_count, 1, 7);
    for (size_t i = 0; i < report->advice_count; i++) {
        size_t length = strlen(report->advice[i].text);
        assert_in_range(length, 20, sizeof(report->advice[i].text) - 2);
        assert_int_equal(report->advice[i].text[length - 1], '.');
    }
}

/* The sentence that begins so; NULL: none does. */
static const char *advice(const struct clocks_report *report, const char *beginning)
{
    for (size_t i = 0; i < report->advice_count; i++)
        if (strncmp(report->advice[i].text, beginning, strlen(beginning)) == 0)
            return report->advice[i].text;
    return NULL;
}

static void assert_advice(const struct clocks_report *report, const char *beginning,
                          const char *word)
{
    const char *text = advice(report, beginning);
    if (!text || !strstr(text, word))
        fail_msg("%s … %s: %s", beginning, word, text ? text : "not said");
}

TEST(every_use_gets_a_clock)
{
    struct built_world world;
    struct clocks_report report;
    begin(&world, 1);
    judged(&world, &report);
    assert_advice(&report, "Short regions: tsc.", "of a region of 1 µs");
    assert_advice(&report, "Short regions: tsc.", "Without knowing a rate: monotonic,");
    assert_advice(&report, "Long intervals: monotonic", "from monotonic-raw");
    assert_advice(&report, "Across CPUs and threads: ", "1 pair");
    assert_advice(&report, "CPU time: ", "a reading");
    assert_advice(&report, "No rate could be falsified here", "--via ssh:");
    assert_advice(&report, "Do not take the length", "late");
    built_end(&world);
}

/* A counter that jumps between CPUs is the quickest, and of no use. */
TEST(what_is_wrong_is_recommended_for_nothing)
{
    struct built_world world;
    struct clocks_report report;
    begin(&world, 2);
    built_find(&world, "tsc")->cpu_offset_ns = 1e6;
    judged(&world, &report);
    assert_null(advice(&report, "Short regions: tsc"));
    assert_null(advice(&report, "Across CPUs and threads: tsc"));
    assert_non_null(advice(&report, "Short regions: "));
    built_end(&world);
}

TEST(an_independent_reference_needs_no_other)
{
    struct built_world world;
    struct clocks_report report;
    begin(&world, 3);
    struct clock_known *raw = &world.file.clocks[clocks_index(&world.file, "monotonic-raw")];
    raw->hardware = memory_copy("hpet");
    judged(&world, &report);
    assert_int_equal(report.verdicts[clocks_index(&world.file, "tsc")].trust, TRUST_DEPENDABLE);
    assert_null(advice(&report, "No rate could be falsified here"));
    built_end(&world);
}

TEST(with_one_cpu_nothing_is_said_across_cpus)
{
    struct built_world world;
    struct clocks_report report;
    built_begin(&world, 4, 1);
    built_usual_clocks(&world);
    judged(&world, &report);
    assert_null(advice(&report, "Across"));
    built_end(&world);
}

TEST(suspension_asks_for_a_clock_that_goes_on)
{
    struct built_world world;
    struct clocks_report report;
    begin(&world, 5);
    world.suspend_share = 0.1;
    judged(&world, &report);
    assert_non_null(advice(&report, "Long intervals: boottime"));
    built_end(&world);
}

TEST(nothing_watched_is_nothing_advised)
{
    struct built_world world;
    struct clocks_report report;
    begin(&world, 6);
    clocks_judge(&world.file, 1, &report);
    assert_int_equal(report.advice_count, 0);
    built_end(&world);
}
