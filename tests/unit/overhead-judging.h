/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has built cases of overhead judged, up to the part that a test is about. Include after cmocka.h.
 */
#pragma once

#include <stdio.h>

#include "overhead-builder.h"
#include "studies/overhead/study.h"

#define assert_near(value, expected, slack)                                                        \
    do {                                                                                           \
        double near_value = (value), near_expected = (expected);                                   \
        if (!(fabs(near_value - near_expected) <= (slack))) {                                      \
            fprintf(stderr, "%s is %g, expected %g\n", #value, near_value, near_expected);         \
            assert_true(false);                                                                    \
        }                                                                                          \
    } while (0)

/* The summary row over all predecessors of a warm operation, or the one with the predecessor; NULL:
 * not measured. events 0: any (the smallest); mode as the meter's, NULL: any. */
struct overhead_wanted {
    uint32_t machine;
    const char *operation;   /* "perf-read.read" */
    const char *variant;     /* NULL: any */
    const char *link;        /* NULL: any */
    const char *predecessor; /* NULL: the summary over all */
    uint32_t events, reads;  /* 0: 1 */
    bool separate;
    enum temperature temperature;
    uint32_t position; /* cold: 0 as 1 */
    enum meter_unit unit;
    const char *mode; /* NULL: any */
};

#define WANTED(...) ((struct overhead_wanted){__VA_ARGS__})

static inline bool is_word(const char *wanted, const char *word)
{
    return !wanted || strcmp(wanted, word) == 0;
}

static inline const struct overhead_row *overhead_find_row(const struct overhead_case *file,
                                                           const struct overhead_report *report,
                                                           const struct overhead_wanted *wanted)
{
    const struct overhead_row *best = NULL;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        uint32_t position = wanted->position ? wanted->position : 1;
        bool after_wanted =
            !wanted->predecessor
                ? row->all_predecessors
                : !row->all_predecessors && row->predecessor >= 0 &&
                      strcmp(file->operations[row->predecessor].name, wanted->predecessor) == 0;
        if (!(row->runs > 0 && row->machine == wanted->machine &&
              row->temperature == wanted->temperature && row->meter->unit == wanted->unit &&
              row->separate == wanted->separate &&
              row->reads == (wanted->reads ? wanted->reads : 1) &&
              (!wanted->events || row->events == wanted->events) &&
              (row->temperature == TEMPERATURE_WARM || row->position == position) &&
              is_word(wanted->operation, file->operations[row->operation].name) &&
              is_word(wanted->variant, row->variant) && is_word(wanted->link, row->link) &&
              is_word(wanted->mode, row->meter->mode) && after_wanted))
            continue;
        if (!best || row->events < best->events ||
            (row->events == best->events && row->predecessor_times < best->predecessor_times))
            best = row;
    }
    return best;
}

/* What metering costs, and which passes were disturbed. */
static inline struct overhead_report judge_passes(const struct overhead_builder *builder)
{
    struct overhead_report report = {0};
    overhead_judge_timers(&builder->file, &report);
    overhead_judge_gauges(&builder->file, &report);
    return report;
}

/* Begins a case of one tour, and has it judged. */
#define JUDGED(builder, report, seed, judged, ...)                                                 \
    BUILDER(builder, seed);                                                                        \
    build_overhead_tour(&(builder), WAY(__VA_ARGS__));                                             \
    struct overhead_report report = judged

/* … and rows. */
static inline struct overhead_report judge_cells(const struct overhead_builder *builder)
{
    struct overhead_report report = judge_passes(builder);
    overhead_judge_rows(&builder->file, &report);
    return report;
}

/* One of its clauses is this. */
#define assert_says(reasons, says) assert_non_null(reasons_find((reasons), &overhead_words[says]))

/* The only one of a list for which the condition about `it` is true; NULL: there is none. */
#define ONLY(list, count, it, condition)                                                           \
    ({                                                                                             \
        const __typeof__(*(list)) *only = NULL;                                                    \
        for (size_t only_i = 0; only_i < (count); only_i++) {                                      \
            const __typeof__(*(list)) *it = &(list)[only_i];                                       \
            if (!(condition))                                                                      \
                continue;                                                                          \
            assert_null(only);                                                                     \
            only = it;                                                                             \
        }                                                                                          \
        only;                                                                                      \
    })
/* Operations in a case have names. */
#define IS_CALL(file, index, called) (strcmp((file)->operations[index].name, called) == 0)
