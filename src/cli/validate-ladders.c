/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ladders of `assay validate` that ended below their top, and what a further step would cost: how
 * many, the lowest and the highest end; each of them with --all. */
#include <string.h>

#include "studies/validate/parts.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

static void put_time(double ns, struct text *out)
{
    const char *const units[] = {"ns", utf8_is_expected() ? "\u00b5s" : "us", "ms", "s"};
    char number[NUMBER_SIZE];
    size_t unit = 0;
    while (unit < 3 && ns >= 1000) {
        ns /= 1000;
        unit++;
    }
    number_significant(ns, 2, number, sizeof(number));
    text_printf(out, "%s %s", number, units[unit]);
}

static void put_cap(const struct validating *validating, const struct validate_cap *cap,
                    struct text *out)
{
    char n[NUMBER_SIZE];
    number_count(cap->n, n, sizeof(n));
    text_put_clean(out, validating->subjects[cap->subject].name);
    text_printf(out, " at N = %s", n);
    if (cap->hit_ns <= 0)
        return;
    text_puts(out, " (");
    put_time(cap->hit_ns, out);
    text_puts(out, " a hit of ");
    text_append(out, cap->specimen, strcspn(cap->specimen, "/"));
    text_putc(out, ')');
}

/* All that ended early; of two that ended at one N the dearer is the lower, the cheaper the
 * higher. */
struct caps {
    size_t count;
    struct validate_cap lowest, highest;
    struct text list;
};

static bool is_lower(const struct validate_cap *one, const struct validate_cap *other)
{
    return one->n != other->n ? one->n < other->n : one->hit_ns > other->hit_ns;
}

static void gather(const struct validating *validating, struct caps *caps)
{
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_cap cap;
        if (!validate_cap(&validating->study, &validating->plan, i, &cap))
            continue;
        cap.subject = i;
        text_puts(&caps->list, caps->count ? "; " : "");
        put_cap(validating, &cap, &caps->list);
        if (!caps->count || is_lower(&cap, &caps->lowest))
            caps->lowest = cap;
        if (!caps->count || is_lower(&caps->highest, &cap))
            caps->highest = cap;
        caps->count++;
    }
}

void validate_put_caps(const struct validating *validating, const struct style *style,
                       struct text *out)
{
    struct caps caps = {0};
    AUTO_TEXT struct text words = {0};
    gather(validating, &caps);
    if (caps.count > 2 && !validating->options->all) {
        text_printf(&words, "%zu ladders end early, where more would cost too much: from ",
                    caps.count);
        put_cap(validating, &caps.lowest, &words);
        text_puts(&words, " to ");
        put_cap(validating, &caps.highest, &words);
    } else if (caps.count) {
        text_printf(&words, "ladders that end early, where more would cost too much: %s",
                    text_string(&caps.list));
    }
    text_free(&caps.list);
    if (!words.length)
        return;
    text_puts(&words, ". A larger --budget goes further, --full to the end.");
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 2, style->width);
}
