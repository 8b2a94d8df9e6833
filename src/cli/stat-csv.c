/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of a command as comma-separated values (RFC 4180, but lines end as this system's do). */
#include <math.h>
#include <string.h>

#include "studies/stat/study.h"

/* Empty: there is none. */
static void put_field(const char *value, bool last, struct text *out)
{
    if (value && strpbrk(value, ",\"\r\n")) {
        text_putc(out, '"');
        for (; *value; value++) {
            if (*value == '"')
                text_putc(out, '"');
            text_putc(out, *value);
        }
        text_putc(out, '"');
    } else if (value) {
        text_puts(out, value);
    }
    text_putc(out, last ? '\n' : ',');
}

static void put_number(double value, bool known, struct text *out)
{
    char digits[64] = "";
    if (known && value == rint(value) && fabs(value) < 1e18)
        snprintf(digits, sizeof(digits), "%.0f", value);
    else if (known)
        snprintf(digits, sizeof(digits), "%.17g", value);
    put_field(digits, false, out);
}

static void put_event(const struct stat_run *run, const struct stat_event *event, struct text *out)
{
    const struct stat_figure *figure = &event->figure;
    const bool known = stat_has_figure(event);
    put_field(event->name, false, out);
    put_number(figure->count, known, out);
    put_number(figure->corrected, known, out);
    put_number(figure->uncertainty, known && figure->has_uncertainty, out);
    put_field(stat_is_time(event) ? "ns" : "counts", false, out);
    put_number(figure->overhead, known && figure->has_overhead, out);
    put_number(figure->min, known, out);
    put_number(figure->max, known, out);
    put_number((double)figure->runs, true, out);
    put_number(figure->share, known, out);
    put_field(stat_state_names[figure->state], false, out);
    const struct known_trust *trust = event->is_validated ? &event->trust : NULL;
    const bool withheld = stat_is_withheld(run, event);
    put_field(trust && !withheld ? trust->verdict : NULL, false, out);
    put_number(trust ? (double)trust->age_s : 0, trust && trust->age_s >= 0, out);
    put_field(withheld ? STAT_WITHHELD_CAUSE : stat_trust_cause(event), false, out);
    put_field(trust ? trust->event : NULL, false, out);
    put_field(trust && trust->stale ? trust->difference : NULL, false, out);
    put_field(event->reason, true, out);
}

void stat_put_csv(const struct stat_run *run, struct text *out)
{
    text_puts(out, "event,count,corrected,uncertainty,unit,overhead,min,max,runs,share,state,trust,"
                   "trust_age,trust_cause,trust_event,trust_difference,reason\n");
    for (size_t i = 0; i < run->event_count && run->run_count; i++)
        put_event(run, &run->events[i], out);
}
