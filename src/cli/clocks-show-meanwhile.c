/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the machine did while clocks were watched, which no clock is to blame for; and what to do.
 */
#include <math.h>

#include "cli/clocks-show.h"

static void put_stolen(const struct clocks_disturbances *seen, struct text *out)
{
    if (!isfinite(seen->stolen_ns)) {
        text_puts(out, "Whether the host took time is not known. ");
        return;
    }
    if (seen->stolen_ns <= 0) {
        text_puts(out, "The host took no time. ");
        return;
    }
    text_puts(out, "The host took ");
    clocks_put_time(seen->stolen_ns, out);
    if (isfinite(seen->watched_ns) && seen->watched_ns > 0) {
        text_puts(out, " of ");
        clocks_put_time(seen->watched_ns, out);
    }
    text_printf(out, ", in %zu intervals. ", seen->stolen_intervals);
}

static void put_suspended(const struct clocks_disturbances *seen, struct text *out)
{
    if (!(isfinite(seen->suspended_ns) && seen->suspended_ns > 0))
        return;
    text_puts(out, "The machine was suspended for ");
    clocks_put_time(seen->suspended_ns, out);
    text_printf(out, ", in %zu intervals. ", seen->suspended_intervals);
}

static void put_overslept(const struct clocks_disturbances *seen, struct text *out)
{
    if (!isfinite(seen->overslept_median_ns) || !isfinite(seen->overslept_max_ns))
        return;
    text_puts(out, "Sleeps ended ");
    clocks_put_time(seen->overslept_median_ns, out);
    text_puts(out, " late");
    if (isfinite(seen->awake_median_ns)) {
        text_puts(out, " (");
        clocks_put_time(seen->awake_median_ns, out);
        text_puts(out, " with CPUs held awake)");
    }
    text_puts(out, ", at most ");
    clocks_put_time(seen->overslept_max_ns, out);
    text_puts(out, ". ");
}

void clocks_put_disturbances(const struct clocks_run *run, const struct style *style,
                             struct text *out)
{
    const struct clocks_disturbances *seen = &run->report.disturbances;
    AUTO_TEXT struct text words = {0};
    if (!run->report.looks)
        return;
    put_stolen(seen, &words);
    put_suspended(seen, &words);
    if (seen->intervals)
        text_printf(&words, "%zu of %zu intervals were preempted. ", seen->preempted,
                    seen->intervals);
    put_overslept(seen, &words);
    text_puts(&words, seen->idle);
    section_put_heading("Meanwhile", style, out);
    section_put_words(text_string(&words), style, out);
}

void clocks_put_advice(const struct clocks_run *run, const struct style *style, struct text *out)
{
    if (!run->report.advice_count)
        return;
    section_put_heading("What to do", style, out);
    for (size_t i = 0; i < run->report.advice_count; i++)
        section_put_item(run->report.advice[i].text, style, out);
}
