/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the judge of repetition share. Include cmocka.h before. */
#pragma once

#include "repeat-builder.h"
#include "studies/repeat/study.h"

/* One machine, one program. */
static inline void repeat_begin(struct repeat_builder *builder, uint64_t seed)
{
    repeat_build_start(builder, seed);
    repeat_build_machine(builder, "a machine (x86_64)", "fingerprint-1");
    repeat_build_program(builder, "perl", "/usr/bin/perl -e 1");
}

static inline struct repeat_report repeat_judged(const struct repeat_builder *builder)
{
    struct repeat_report report;
    repeat_judge(&builder->file, 1, &report);
    return report;
}

#define R(said) reasons_text(&(struct reasons){(said).list, (said).count})
#define assert_says(text, words)                                                                   \
    do {                                                                                           \
        if (!strstr((text), (words)))                                                              \
            fail_msg("\"%s\" is not in \"%s\"", (words), (text));                                  \
    } while (0)

/* How many worlds to try: `usual`, or ASSAY_TEST_SEEDS times as many where that is in the
 * environment (1 … 100). */
static inline uint32_t repeat_seeds(uint32_t usual)
{
    const char *times = getenv("ASSAY_TEST_SEEDS");
    const long factor = times ? strtol(times, NULL, 10) : 1;
    return usual * (uint32_t)(factor < 1 ? 1 : factor > 100 ? 100 : factor);
}
