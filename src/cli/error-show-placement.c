/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places: a column of text for each offset in a line, as high as an iteration
 * is slow, and the places further up in the page in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define LINE_BYTES  64u
#define LEVELS      8u
#define PAGES_SHOWN 12u

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

/* "128: 1.02, 4,032: 2.04": beyond the first line. */
static void put_pages(const struct error_report *report, const struct error_placement *placement,
                      bool all, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        if (shown == PAGES_SHOWN && !all) {
            left++;
            continue;
        }
        char value[ERROR_NUMBER_SIZE];
        error_number(place->per_iteration, value, sizeof(value));
        text_printf(&words, "%s%" PRId64 ": %s", shown++ ? ", " : "further in the page ",
                    place->offset, value);
    }
    if (left)
        text_printf(&words, " and %zu more", left);
    if (words.length) {
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
}

static void put_windows(const struct error_placement *placement, const struct style *style,
                        struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!placement->has_windows)
        return;
    text_printf(&words,
                "the loop as compiled into the windows: factor %.2f; the pattern explains %.0f %% "
                "of it, -O %.0f %%, both together %.0f %% more",
                placement->window_factor, 100 * placement->by_pattern, 100 * placement->by_opt,
                100 * placement->by_both);
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

/* Was anything drawn? */
static bool put_placement(const struct erring *erring, const struct error_placement *placement,
                          const struct style *style, struct text *out)
{
    bool drawn = false;
    AUTO_TEXT struct text words = {0};
    char least[ERROR_NUMBER_SIZE], most[ERROR_NUMBER_SIZE];
    error_number(placement->least, least, sizeof(least));
    error_number(placement->most, most, sizeof(most));
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
    } else {
        text_puts(&words, ": not measured at several places");
    }
    error_put_words(text_string(&words), style, out);
    if (!is_flat(placement) || erring->options->all) {
        drawn = put_line(&erring->report, placement, out);
        put_pages(&erring->report, placement, erring->options->all, style, out);
    }
    put_windows(placement, style, out);
    return drawn;
}

void error_put_placement(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    bool drawn = false;
    error_put_heading("The same loop at other places", style, out);
    for (size_t i = 0; i < report->placement_count; i++)
        drawn |= put_placement(erring, &report->placements[i], style, out);
    if (!report->placement_count)
        error_put_nothing(erring, "nothing was measured at several places", "placement", style,
                          out);
    if (drawn)
        error_put_words("each column an offset in a line of 64 bytes, as high as an iteration is "
                        "slow between the least and the most; a point was not measured",
                        style, out);
}
