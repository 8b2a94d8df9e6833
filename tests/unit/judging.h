/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the judge share: a case judged, and what it must come to. Include cmocka.h
 * before. */
#pragma once

#include <stdio.h>

#include "case-builder.h"

/* Judges what was built so far. */
static inline struct judgements judged(const struct case_builder *builder)
{
    struct judgements judgements = judge_case(&builder->file);
    assert_int_equal(judgements.count, builder->file.event_count);
    return judgements;
}

/* Names in messages instead of numbers. */
#define assert_verdict(judgement, wanted)                                                          \
    do {                                                                                           \
        if ((judgement)->verdict != (wanted))                                                      \
            print_error("%s: %s\n", (judgement)->evidence->event, (judgement)->note);              \
        assert_string_equal(verdict_names[(judgement)->verdict], verdict_names[wanted]);           \
    } while (0)
#define cause_word(cause) ((cause) == CAUSE_NONE ? "none" : cause_names[cause])
#define assert_cause(judgement, wanted)                                                            \
    assert_string_equal(cause_word((judgement)->cause), cause_word(wanted))
#define assert_note(judgement, words)                                                              \
    do {                                                                                           \
        if (!strstr((judgement)->note, words))                                                     \
            print_error("note: %s\n", (judgement)->note);                                          \
        assert_non_null(strstr((judgement)->note, words));                                         \
    } while (0)

/* One event, every specimen that predicts its class, one lie (NULL: none). */
static inline struct judgements judge_lie(struct case_builder *builder, uint64_t seed,
                                          const char *event, const char *class,
                                          const struct built_way *way, built_lie *lie,
                                          void *context)
{
    builder_start(builder, seed);
    struct evidence *evidence = build_event(builder, event, "hardware", class);
    build_all(builder, evidence, way);
    if (lie)
        build_lie(evidence, lie, context);
    return judged(builder);
}

/* A way of measuring that adds nothing and has no noise. */
__attribute__((unused)) static const struct built_way plain = {0};

/* Lies that many tests tell. */
static inline uint64_t zeros(const struct point *point, const struct evidence_run *run,
                             size_t index, void *context)
{
    (void)point, (void)run, (void)index, (void)context;
    return 0;
}
/* context: the factor. */
static inline uint64_t factor(const struct point *point, const struct evidence_run *run,
                              size_t index, void *context)
{
    (void)index;
    return point->is_null ? run->value : (uint64_t)((double)run->value * *(double *)context + 0.5);
}
/* Every second run more, every other less. */
static inline void spread(struct point *point, int64_t by)
{
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value += (uint64_t)(i % 2 ? by : -by);
}
