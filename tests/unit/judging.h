/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the judge share: a case judged, and what it must come to. Include cmocka.h
 * before. */
#pragma once

#include <stdio.h>

#include "case-builder.h"
#include "studies/validate/judge.h"

/* A way of measuring that adds nothing and has no noise. */
__attribute__((unused)) static const struct built_way plain = {0};

/* The case of a test, from the beginning. */
static struct case_builder built;

/* A new case, which begins with an event of the processor; what build_event makes joins it. */
static inline struct evidence *begin(uint64_t seed, const char *event, const char *class)
{
    builder_start(&built, seed);
    return event ? build_event(&built, event, "hardware", class) : NULL;
}

/* The same, with one specimen up the ladder. */
static inline struct evidence *begin_ladder(const char *event, const char *class,
                                            const struct built_way *way, const char *specimen)
{
    struct evidence *evidence = begin(1, event, class);
    build_ladder(&built, evidence, way, specimen);
    return evidence;
}

/* The same, with every specimen that predicts it. */
static inline struct evidence *begin_all(const char *event, const char *class)
{
    struct evidence *evidence = begin(1, event, class);
    build_all(&built, evidence, &plain);
    return evidence;
}

#define EACH_RUN(evidence, point, run)                                                             \
    for (struct point *point = (evidence)->points;                                                 \
         point < (evidence)->points + (evidence)->point_count; point++)                            \
        for (struct evidence_run *run = point->runs; run < point->runs + point->run_count; run++)

/* Every argument has a name in its sentence, so that programs get it. */
static inline void assert_named(const struct reasons *why)
{
    for (size_t i = 0; i < why->count; i++) {
        const struct reason *reason = &why->list[i];
        const char *name;
        size_t length;
        assert_true(!reason->value_count ||
                    reason_argument(reason->words, reason->value_count - 1, &name, &length));
        for (size_t j = 0; j < reason->value_count; j++)
            if (reason->values[j].kind == REASON_REASONS)
                assert_named(reason->values[j].reasons);
    }
}

/* Judges what was built so far. */
static inline const struct judgement *judged(void)
{
    struct judgements judgements = judge_case(&built.file);
    assert_int_equal(judgements.count, built.file.event_count);
    for (size_t i = 0; i < judgements.count; i++)
        assert_named(&judgements.list[i].why);
    return judgements.list;
}

/* The same, after this lie. */
static inline const struct judgement *judged_with(struct evidence *evidence, built_lie *lie,
                                                  void *context)
{
    build_lie(evidence, lie, context);
    return judged();
}

/* Names in messages instead of numbers. */
#define assert_verdict(asked, wanted)                                                              \
    do {                                                                                           \
        const struct judgement *judged_ = (asked);                                                 \
        if (judged_->verdict != (wanted))                                                          \
            print_error("%s: %s\n", judged_->evidence->event, reasons_text(&judged_->why));        \
        assert_string_equal(verdict_names[judged_->verdict], verdict_names[wanted]);               \
    } while (0)
#define cause_word(cause) ((cause) == CAUSE_NONE ? "none" : cause_names[cause])
#define assert_cause(judgement, wanted)                                                            \
    assert_string_equal(cause_word((judgement)->cause), cause_word(wanted))
#define assert_came(asked, verdict_, cause_)                                                       \
    do {                                                                                           \
        const struct judgement *came_ = (asked);                                                   \
        assert_verdict(came_, verdict_);                                                           \
        assert_cause(came_, cause_);                                                               \
    } while (0)

/* What is said with this code, also about one specimen; NULL: nothing. */
static inline const struct reason *said(const struct reasons *why, enum validate_why code)
{
    const struct reason *found = reasons_find(why, &validate_words[code]);
    for (size_t i = 0; i < why->count && !found; i++)
        for (size_t j = 0; j < why->list[i].value_count && !found; j++)
            if (why->list[i].values[j].kind == REASON_REASONS)
                found = said(why->list[i].values[j].reasons, code);
    return found;
}
/* The argument at that place; ends the test where it is not said. */
static inline const struct reason_value *told(const struct judgement *judgement,
                                              enum validate_why code, size_t at)
{
    const struct reason *found = said(&judgement->why, code);
    if (!found)
        fail_msg("%s is not said: %s", validate_words[code].code, reasons_text(&judgement->why));
    return &found->values[at];
}
#define assert_said(judgement, code) (void)told(judgement, WHY_##code, 0)
#define assert_says(asked, verdict_, code)                                                         \
    do {                                                                                           \
        const struct judgement *came_ = (asked);                                                   \
        assert_verdict(came_, verdict_);                                                           \
        assert_said(came_, code);                                                                  \
    } while (0)
#define assert_not_said(judgement, code) assert_null(said(&(judgement)->why, WHY_##code))
#define assert_text(judgement, code, at, words)                                                    \
    assert_string_equal(told(judgement, WHY_##code, at)->text, words)
/* A number or a count. */
static inline double figure_told(const struct judgement *judgement, enum validate_why code,
                                 size_t at)
{
    const struct reason_value *value = told(judgement, code, at);
    return value->kind == REASON_COUNT ? (double)value->count : value->number;
}
#define assert_figure(judgement, code, at, figure)                                                 \
    assert_true(fabs(figure_told(judgement, WHY_##code, at) - (figure)) < 1e-3)

/* One event, every specimen that predicts its class, one lie (NULL: none). */
static inline const struct judgement *judge_lie(uint64_t seed, const char *event, const char *class,
                                                const struct built_way *way, built_lie *lie,
                                                void *context)
{
    struct evidence *evidence = begin(seed, event, class);
    build_all(&built, evidence, way);
    return lie ? judged_with(evidence, lie, context) : judged();
}

/* What a lying counter makes of a run. */
#define LIE(name, value)                                                                           \
    static inline uint64_t name(const struct point *point, const struct evidence_run *run,         \
                                size_t index, void *context)                                       \
    {                                                                                              \
        (void)point, (void)run, (void)index, (void)context;                                        \
        return (uint64_t)(value);                                                                  \
    }
LIE(zeros, 0)
/* context: the factor. */
LIE(factor, point->is_null ? run->value : (uint64_t)((double)run->value **(double *)context + 0.5))
/* Every second run more, every other less. */
static inline void spread(struct point *point, int64_t by)
{
    for (size_t i = 0; i < point->run_count; i++)
        point->runs[i].value += (uint64_t)(i % 2 ? by : -by);
}

/* --- tables of cases --- */

/* A row, or a part of one. */
#define OF(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define INSTRUCTIONS "instructions:u", "instructions"
