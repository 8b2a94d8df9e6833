/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chooses the kind of an axis, its ends and its ticks. */
#include "output/plot.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "show/number.h"

#define LINEAR_UP_TO    10.0 /* largest over smallest magnitude */
#define COLUMNS_A_TICK  9.0  /* on a linear axis */
#define PLAIN_LABELS_TO 1e6  /* beyond it a power of ten is shorter */

const char *const axis_kind_words[] = {
    [AXIS_LINEAR] = "", [AXIS_LOG] = "log axis", [AXIS_BOTH_WAYS] = "log about 0"};

void axis_extend(struct axis_extent *extent, double value)
{
    if (!isfinite(value))
        return;
    double magnitude = fabs(value);
    extent->low = !extent->any || value < extent->low ? value : extent->low;
    extent->high = !extent->any || value > extent->high ? value : extent->high;
    if (magnitude > 0 && (extent->smallest == 0 || magnitude < extent->smallest))
        extent->smallest = magnitude;
    if (magnitude > extent->largest)
        extent->largest = magnitude;
    extent->any = true;
}

/* --- where a value lies --- */

/* On the scale of the axis; halves, so that ends of opposite signs do not overflow. */
static double scaled(const struct axis *axis, double value)
{
    if (axis->kind == AXIS_LOG)
        return log10(value > axis->low ? value : axis->low);
    if (axis->kind == AXIS_LINEAR)
        return value / 2;
    double magnitude = fabs(value);
    double distance = magnitude <= axis->threshold ? magnitude / axis->threshold
                                                   : 1 + log10(magnitude) - log10(axis->threshold);
    return value < 0 ? -distance : distance;
}

size_t axis_column(const struct axis *axis, double value)
{
    double low = scaled(axis, axis->low), high = scaled(axis, axis->high);
    double share = high > low ? (scaled(axis, value) - low) / (high - low) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return (size_t)lrint(share * (double)(axis->columns - 1));
}

/* --- ticks --- */

void axis_name(double value, char *text, size_t size)
{
    double magnitude = fabs(value);
    if (magnitude >= PLAIN_LABELS_TO || (magnitude > 0 && magnitude < 1e-4)) {
        int exponent = (int)floor(log10(magnitude) + 1e-9);
        snprintf(text, size, "%.3ge%d", value / pow(10, exponent), exponent);
    } else if (magnitude >= 1000) {
        char grouped[NUMBER_SIZE];
        number_count((uint64_t)llrint(magnitude), grouped, sizeof(grouped));
        snprintf(text, size, "%s%.20s", value < 0 ? "-" : "", grouped);
    } else {
        snprintf(text, size, "%.4g", value);
    }
}

/* Does the text keep a blank to all others? */
static bool is_free(const struct axis *axis, size_t start, size_t length)
{
    for (size_t i = 0; i < axis->tick_count; i++) {
        const struct axis_tick *other = &axis->ticks[i];
        if (other->text[0] && start <= other->start + strlen(other->text) &&
            other->start <= start + length)
            return false;
    }
    return true;
}

/* Its text is centred on the tick as far as the ends allow, and left out where another stands. */
static void add_tick(struct axis *axis, double value)
{
    struct axis_tick tick = {.value = value};
    if (value < axis->low || value > axis->high || axis->tick_count == AXIS_TICKS_MOST)
        return;
    axis_name(value, tick.text, sizeof(tick.text));
    size_t length = strlen(tick.text);
    tick.column = axis_column(axis, value);
    tick.start = tick.column > length / 2 ? tick.column - length / 2 : 0;
    if (tick.start + length > axis->columns)
        tick.start = axis->columns > length ? axis->columns - length : 0;
    if (length > axis->columns || !is_free(axis, tick.start, length))
        tick.text[0] = '\0';
    size_t at = axis->tick_count++;
    for (; at && axis->ticks[at - 1].start > tick.start; at--)
        axis->ticks[at] = axis->ticks[at - 1];
    axis->ticks[at] = tick;
}

/* 1, 2 or 5 times a power of ten, not below the value. */
static double round_step(double value)
{
    double power = pow(10, floor(log10(value)));
    static const double steps[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (value <= steps[i] * power)
            return steps[i] * power;
    return 10 * power;
}

static void add_linear_ticks(struct axis *axis, double every)
{
    double parts = (double)axis->columns / every;
    double step = round_step((axis->high / 2 - axis->low / 2) / (parts < 2 ? 1 : parts / 2));
    if (!(step > 0) || !isfinite(step))
        return;
    double first = ceil(axis->low / step - 1e-9);
    for (size_t i = 0; i < AXIS_TICKS_MOST; i++) {
        double value = (first + (double)i) * step;
        if (value > axis->high)
            break;
        add_tick(axis, value);
    }
}

/* Powers of ten, in strides that leave room for their texts; outermost first, so that the range
 * can be read. */
static void add_log_ticks(struct axis *axis, double sign, double from, double to)
{
    int first = (int)ceil(log10(from) - 1e-9), last = (int)floor(log10(to) + 1e-9);
    int stride = 1 + (last - first) / 12;
    for (int exponent = last; exponent >= first; exponent -= stride)
        add_tick(axis, sign * pow(10, exponent));
}

static void add_ticks(struct axis *axis)
{
    if (axis->kind == AXIS_LINEAR) {
        add_linear_ticks(axis, COLUMNS_A_TICK);
        return;
    }
    if (axis->kind == AXIS_LOG) {
        add_log_ticks(axis, 1, axis->low, axis->high);
        return;
    }
    add_tick(axis, 0);
    if (axis->high > 0)
        add_log_ticks(axis, 1, axis->threshold, axis->high);
    if (axis->low < 0)
        add_log_ticks(axis, -1, axis->threshold, -axis->low);
}

/* --- ends --- */

/* A linear axis begins at 0 where that costs less than half of it, and ends beyond the values where
 * all are equal. */
static void set_linear_ends(struct axis *axis)
{
    if (axis->low > 0 && axis->low <= axis->high / 2)
        axis->low = 0;
    if (axis->high < 0 && axis->high >= axis->low / 2)
        axis->high = 0;
    if (axis->low < axis->high)
        return;
    double aside = fabs(axis->low) / 10 > 0 ? fabs(axis->low) / 10 : 1;
    axis->low = axis->low - aside;
    axis->high = axis->high + aside;
    if (!isfinite(axis->high))
        axis->high = axis->low + aside;
}

void axis_make(struct axis *axis, const struct axis_extent *extent, size_t columns)
{
    *axis = (struct axis){.low = extent->low, .high = extent->high, .columns = columns};
    bool wide = extent->smallest > 0 && extent->largest / extent->smallest > LINEAR_UP_TO;
    if (wide && extent->low > 0) {
        axis->kind = AXIS_LOG;
    } else if (wide) {
        axis->kind = AXIS_BOTH_WAYS;
        axis->threshold = fmax(pow(10, floor(log10(extent->smallest))), DBL_MIN);
    } else {
        set_linear_ends(axis);
    }
    add_ticks(axis);
}

void axis_make_linear(struct axis *axis, const struct axis_extent *extent, size_t columns,
                      double every)
{
    *axis = (struct axis){.low = extent->low, .high = extent->high, .columns = columns};
    set_linear_ends(axis);
    add_linear_ticks(axis, every);
}
