/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From what stands behind --via to the transport that serves it. */
#include "engine/via.h"

#include <errno.h>
#include <string.h>

static const struct via *find_scheme(const char *spec, size_t length)
{
    for (size_t i = 0; via_registry[i]; i++)
        if (strlen(via_registry[i]->scheme) == length &&
            memcmp(via_registry[i]->scheme, spec, length) == 0)
            return via_registry[i];
    return NULL;
}

static int refuse_scheme(const char *spec, size_t length, struct failure *failure)
{
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; via_registry[i]; i++)
        text_printf(&known, "\n  %-8s %s", via_registry[i]->scheme, via_registry[i]->summary);
    return fail_with(failure, -EINVAL, "there is no transport '%.*s'; there are:%s",
                     length > 64 ? 64 : (int)length, spec, text_string(&known));
}

int via_patience_ms(const char *spec, int asked_ms)
{
    const struct via *via = spec ? find_scheme(spec, strcspn(spec, ":")) : NULL;
    return via && via->patience_ms > asked_ms ? via->patience_ms : asked_ms;
}

int via_silence_ms(const char *spec, int asked_ms)
{
    const struct via *via = spec ? find_scheme(spec, strcspn(spec, ":")) : NULL;
    return via && via->silence_ms > asked_ms ? via->silence_ms : asked_ms;
}

int via_open(const char *spec, const struct via_patience *patience, struct via_link *link,
             struct failure *failure)
{
    *link = (struct via_link){.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    if (!spec || !*spec)
        spec = "local";
    const size_t length = strcspn(spec, ":");
    const struct via *via = find_scheme(spec, length);
    if (!via)
        return refuse_scheme(spec, length, failure);
    return via->open(spec[length] ? spec + length + 1 : "", patience, link, failure);
}
