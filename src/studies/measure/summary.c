/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports, runs and comparisons say of what was counted. */
#include <math.h>

#include "engine/told.h"
#include "output/figure.h"
#include "studies/measure/study.h"

/* What was to be counted decides which result matters most: the one that is farthest off. */
static bool is_farther(const struct summary *one, const struct summary *worst)
{
    return one->error.known && (!worst->error.known ||
                                fabs((double)one->error.value) > fabs((double)worst->error.value));
}

static void lead(const void *kept, struct lead *sentences)
{
    const struct measuring *run = kept;
    AUTO_TEXT struct text sentence = {0};
    size_t exact = 0, compared = 0;
    const struct row *worst = run->rows;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct summary *summary = &run->rows[i].summary;
        compared += summary->error.known;
        exact +=
            summary->error.known && summary->error_min.value == 0 && summary->error_max.value == 0;
        worst = is_farther(summary, &worst->summary) ? &run->rows[i] : worst;
    }
    if (!run->row_count)
        return;
    if (compared > 1)
        text_printf(&sentence, "Of %zu cells that can be held against a truth %zu %s exact%s",
                    compared, exact, exact == 1 ? "is" : "are",
                    exact < compared ? "; farthest off: " : ".");
    if (compared <= 1 || exact < compared) {
        /* "1,000 page-faults:u on pages through perf-read, start-stop, where 1,000 are right." */
        const struct cell *cell = &worst->cell->cell;
        const struct summary *summary = &worst->summary;
        figure_put_number(&sentence, summary->judged ? (double)summary->values.median : 0);
        text_printf(&sentence, " %s on %s, N ", cell->events[worst->counter], cell->specimen);
        figure_put_number(&sentence, (double)cell->n);
        text_printf(&sentence, ", through %s, %s", cell->path, pattern_descriptions[cell->pattern]);
        if (summary->expected.truth.known) {
            text_puts(&sentence, "; right is ");
            figure_put_number(&sentence, (double)summary->expected.truth.value);
        }
        text_putc(&sentence, '.');
    }
    told_say(sentences, text_string(&sentence));
}

const struct study_told measure_told = {.title = "What was counted", .lead = lead};
