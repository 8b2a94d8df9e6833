/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which runs were taken already, by what is in them. */
#include "cli/distinct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/deliver.h"

static void say(const char *teller, const char *name, const char *before)
{
    AUTO_TEXT struct text message = {0};
    if (strcmp(name, before) == 0)
        text_printf(&message, "%s is named twice and counts once", name);
    else
        text_printf(&message, "%s is the same run as %s and counts once", name, before);
    deliver_message(teller, text_string(&message));
}

static int add(struct distinct *distinct, const struct distinct_run *run, struct failure *failure)
{
    struct distinct_run *larger =
        reallocarray(distinct->list, distinct->count + 1, sizeof(*larger));
    if (larger)
        distinct->list = larger;
    if (!larger || !run->name) {
        free(run->name);
        return fail_with(failure, -ENOMEM, "out of memory");
    }
    larger[distinct->count++] = *run;
    return 1;
}

int distinct_take(struct distinct *distinct, const char *teller, struct store *store,
                  struct failure *failure)
{
    struct distinct_run run = {.name = NULL};
    int error = store_identity(store, run.identity, failure);
    if (error)
        return error;
    for (size_t i = 0; i < distinct->count; i++)
        if (strcmp(distinct->list[i].identity, run.identity) == 0) {
            say(teller, store_path(store), distinct->list[i].name);
            return 0;
        }
    run.name = strdup(store_path(store));
    return add(distinct, &run, failure);
}

void distinct_forget(struct distinct *distinct, size_t count)
{
    while (distinct->count > count)
        free(distinct->list[--distinct->count].name);
}

void distinct_release(struct distinct *distinct)
{
    distinct_forget(distinct, 0);
    free(distinct->list);
    *distinct = (struct distinct){0};
}
