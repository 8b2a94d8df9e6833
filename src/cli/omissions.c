/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Groups what was left out by its reason. */
#include "cli/omissions.h"

#include <stdlib.h>
#include <string.h>

#include "show/utf8.h"
#include "show/wrap.h"

#define NAMES_SHOWN 6u

static void append(struct omissions *omissions, const char *what, const char *reason)
{
    struct omission *grown =
        reallocarray(omissions->list, omissions->count + 1, sizeof(*omissions->list));
    if (!grown) {
        omissions->failed = true;
        return;
    }
    omissions->list = grown;
    grown[omissions->count++] = (struct omission){what, reason};
}

void omissions_add_skips(struct omissions *omissions, const struct skips *skips)
{
    for (size_t i = 0; i < skips->count; i++)
        if (!skips->list[i].for_programs)
            append(omissions, skips->list[i].what, skips->list[i].reason);
}

/* A full stop and a space end a sentence. */
static size_t first_sentence(const char *reason)
{
    const char *end = strstr(reason, ". ");
    return end ? (size_t)(end - reason) : strlen(reason);
}

/* As far as they are shown. */
static size_t shown_length(const struct omissions *omissions, const char *reason)
{
    return omissions->brief ? first_sentence(reason) : strlen(reason);
}

static bool is_same(const struct omissions *omissions, const char *left, const char *right)
{
    size_t length = shown_length(omissions, left);
    return length == shown_length(omissions, right) && strncmp(left, right, length) == 0;
}

static bool have(const struct omissions *omissions, size_t count, const char *reason)
{
    for (size_t i = 0; i < count && i < omissions->count; i++)
        if (is_same(omissions, omissions->list[i].reason, reason))
            return true;
    return false;
}

bool omissions_have(const struct omissions *omissions, const char *reason)
{
    return have(omissions, omissions->count, reason);
}

void omissions_add(struct omissions *omissions, size_t known, const char *what, const char *reason)
{
    if (!have(omissions, known, reason))
        append(omissions, what, reason);
}

/* Everything with the reason of the one at `leader`, unless that was put before. */
static void put_reason(const struct omissions *omissions, size_t leader, bool all,
                       const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct omission *list = omissions->list;
    size_t shown = 0, left = 0;
    if (have(omissions, leader, list[leader].reason))
        return;
    for (size_t i = leader; i < omissions->count; i++) {
        if (!is_same(omissions, list[i].reason, list[leader].reason))
            continue;
        if (shown == NAMES_SHOWN && !all) {
            left++;
            continue;
        }
        text_puts(&words, shown++ ? ", " : "");
        text_put_clean(&words, list[i].what);
    }
    if (left)
        text_printf(&words, " and %zu more", left);
    text_puts(&words, ": ");
    AUTO_TEXT struct text reason = {0};
    text_append(&reason, list[leader].reason, shown_length(omissions, list[leader].reason));
    text_put_clean(&words, text_string(&reason));
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

void omissions_put(const struct omissions *omissions, bool all, const struct style *style,
                   struct text *out)
{
    out->failed |= omissions->failed;
    for (size_t i = 0; i < omissions->count; i++)
        put_reason(omissions, i, all, style, out);
}

void omissions_free(struct omissions *omissions)
{
    free(omissions->list);
    *omissions = (struct omissions){0};
}
