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

static void lead(const void *kept, struct string_list *sentences)
{
    const struct error_report *report = &((const struct error_run *)kept)->report;
    for (size_t i = 0; i < report->advice_count; i++)
        told_say(sentences, reasons_text(&report->advice[i].why));
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

/* Of each event the path and pattern that adds least. */
static json_t *line_json(const void *kept)
{
    const struct error_report *report = &((const struct error_run *)kept)->report;
    json_t *list = json_array();
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (best->overall)
            json_array_append_new(list,
                                  JSON_OBJECT({"mode", json_text(count_mode_names[best->mode])},
                                              {"event", json_text(best->event)},
                                              {"path", json_text(best->path)},
                                              {"pattern", json_text(pattern_names[best->pattern])},
                                              {"subtract", json_difference(best->subtract)},
                                              {"stepped", json_boolean(best->stepped)}));
    }
    return list;
}

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
    .line = {"paths", 2, line_json, put_line},
    .part = {.turn = 3, 26, 130, 160, 3, 20, .rank = 1},
    .compared = {.together = "Z6", .factors = factors, .factors_json = anova_json},
};
