/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter: the analysis of variance of the event that matters most in full, of the
 * others by what matters. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"

#define NO_RANGE 1e-9 /* below it a difference of means is what rounding left */

static void put_p(double p, char *text, size_t size)
{
    if (!isfinite(p))
        snprintf(text, size, "-");
    else if (p < 1e-15)
        snprintf(text, size, "<1e-15");
    else
        snprintf(text, size, p < 0.001 ? "%.0e" : "%.3f", p);
}

static void put_f(const struct error_effect *effect, char *text, size_t size)
{
    if (isinf(effect->f))
        snprintf(text, size, "infinite");
    else if (isnan(effect->f))
        snprintf(text, size, "-");
    else if (effect->f >= 1000)
        number_significant(effect->f, 3, text, size);
    else
        snprintf(text, size, "%.3g", effect->f);
}

static void put_share(double share, char *text, size_t size)
{
    if (!isfinite(share))
        snprintf(text, size, "-");
    else if (share > 0 && share < 0.001)
        snprintf(text, size, "<0.1 %%");
    else
        snprintf(text, size, "%.1f %%", 100 * share);
}

static void add_effect(struct table *table, const struct error_effect *effect)
{
    char f[NUMBER_SIZE], p[NUMBER_SIZE], share[NUMBER_SIZE], within[NUMBER_SIZE],
        range[NUMBER_SIZE] = "";
    put_f(effect, f, sizeof(f));
    put_p(effect->p, p, sizeof(p));
    put_share(effect->effect_size, share, sizeof(share));
    put_share(effect->share_within, within, sizeof(within));
    if (!(effect->factors & (effect->factors - 1)))
        number_brief(fabs(effect->range) < NO_RANGE ? 0 : effect->range, range, sizeof(range));
    table_add(table, TONE_PLAIN, effect->name);
    table_addf(table, TONE_PLAIN, "%zu", effect->df);
    table_add(table, TONE_PLAIN, f);
    table_add(table, TONE_PLAIN, p);
    table_add(table, TONE_PLAIN, share);
    table_add(table, effect->matters ? TONE_STRONG : TONE_PLAIN, within);
    table_add(table, TONE_PLAIN, range);
    table_add(table, effect->matters ? TONE_STRONG : TONE_DIM, effect->matters ? "yes" : "no");
}

static void put_head(const struct error_anova *anova, struct text *out)
{
    char count[NUMBER_SIZE], cells[NUMBER_SIZE];
    number_count(anova->count, count, sizeof(count));
    number_count(anova->cells, cells, sizeof(cells));
    error_put_event(anova->event, anova->stepped, out);
    text_printf(out, ": %s processes in %s cells", count, cells);
    if (isfinite(anova->r_squared))
        text_printf(out, ", %.1f %% of the variance explained", 100 * anova->r_squared);
}

static void put_table(const struct error_report *report, const struct error_anova *anova, bool all,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "factor"},
        {.title = "df", .right = true},
        {.title = "F", .right = true},
        {.title = "p", .right = true},
        {.title = "of variance", .right = true},
        {.title = "within paths", .right = true},
        {.title = "range", .right = true},
        {.title = "matters"},
    };
    AUTO_TEXT struct text words = {0};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    put_head(anova, &words);
    section_put_words(text_string(&words), style, out);
    for (size_t i = 0; i < anova->effects; i++)
        add_effect(&table, &report->effects[anova->first + i]);
    table_put(&table, style, out);
    table_free(&table);
    if (all && anova->note[0])
        section_put_words(anova->note, style, out);
    else if (!all && anova->no_variance)
        section_put_words("processes of a cell never differ, so F is infinite: the share decides",
                          style, out);
}

bool error_is_untested(const struct error_anova *anova)
{
    return !anova->residual_df && !anova->no_variance;
}

static void put_untested(const struct error_report *report, size_t shown, const struct style *style,
                         struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        if (i == shown || !error_is_untested(&report->anovas[i]))
            continue;
        text_puts(&words,
                  words.length ? ", " : "not judged, for want of cells with several processes: ");
        error_put_event(report->anovas[i].event, report->anovas[i].stepped, &words);
    }
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

/* Was everything that could be compared found not to matter? */
static bool is_idle(const struct error_report *report, const struct error_anova *anova)
{
    for (size_t i = 0; i < anova->effects; i++)
        if (report->effects[anova->first + i].matters)
            return false;
    return anova->effects != 0;
}

static void put_idle(const struct error_report *report, size_t shown, const struct style *style,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (i == shown || error_is_untested(anova) || !is_idle(report, anova))
            continue;
        text_puts(&words, words.length ? ", " : "");
        error_put_event(anova->event, anova->stepped, &words);
    }
    if (!words.length)
        return;
    text_puts(&words, ": nothing matters");
    section_put_words(text_string(&words), style, out);
}

/* "msr/tsc/: path 61 %, pattern 22 %; not opt, link" */
static void put_brief(const struct error_report *report, const struct error_anova *anova,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text rest = {0};
    error_put_event(anova->event, anova->stepped, &words);
    text_puts(&words, ": ");
    size_t head = words.length;
    for (size_t i = 0; i < anova->effects; i++) {
        const struct error_effect *effect = &report->effects[anova->first + i];
        char share[NUMBER_SIZE];
        put_share(effect->share_within, share, sizeof(share));
        if (effect->matters)
            text_printf(&words, "%s%s %s", words.length > head ? ", " : "", effect->name, share);
        else
            text_printf(&rest, "%s%s", rest.length ? ", " : "", effect->name);
    }
    if (words.length == head)
        text_puts(&words, "nothing could be compared");
    else if (rest.length)
        text_printf(&words, "; not %s", text_string(&rest));
    if (!anova->effects && anova->note[0])
        text_printf(&words, ": %s", anova->note);
    section_put_words(text_string(&words), style, out);
}

/* Stepped windows first, as they are exact; else the first that has effects. */
static size_t main_of(const struct error_report *report)
{
    for (size_t i = 0; i < report->anova_count; i++)
        if (report->anovas[i].stepped && report->anovas[i].effects)
            return i;
    for (size_t i = 0; i < report->anova_count; i++)
        if (report->anovas[i].effects)
            return i;
    return 0;
}

void error_put_factors(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    size_t shown = main_of(report);
    section_put_heading("Which factors matter", style, out);
    if (!report->anova_count) {
        section_put_words("nothing to compare: too few cells of the null specimen were measured",
                          style, out);
        return;
    }
    for (size_t i = 0; i < report->anova_count; i++)
        if (erring->options->all || i == shown)
            put_table(report, &report->anovas[i], erring->options->all, style, out);
    for (size_t i = 0; i < report->anova_count; i++)
        if (!erring->options->all && i != shown && !error_is_untested(&report->anovas[i]) &&
            !is_idle(report, &report->anovas[i]))
            put_brief(report, &report->anovas[i], style, out);
    if (!erring->options->all) {
        put_idle(report, shown, style, out);
        put_untested(report, shown, style, out);
    }
    section_put_words(
        "matters: p < 0.001 and at least 1 % of the variance, of factors other than path "
        "and machine within each path; range: between the means of its levels",
        style, out);
}
