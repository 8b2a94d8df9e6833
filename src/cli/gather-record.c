/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line as a store records it, and what it says of the machine that was reached. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "engine/gather.h"
#include "output/json.h"
#include "show/shell.h"

char *gather_argv(const struct common_options *common)
{
    json_t *list = json_array();
    for (int i = 0; i < common->argc; i++)
        json_array_append_new(list, json_text(common->argv[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

/* What stood behind --via in a command line that gather_argv made; the caller frees it. */
static char *via_of(const char *argv)
{
    json_t *list = json_loads(argv, 0, NULL);
    const char *via = "local";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        const char *next = json_string_value(json_array_get(list, i + 1));
        if (word && strcmp(word, "--via") == 0 && next)
            via = next;
        else if (word && strncmp(word, "--via=", 6) == 0)
            via = word + 6;
    }
    char *copy = strdup(via);
    json_decref(list);
    return copy;
}

int gather_check_via(const struct common_options *common, const struct catalogue *catalogue,
                     const char *path, const struct store_info *info, struct failure *failure)
{
    const char *now = common->via;
    AUTO_FREE char *then = via_of(info->argv);
    if (!then)
        return fail_with(failure, -ENOMEM, "out of memory");
    if (strcmp(info->fingerprint, catalogue->fingerprint) == 0 || strcmp(then, now) == 0)
        return 0;
    AUTO_TEXT struct text words = {0};
    text_put_shell(&words, then);
    return fail_with(failure, -ESTALE,
                     "the store %.300s was measured with --via %.300s, and --via %.100s is another "
                     "machine: resume it with the former, or start a new store",
                     path, text_string(&words), now);
}

uint64_t gather_seed(const struct seed *seed)
{
    uint32_t drawn = 0;
    if (seed->given)
        return seed->value;
    return getrandom(&drawn, sizeof(drawn), 0) == sizeof(drawn) ? drawn : 1;
}
