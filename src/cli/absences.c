/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tells absences by their reason, and keeps them. */
#include "cli/absences.h"

#include <errno.h>
#include <string.h>

/* Those with the reason of the one at `first`, unless they were told before. */
static int skip_alike(const struct catalogue *catalogue, absence_is_missed *is_missed, size_t first,
                      struct skips *skips)
{
    const struct catalogue_absence *leader = &catalogue->absences[first];
    AUTO_TEXT struct text what = {0};
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (!is_missed(absence) || strcmp(absence->reason, leader->reason) != 0)
            continue;
        if (i < first)
            return 0;
        text_printf(&what, "%s%s %s", i > first ? ", " : "", absence->kind, absence->name);
    }
    return what.failed ? -ENOMEM
                       : skips_add(skips, text_string(&what), leader->reason, leader->error);
}

int absences_skip(const struct catalogue *catalogue, absence_is_missed *is_missed,
                  struct skips *skips)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->absence_count && error == 0; i++)
        if (is_missed(&catalogue->absences[i]))
            error = skip_alike(catalogue, is_missed, i, skips);
    return error;
}

int absences_put(const struct catalogue *catalogue, const char *kind, struct store *store,
                 struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        const struct stored_event event = {.name = absence->name,
                                           .kind = absence->kind,
                                           .error = absence->error ? absence->error : ENOTSUP,
                                           .reason = absence->reason};
        if (strcmp(absence->kind, kind) == 0)
            error = store_put_event(store, &event, failure);
    }
    return error;
}

const struct catalogue_absence *absences_find(const struct catalogue *catalogue, const char *kind,
                                              const char *name)
{
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strcmp(catalogue->absences[i].kind, kind) == 0 &&
            strcmp(catalogue->absences[i].name, name) == 0)
            return &catalogue->absences[i];
    return NULL;
}
