/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On the way from stores to cases: what all loaders do alike. */
#include "engine/loading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int loading_no_memory(struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "out of memory while reading what was measured");
}

bool copy_if_any(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

bool copy_or_empty(char **to, const char *from)
{
    return copy_if_any(to, from ? from : "");
}

char *loading_machine_name(const struct facts *facts)
{
    const char *cpu = facts_get(facts, "cpu.model_name"), *isa = facts_get(facts, "isa");
    struct text line = {0};
    text_puts(&line, cpu ? cpu : "unnamed CPU");
    if (isa)
        text_printf(&line, " (%s)", isa);
    return text_take(&line);
}

int loading_same_kit(const struct store *store, const char *of_store, char **kit, const char *why,
                     struct failure *failure)
{
    if (!of_store || (*kit && strcmp(*kit, of_store) == 0))
        return 0;
    if (!*kit || !**kit) {
        free(*kit);
        return copy_if_any(kit, of_store) ? 0 : loading_no_memory(failure);
    }
    return fail_with(failure, -EINVAL,
                     "the store %.300s was measured on the same machine by another build of the "
                     "harnesses: %s. Judge the stores one by one.",
                     store_path(store), why);
}
