/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks up what the judge of measurement error said. Include after cmocka.h. */
#pragma once

#include <string.h>

#include "error-builder.h"
#include "studies/error/study.h"

#define assert_near(value, wanted, within) assert_true(fabs((value) - (wanted)) <= (within))

#define SET(place, ...) ((place) = (__typeof__(place)){__VA_ARGS__})

/* A case, and what is judged of it. */
struct fixture {
    struct error_builder builder;
    struct error_report report;
};
#define FIXTURE(name, seed)                                                                        \
    struct fixture name = {.report = {0}};                                                         \
    error_builder_start(&(name).builder, seed)

static inline void fixture_start(struct fixture *fixture, uint64_t seed)
{
    *fixture = (struct fixture){.report = {0}};
    error_builder_start(&fixture->builder, seed);
}

/* Null where the analysis has no such term. */
static inline const struct error_effect *find_effect(const struct error_report *report,
                                                     const char *event, const char *name)
{
    for (size_t i = 0; i < report->effect_count; i++)
        if (strcmp(report->effects[i].event, event) == 0 &&
            strcmp(report->effects[i].name, name) == 0)
            return &report->effects[i];
    return NULL;
}

static inline bool says(const struct reasons *why, enum error_says code)
{
    return reasons_find(why, &error_words[code]) != NULL;
}

static inline struct error_report judge_factors(const struct error_builder *builder)
{
    struct error_report report = {0};
    error_judge_factors(&builder->file, &report);
    return report;
}
