/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the last lines that were no frames, cut to size and made printable. */
#include "session/chatter.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"

void chatter_keep(void *context, const char *line)
{
    struct chatter *chatter = context;
    if (line[strspn(line, " \t\r")] == '\0')
        return;
    char *kept = chatter->lines[chatter->count++ % CHATTER_LINES];
    printable_copy(kept, CHATTER_BYTES, line, strlen(line));
}

void chatter_quote(const struct chatter *chatter, char *words, size_t size)
{
    size_t first = chatter->count > CHATTER_LINES ? chatter->count - CHATTER_LINES : 0;
    size_t used = 0;
    words[0] = '\0';
    for (size_t i = first; i < chatter->count && used + 1 < size; i++) {
        int added = snprintf(words + used, size - used, "%s'%s'", used ? " " : "",
                             chatter->lines[i % CHATTER_LINES]);
        used += added < 0 ? 0 : (size_t)added;
    }
}
