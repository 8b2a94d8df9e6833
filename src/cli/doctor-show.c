/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The doctor's report for people. What is amiss comes first and in full, the rest in brief; the
 * last line says where to begin. */
#include <string.h>

#include "commands/doctor.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define INDENT 8u

static const enum tone tones[] = {[CHECK_OK] = TONE_GOOD,
                                  [CHECK_WARN] = TONE_WARN,
                                  [CHECK_BAD] = TONE_BAD,
                                  [CHECK_ABSENT] = TONE_DIM};

static bool amiss(const struct finding *finding)
{
    return finding->advice.status == CHECK_BAD || finding->advice.status == CHECK_WARN;
}

/* "bad     " in its colour; text starts at column INDENT. */
static void put_status(enum check_status status, const struct style *style, struct text *out)
{
    const char *name = check_status_names[status];
    text_put_toned(out, style, tones[status], name);
    text_printf(out, "%*s", (int)(INDENT - strlen(name)), "");
}

/* Commands stand as they are, one a line, so that they can be copied. */
static void put_fix(const char *fix, struct text *out)
{
    const char *label = "fix: ";
    for (const char *line = fix; *line; label = "     ") {
        size_t length = strcspn(line, "\n");
        text_printf(out, "%*s%s%.*s\n", (int)INDENT, "", label, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void put_in_full(const struct finding *finding, const struct style *style, struct text *out)
{
    const struct advice *advice = &finding->advice;
    put_status(advice->status, style, out);
    text_put_toned(out, style, TONE_STRONG, finding->check->name);
    text_printf(out, ": %s\n%*s", advice->value, (int)INDENT, "");
    wrap(out, advice->why, INDENT, INDENT, style->width);
    put_fix(advice->fix, out);
    text_putc(out, '\n');
}

/* "ok      smt: off; aslr: off; ..." */
static void put_in_brief(const struct findings *findings, enum check_status status,
                         const struct style *style, struct text *out)
{
    AUTO_TEXT struct text list = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (finding->advice.status == status)
            text_printf(&list, "%s%s: %s", list.length ? "; " : "", finding->check->name,
                        finding->advice.value);
    }
    if (list.length == 0)
        return;
    put_status(status, style, out);
    wrap(out, text_string(&list), INDENT, INDENT, style->width);
}

/* What was asked for in particular is explained even where all is well. */
static void put_explained(const struct findings *findings, const struct style *style,
                          struct text *out)
{
    for (size_t i = 0; i < findings->count; i++)
        if (!amiss(&findings->list[i]))
            put_in_full(&findings->list[i], style, out);
}

static void put_first_step(const struct findings *findings, const struct style *style,
                           struct text *out)
{
    const struct finding *first = NULL, *hopeless = NULL;
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (!amiss(finding))
            continue;
        count++;
        if (!first && finding->advice.fix[0])
            first = finding;
        if (!first && !hopeless && finding->advice.status == CHECK_BAD)
            hopeless = finding;
    }
    AUTO_TEXT struct text line = {0};
    if (count == 0)
        text_puts(&line, "Nothing found that stands in the way of accurate counts.");
    else if (!first)
        text_puts(
            &line,
            "Nothing of this can be changed from here: keep it in mind when you read a count.");
    else if (hopeless)
        text_printf(&line,
                    "No setting here mends %s; of the rest, begin with %s:", hopeless->check->name,
                    first->check->name);
    else
        text_printf(&line, "Begin with %s:", first->check->name);
    if (first)
        text_printf(&line, " %.*s", (int)strcspn(first->advice.fix, "\n"), first->advice.fix);
    text_put_toned(out, style, TONE_STRONG, text_string(&line));
    text_putc(out, '\n');
}

void findings_show(const struct findings *findings, const struct facts *facts,
                   const struct style *style, struct text *out)
{
    AUTO_TEXT struct text sentence = {0};
    AUTO_TEXT struct text clean = {0};
    machine_sentence(facts, &sentence);
    text_put_clean(&clean, text_string(&sentence));
    wrap(out, text_string(&clean), 0, 0, style->width);
    text_putc(out, '\n');
    for (size_t i = 0; i < findings->count && amiss(&findings->list[i]); i++)
        put_in_full(&findings->list[i], style, out);
    size_t registered = 0;
    while (check_registry[registered])
        registered++;
    if (findings->count < registered) {
        put_explained(findings, style, out);
    } else {
        put_in_brief(findings, CHECK_OK, style, out);
        put_in_brief(findings, CHECK_ABSENT, style, out);
        text_putc(out, '\n');
    }
    put_first_step(findings, style, out);
}
