/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operating system adds to counts, a fault and an interrupt at a time; and which of
 * several events of one class is the proper one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/repeat-show.h"

/* --- faults and interrupts --- */

/* "a page-fault adds 1.00 (0.98 to 1.02) instructions:u, by 96 runs of 3 programs" */
static void put_known(const struct repeat_contribution *contribution, struct text *out)
{
    char each[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_significant(contribution->each, 3, each, sizeof(each));
    number_significant(contribution->low, 3, low, sizeof(low));
    number_significant(contribution->high, 3, high, sizeof(high));
    text_printf(out, "a%s %s adds %s (%s to %s) %s, by %zu runs of %zu program%s",
                strchr("aeiou", contribution->of[0]) ? "n" : "", contribution->of, each, low, high,
                contribution->event, contribution->runs, contribution->programs,
                contribution->programs == 1 ? "" : "s");
    if (isfinite(contribution->residual)) {
        char residual[NUMBER_SIZE];
        repeat_number(contribution->residual, residual, sizeof(residual));
        text_printf(out, "; standard deviation that is left %s", residual);
    }
    if (!contribution->firm && (contribution->low > 0 || contribution->high < 0))
        text_printf(out, "; it may be what the program itself does more then, and is not "
                         "subtracted: programs of known length tell (without --no-subjects)");
}

static void put_contribution(const struct repeat_run_of *run,
                             const struct repeat_contribution *contribution,
                             const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (contribution->known)
        put_known(contribution, &words);
    else
        text_printf(&words, "what a%s %s adds to %s is not known: %s",
                    strchr("aeiou", contribution->of[0]) ? "n" : "", contribution->of,
                    contribution->event, contribution->why);
    repeat_put_machine(run, contribution->machine, &words);
    section_put_item(text_string(&words), style, out);
}

void repeat_put_system(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < run->report.contribution_count; i++) {
        const struct repeat_contribution *contribution = &run->report.contributions[i];
        if (!contribution->known && !run->options->all)
            continue;
        if (!any)
            section_put_heading("What the operating system adds to counts", style, out);
        any = true;
        put_contribution(run, contribution, style, out);
    }
}

/* --- the proper counter --- */

void repeat_put_ranking(const struct repeat_run_of *run, const struct style *style,
                        struct text *out)
{
    static const struct column columns[] = {
        {"class", false, false, false},   {"event", false, false, false},
        {"machine", false, false, false}, {"off by %", true, false, false},
        {"stdev %", true, false, false},  {"programs", true, false, false},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < run->report.rank_count; i++) {
        const struct repeat_rank *rank = &run->report.ranks[i];
        char off[NUMBER_SIZE], stdev[NUMBER_SIZE];
        repeat_percent(rank->off_percent, off, sizeof(off));
        repeat_percent(rank->stdev_percent, stdev, sizeof(stdev));
        table_add(&table, TONE_PLAIN, rank->place == 1 ? rank->class : "");
        table_add(&table, rank->place == 1 ? TONE_GOOD : TONE_PLAIN, rank->event);
        table_add(&table, TONE_PLAIN,
                  run->file.machine_count > 1 ? repeat_machine_name(run, rank->machine) : "");
        table_add(&table, TONE_PLAIN, off);
        table_add(&table, TONE_PLAIN, stdev);
        table_addf(&table, TONE_PLAIN, "%zu", rank->programs);
    }
    if (table.count) {
        section_put_heading("The proper counter of a class, nearest to the truth first", style,
                            out);
        table_put(&table, style, out);
    }
    table_free(&table);
}
