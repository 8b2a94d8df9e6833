/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` shows of reports that no recorded store holds: hostile names, terminals of
 * other widths, machines that versions do not tell apart, nothing at all. */
#include "case.h"
#include "overhead-judging.h"
#include "studies/overhead/parts.h"

/* Two machines that called the same: warm, cold, and with several events. */
static void build(struct overhead_builder *builder, const char *path, const char *word)
{
    static const uint32_t opens[] = {1, 2, 4, 8};
    char warm[400], cold[400];
    overhead_builder_start(builder, 1);
    build_overhead_machine(builder, word, true);
    snprintf(warm, sizeof(warm),
             "timer.nothing,timer.gauge,perf-read.read,%s.read,%s.start,%s.read,%s.stop", path,
             path, path, path);
    snprintf(cold, sizeof(cold), "timer.nothing,%s.read,%s.read,%s.read,%s.read", path, path, path,
             path);
    for (uint32_t machine = 0; machine < 2; machine++) {
        for (size_t i = 0; i < 4; i++)
            build_overhead_tour(builder,
                                WAY(.machine = machine, .calls = warm, .counted = word,
                                    .link = word, .open = opens[i], .process_level_share = 0.4,
                                    .process_level_factor = 1.5));
        build_overhead_tour(builder, WAY(.machine = machine, .calls = cold, .counted = word,
                                         .link = word, .cold = true));
    }
    build_overhead_absence(builder, word, 1, word);
}

static void put(const struct overhead_builder *builder, size_t width, bool all, struct text *out)
{
    struct overhead_options options = {.study = {.all = all}};
    struct facts facts = {0};
    struct overhead_run run = {.studying = {.options = &options.study,
                                            .given = &options.study,
                                            .facts = &facts,
                                            .complete = true,
                                            .stored = "\033run.sqlite"},
                               .file = builder->file};
    overhead_judge(&run.file, &run.report);
    skips_add(&run.studying.skips, "\033[2J", "\007", 0);
    text_clear(out);
    overhead_put_report(&run, &(struct style){.width = width}, out);
    assert_false(out->failed);
    facts_free(&facts);
}

TEST(a_hostile_store_moves_no_cursor)
{
    struct overhead_builder builder;
    AUTO_TEXT struct text out = {0};
    build(&builder, "\033[2Jx\007\xff", "\033[2Jx\007\xff");
    for (size_t i = 0; i < builder.file.tour_count; i++)
        builder.file.tours[i].meters[0].event = memory_copy("\033[2Jx\007\xff");
    for (int one = 0; one < 2; one++) {
        for (int all = 0; all < 2; all++) {
            put(&builder, 80, all, &out);
            for (const char *at = text_string(&out); *at; at++)
                if ((*at < ' ' && *at != '\n') || (unsigned char)*at > 126)
                    fail_msg("a terminal obeys: %.80s", at);
            assert_non_null(strstr(text_string(&out), "\\x1b[2J"));
        }
        builder.file.machine_count = 1;
        builder.file.tour_count = 5;
    }
}

TEST(lines_fit_every_width)
{
    struct overhead_builder builder;
    AUTO_TEXT struct text out = {0};
    build(&builder, "papi-low", "lazy");
    for (size_t width = 80; width <= 200; width += 60) {
        put(&builder, width, width == 140, &out);
        for (const char *line = text_string(&out); *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > width)
                fail_msg("too long for %zu: %.200s", width, line);
    }
}

TEST(machines_are_numbered_and_named)
{
    struct overhead_builder builder;
    AUTO_TEXT struct text out = {0};
    build(&builder, "papi-low", "lazy");
    builder.file.machines[1].emulated = false;
    put(&builder, 80, false, &out);
    assert_non_null(strstr(text_string(&out), "machine 2 is lazy, Linux 6.1.0"));
}

TEST(an_empty_report_says_so)
{
    struct overhead_builder builder;
    AUTO_TEXT struct text out = {0};
    overhead_builder_start(&builder, 1);
    put(&builder, 80, false, &out);
    assert_non_null(strstr(text_string(&out), "No call was metered"));
}

/* Of a cell without undisturbed calls, of a peer that cost nothing, of a meter never seen to step.
 */
TEST(what_is_not_known_is_null_with_its_reason)
{
    struct overhead_meter ticks = {(char[]){"clock/ticks/"}, (char[]){""}, METER_TICKS, 0};
    struct overhead_row row = {.meter = &ticks, .predecessor = -1, .median = NAN, .low = INFINITY};
    struct overhead_timer timer = {.meter = &ticks};
    struct overhead_peer peer = {.meter = &ticks, .ratio = NAN};
    BUILDER(builder, 1);
    build_overhead_operation(&builder, "perf-read.read");
    const struct overhead_run run = {.file = builder.file,
                                     .report = {.rows = &row,
                                                .row_count = 1,
                                                .timers = &timer,
                                                .timer_count = 1,
                                                .peers = &peer,
                                                .peer_count = 1}};
    json_t *results = field_list_json(&overhead_results, &run, &run);
    json_t *analysis = fields_json(&overhead_analysis, &run, &run);
    const struct {
        const json_t *object;
        const char *key, *reason;
    } none[] = {
        {json_array_get(results, 0), "median", "median_reason"},
        {json_array_get(results, 0), "low", "low_reason"},
        {json_array_get(results, 0), "faults", "faults_reason"},
        {json_array_get(json_object_get(analysis, "timer"), 0), "cost", "cost_reason"},
        {json_array_get(json_object_get(analysis, "timer"), 0), "resolution", "resolution_reason"},
        {json_array_get(json_object_get(analysis, "peers"), 0), "ratio", "ratio_reason"},
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        assert_true(json_is_null(json_object_get(none[i].object, none[i].key)));
        assert_true(json_is_string(json_object_get(none[i].object, none[i].reason)));
    }
    json_decref(results);
    json_decref(analysis);
}
