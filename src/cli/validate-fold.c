/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME and NAME:u as one, NAME[:u], where the result of `assay validate` says the same of both. */
#include <string.h>

#include "studies/validate/parts.h"
#include "show/utf8.h"
#include "study/mode.h"

/* Length of the name without its mode. */
static size_t base_length(const char *name)
{
    const char *mode = event_mode(name);
    return mode ? (size_t)(mode - name) - (mode[-1] == ':') : strlen(name);
}

bool validate_same_base(const char *left, const char *right)
{
    size_t length = base_length(left);
    return length == base_length(right) && strncmp(left, right, length) == 0;
}

static bool is_user(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strcmp(mode, "u") == 0;
}

const struct judgement *validate_twin(const struct judgements *judgements,
                                      const struct judgement *judgement)
{
    const char *name = judgement->evidence->event;
    if (event_mode(name) && !is_user(name))
        return NULL;
    for (size_t i = 0; i < judgements->count; i++) {
        const char *other = judgements->list[i].evidence->event;
        bool fits = event_mode(name) ? !event_mode(other) : is_user(other);
        if (fits && validate_same_base(name, other))
            return &judgements->list[i];
    }
    return NULL;
}

bool validate_is_user(const struct judgement *judgement)
{
    return is_user(judgement->evidence->event);
}

void validate_put_folded(const char *plain, struct text *out)
{
    size_t length = strlen(plain);
    text_put_clean(out, plain);
    text_puts(out, length && plain[length - 1] == '/' ? "[u]" : "[:u]");
}
