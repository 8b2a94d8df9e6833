/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to do, before anything else is shown: how to count each event with the least error, and what
 * the doctor found that no way of measuring mends. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/error-show.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define INDENT 6u

/* Checks that say nothing of this study: it draws over address layouts on purpose, and counts
 * clocks and tracepoints only where they open. */
static const char *const unconcerned[] = {"aslr", "clocksource", "tracefs"};

static bool concerns(const struct check *check)
{
    for (size_t i = 0; i < sizeof(unconcerned) / sizeof(*unconcerned); i++)
        if (strcmp(check->name, unconcerned[i]) == 0)
            return false;
    return true;
}

int error_checks(const struct facts *facts, struct error_check **list, size_t *count)
{
    static const enum check_status urgency[] = {CHECK_BAD, CHECK_WARN};
    size_t registered = 0;
    *count = 0;
    while (check_registry[registered])
        registered++;
    *list = calloc(registered + 1, sizeof(**list));
    struct advice *advice = malloc(sizeof(*advice));
    if (!*list || !advice) {
        free(advice);
        return -ENOMEM;
    }
    for (size_t level = 0; facts && facts->count && level < 2; level++)
        for (size_t i = 0; i < registered; i++) {
            if (!concerns(check_registry[i]))
                continue;
            check_judge(check_registry[i], facts, advice);
            if (advice->status == urgency[level])
                (*list)[(*count)++] = (struct error_check){check_registry[i], *advice};
        }
    free(advice);
    return 0;
}

/* --- for people --- */

/* Counts of the CPU come before those that every machine has. */
static bool is_of_cpu(const struct error_advice *advice)
{
    return advice->mode != COUNT_ANY;
}

static bool is_about(const struct error_advice *left, const struct error_advice *right)
{
    return left->mode == right->mode &&
           strcmp(left->event ? left->event : "", right->event ? right->event : "") == 0;
}

/* All that is said of the event of the one at `first`, unless that was done before. */
static void put_event(const struct error_report *report, size_t first, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct error_advice *list = report->advice;
    for (size_t i = 0; i < first; i++)
        if (is_about(&list[i], &list[first]))
            return;
    for (size_t i = first; i < report->advice_count; i++) {
        if (!is_about(&list[i], &list[first]))
            continue;
        text_puts(&words, words.length ? " " : "");
        text_put_clean(&words, list[i].text);
    }
    text_puts(out, "- ");
    wrap(out, text_string(&words), 2, 2, style->width);
}

/* What of other events is best a table below says as well. */
static void put_advised(const struct error_report *report, bool all, const struct style *style,
                        struct text *out)
{
    bool of_cpu = false;
    for (size_t i = 0; i < report->advice_count; i++)
        of_cpu |= is_of_cpu(&report->advice[i]);
    for (size_t pass = of_cpu ? 0 : 1; pass < (of_cpu && !all ? 1 : 2); pass++)
        for (size_t i = 0; i < report->advice_count; i++)
            if (is_of_cpu(&report->advice[i]) == (pass == 0))
                put_event(report, i, style, out);
}

/* What a command changes stands with it; only its first line, the doctor has the rest. */
static void put_mendable(const struct error_check *check, const struct style *style,
                         struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *fix = check->advice.fix;
    text_printf(&words, "%s: %s", check->check->name, check->advice.value);
    text_puts(out, "  ");
    text_put_toned(out, style, check->advice.status == CHECK_BAD ? TONE_BAD : TONE_WARN,
                   check_status_names[check->advice.status]);
    text_printf(out, "%*s", check->advice.status == CHECK_BAD ? 2 : 1, "");
    wrap(out, text_string(&words), INDENT + 1, INDENT + 1, style->width);
    text_printf(out, "       fix: %.*s\n", (int)strcspn(fix, "\n"), fix);
}

static void put_checks(const struct error_check *checks, size_t count, const struct style *style,
                       struct text *out)
{
    AUTO_TEXT struct text lasting = {0};
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        const struct error_check *check = &checks[i];
        if (!check->advice.fix[0]) {
            text_printf(&lasting, "%s%s: %s", lasting.length ? "; " : "", check->check->name,
                        check->advice.value);
            continue;
        }
        if (!begun)
            text_puts(out, "Mend this first (`assay doctor` says why):\n");
        begun = true;
        put_mendable(check, style, out);
    }
    if (lasting.length) {
        text_puts(out, "What no setting here mends: ");
        wrap(out, text_string(&lasting), strlen("What no setting here mends: "), 2, style->width);
    }
}

void error_put_advice(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_FREE struct error_check *checks = NULL;
    size_t count = 0;
    if (error_checks(erring->facts, &checks, &count) < 0) {
        out->failed = true;
        return;
    }
    section_put_heading("What to do", style, out);
    put_advised(&erring->report, erring->options->all, style, out);
    if (!erring->report.advice_count)
        section_put_words(
            "Nothing can be advised: no null error was measured; \"Left out\" below says why.",
            style, out);
    put_checks(checks, count, style, out);
}
