/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of the counts of a command. */
#include "engine/told.h"
#include "output/figure.h"
#include "studies/stat/study.h"

/* "ls: 1,234,000 ± 20 instructions:u." of the first that was counted. */
static void lead(const void *kept, struct lead *sentences)
{
    const struct stat_run *run = kept;
    size_t counted = 0;
    for (size_t i = 0; i < run->event_count && run->run_count; i++) {
        const struct stat_event *event = &run->events[i];
        AUTO_TEXT struct text sentence = {0};
        if (!stat_has_figure(event))
            continue;
        if (!counted++)
            text_printf(&sentence, "%s: ", run->line);
        figure_put_number(&sentence, event->figure.corrected);
        if (event->figure.has_uncertainty) {
            text_puts(&sentence, " ± ");
            figure_put_number(&sentence, event->figure.uncertainty);
        }
        text_printf(&sentence, " %s%s.", event->name, stat_is_time(event) ? " (ns)" : "");
        told_say(sentences, text_string(&sentence));
    }
    if (!counted)
        told_say(sentences, "Nothing could be counted.");
}

const struct study_told stat_told = {.title = "What a command counted", .lead = lead};
