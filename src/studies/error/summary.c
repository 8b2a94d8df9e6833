/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what measuring adds to counts. */
#include <inttypes.h>

#include "base/memory.h"
#include "engine/told.h"
#include "output/field.h"
#include "studies/error/parts.h"

#define PATH_LINES 3u

static void lead(const void *kept, struct lead *sentences)
{
    const struct error_report *report = &((const struct error_run *)kept)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        told_say_reasons(sentences, &report->advice[i].why);
}

/* All events of one mode; false: there is none. */
static bool put_mode(const struct error_report *report, enum count_mode mode, struct text *words)
{
    static const char *const told[] = {[COUNT_USER] = "user mode",
                                       [COUNT_KERNEL] = "system mode",
                                       [COUNT_BOTH] = "user and system mode",
                                       [COUNT_ANY] = "other events"};
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (!best->overall || best->mode != mode)
            continue;
        text_printf(words, "%s%s", words->length ? "" : told[mode], words->length ? "; " : ": ");
        /* "instructions:u +5 by perf-syscall start-read" */
        text_printf(words, "%s %s by %s %s%s", best->event, SIGNED(best->subtract), best->path,
                    pattern_descriptions[best->pattern], best->stepped ? " (stepped)" : "");
    }
    return words->length > 0;
}

/* Lines that nobody needs go to the last mode. */
static void put_line(const void *kept, const struct style *style, struct text *out)
{
    static const enum count_mode modes[] = {COUNT_USER, COUNT_KERNEL, COUNT_BOTH, COUNT_ANY};
    const struct error_run *run = kept;
    AUTO_TEXT struct text words = {0};
    size_t lines = 0;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && lines < PATH_LINES; i++) {
        AUTO_TEXT struct text next = {0};
        if (!put_mode(&run->report, modes[i], &next))
            continue;
        if (words.length)
            told_put_line(lines++ ? "" : "adds", text_string(&words), 1, style, out);
        text_clear(&words);
        text_puts(&words, text_string(&next));
    }
    if (words.length && lines < PATH_LINES)
        told_put_line(lines ? "" : "adds", text_string(&words), PATH_LINES - lines, style, out);
}

static const void *best_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct error_report *report = &((const struct error_run *)item)->report;
    for (size_t i = 0; i < report->best_count; i++)
        if (report->best[i].overall && !index--)
            return &report->best[i];
    return NULL;
}

static const struct field line_fields[] = {
    {"mode", AT(struct error_best, mode), "u, k, uk or any", NAMED(count_mode_names)},
    {"event", AT(struct error_best, event), "what is to be counted"},
    {"path", AT(struct error_best, path), "by which"},
    {"pattern", AT(struct error_best, pattern), "and how", NAMED(pattern_names)},
    {"subtract", AT(struct error_best, subtract), "what to take off a count", UNIT_OF_EVENT},
    {"stepped", AT(struct error_best, stepped), "it is exact, by execution"},
};
static const struct fields line_table =
    FIELDS("run.path", "the path and pattern that add least to an event", line_fields);
static const struct field line = {"paths", LIST_BY(best_at, &line_table), "of `assay error`",
                                  .nullable = true};

static size_t factors(const void *kept, struct compared_factor **list)
{
    const struct error_report *report = &((const struct error_run *)kept)->report;
    *list = memory_new(report->effect_count, sizeof(**list));
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct error_effect *effect = &report->effects[i];
        (*list)[i] = (struct compared_factor){.event = effect->event,
                                              .name = effect->name,
                                              .share = effect->effect_size,
                                              .within = effect->share_within,
                                              .p = effect->p,
                                              .machine = effect->factors == 1u << FACTOR_MACHINE,
                                              .matters = effect->matters};
    }
    return report->effect_count;
}

static json_t *anova_json(const void *kept)
{
    return field_list_json(fields_find(&error_analysis, "anova"), kept, kept);
}

const struct study_told error_told = {
    .title = "What measuring adds to a count",
    .lead = lead,
    .line = {&line, 2, put_line},
    .part = {.turn = 3, 26, 130, 160, 3, 20, .rank = 1},
    .compared = {.together = "Z6", .factors = factors, .factors_json = anova_json},
};
