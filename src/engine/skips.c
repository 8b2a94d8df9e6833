/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the list of what was left out, for the reader and for JSON alike. */
#include "engine/skips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "show/utf8.h"
#include "show/wrap.h"

int skips_add(struct skips *skips, const char *what, const char *reason, int error)
{
    for (size_t i = 0; i < skips->count; i++) {
        if (strcmp(skips->list[i].what, what) == 0 && strcmp(skips->list[i].reason, reason) == 0)
            return 0;
    }
    struct skip *grown = realloc(skips->list, (skips->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    skips->list = grown;
    struct skip skip = {strdup(what), strdup(reason), error, false};
    if (!skip.what || !skip.reason) {
        free(skip.what);
        free(skip.reason);
        return -ENOMEM;
    }
    skips->list[skips->count++] = skip;
    return 0;
}

json_t *skips_json(const struct skips *skips)
{
    json_t *list = json_array();
    for (size_t i = 0; i < skips->count; i++) {
        const struct skip *skip = &skips->list[i];
        json_array_append_new(list, json_skipped(skip->what, skip->reason, skip->error));
    }
    return list;
}

void skips_put(const struct skips *skips, const struct style *style, struct text *out)
{
    if (!skips->count)
        return;
    text_puts(out, "\nLeft out:\n");
    for (size_t i = 0; i < skips->count; i++) {
        AUTO_TEXT struct text line = {0};
        text_put_clean(&line, skips->list[i].what);
        text_puts(&line, ": ");
        text_put_clean(&line, skips->list[i].reason);
        text_puts(out, "  ");
        wrap(out, text_string(&line), 2, 4, style->width);
    }
}

void skips_free(struct skips *skips)
{
    for (size_t i = 0; i < skips->count; i++) {
        free(skips->list[i].what);
        free(skips->list[i].reason);
    }
    free(skips->list);
    *skips = (struct skips){0};
}
