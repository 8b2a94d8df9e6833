/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places: a column of text for each offset in a line, as high as an iteration
 * is slow, and the places further up in the page in words. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define LINE_BYTES 64u
#define LEVELS     8u

static const char *const unicode_levels[LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                   "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const ascii_levels[LEVELS] = {"1", "2", "3", "4", "5", "6", "7", "8"};

/* Which of the levels from `least` to `most` the value is at. */
static size_t level_of(double value, double least, double most)
{
    double share = most > least ? (value - least) / (most - least) : 0;
    long level = lrint(share * (LEVELS - 1));
    return level < 0 ? 0 : level >= (long)LEVELS ? LEVELS - 1 : (size_t)level;
}

/* A factor below which a place changes nothing that a reader would call a change. */
static bool is_flat(const struct error_placement *placement)
{
    return !(placement->factor >= 1.02);
}

/* False: there is too little to draw. */
static bool put_line(const struct error_report *report, const struct error_placement *placement,
                     struct text *out)
{
    const char *const *levels = utf8_is_expected() ? unicode_levels : ascii_levels;
    size_t at = 0, count = 0;
    for (size_t i = 0; i < placement->places; i++)
        count += report->places[placement->first + i].offset < (int64_t)LINE_BYTES;
    if (count < 2)
        return false;
    text_puts(out, "  0 ");
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)at || place->offset >= (int64_t)LINE_BYTES)
            continue;
        for (; at < (size_t)place->offset; at++)
            text_putc(out, '.');
        text_puts(out, levels[level_of(place->per_iteration, placement->least, placement->most)]);
        at++;
    }
    for (; at < LINE_BYTES; at++)
        text_putc(out, '.');
    text_puts(out, " 63\n");
    return true;
}

/* "further in the page, 22 places: 0.766 to 1.16, slowest at 4,080" */
static void put_pages_briefly(const struct error_report *report,
                              const struct error_placement *placement, const struct style *style,
                              struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct error_place *fastest = NULL, *slowest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        count++;
        fastest = !fastest || place->per_iteration < fastest->per_iteration ? place : fastest;
        slowest = !slowest || place->per_iteration > slowest->per_iteration ? place : slowest;
    }
    if (!count)
        return;
    char least[NUMBER_SIZE], most[NUMBER_SIZE], where[NUMBER_SIZE];
    number_brief(fastest->per_iteration, least, sizeof(least));
    number_brief(slowest->per_iteration, most, sizeof(most));
    number_count((uint64_t)slowest->offset, where, sizeof(where));
    text_printf(&words, "further in the page, %zu place%s: %s to %s, slowest at offset %s", count,
                count == 1 ? "" : "s", least, most, where);
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

/* "128: 1.02, 4,032: 2.04": beyond the first line. */
static void put_pages(const struct error_report *report, const struct error_placement *placement,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        char value[NUMBER_SIZE], offset[NUMBER_SIZE];
        number_brief(place->per_iteration, value, sizeof(value));
        number_count((uint64_t)place->offset, offset, sizeof(offset));
        text_printf(&words, "%s%s: %s", words.length ? ", " : "further in the page ", offset,
                    value);
    }
    if (words.length) {
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
}

static void put_windows(const struct error_placement *placement, struct text *words)
{
    text_printf(words,
                "the loop as compiled into the windows: factor %.2f; the pattern explains %.0f %% "
                "of it, -O %.0f %%, both together %.0f %% more",
                placement->window_factor, 100 * placement->by_pattern, 100 * placement->by_opt,
                100 * placement->by_both);
}

/* Was anything drawn? */
static bool put_placement(const struct erring *erring, const struct error_placement *placement,
                          const struct style *style, struct text *out)
{
    bool drawn = false;
    AUTO_TEXT struct text words = {0};
    char least[NUMBER_SIZE], most[NUMBER_SIZE];
    number_brief(placement->least, least, sizeof(least));
    number_brief(placement->most, most, sizeof(most));
    text_put_clean(&words, placement->event);
    error_put_machine(&erring->file, placement->machine, &words);
    if (placement->places) {
        text_printf(&words, ": %s to %s %s an iteration, factor %.2f", least, most,
                    error_unit(placement->event, NULL), placement->factor);
        if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
            text_printf(&words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
        if (isfinite(placement->by_place))
            text_printf(&words, "; the place explains %.0f %% of the variance",
                        100 * placement->by_place);
    } else if (placement->has_windows && !erring->options->all) {
        text_puts(&words, ", ");
        put_windows(placement, &words);
    } else {
        text_puts(&words, ": not measured at chosen places");
    }
    section_put_words(text_string(&words), style, out);
    if (!is_flat(placement) || erring->options->all) {
        drawn = put_line(&erring->report, placement, out);
        if (erring->options->all)
            put_pages(&erring->report, placement, style, out);
        else
            put_pages_briefly(&erring->report, placement, style, out);
    }
    if (placement->has_windows && (placement->places || erring->options->all)) {
        text_clear(&words);
        put_windows(placement, &words);
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
    return drawn;
}

void error_put_placement(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    bool drawn = false;
    section_put_heading("The same loop at other places", style, out);
    for (size_t i = 0; i < report->placement_count; i++)
        drawn |= put_placement(erring, &report->placements[i], style, out);
    if (!report->placement_count)
        error_put_nothing(erring, "nothing was measured at several places", "placement", style,
                          out);
    if (drawn)
        section_put_words("each column an offset in a line of 64 bytes, the higher the slower; a "
                          "point: not measured",
                          style, out);
}
