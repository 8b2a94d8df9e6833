/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events of which `assay validate` measured nothing, told below the table: each reason once, with
 * the events that it concerns. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/validate/parts.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define NAMES_SHOWN 6u /* of a group that cannot be opened; --all has them all */

bool validate_is_grouped(const struct judgement *judgement)
{
    return judgement->verdict == VERDICT_UNSUPPORTED ||
           (judgement->verdict == VERDICT_UNJUDGED && !judgement->row_count);
}

/* The reason without what differs from event to event: the name of the class. */
static void put_reason(const struct judgement *judgement, struct text *out)
{
    const char *note = judgement->note, *class = judgement->evidence->class;
    const char *named =
        class && *class && judgement->verdict == VERDICT_UNJUDGED ? strstr(note, class) : NULL;
    if (!named) {
        text_put_clean(out, note);
        return;
    }
    AUTO_TEXT struct text words = {0};
    text_append(&words, note, (size_t)(named - note));
    text_printf(&words, "what they count%s", named + strlen(class));
    text_put_clean(out, text_string(&words));
}

/* Other interfaces put words of their own before a reason that is the same. */
static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return tail && length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool same_group(const struct judgement *leader, const struct judgement *judgement)
{
    AUTO_TEXT struct text left = {0};
    AUTO_TEXT struct text right = {0};
    put_reason(leader, &left);
    put_reason(judgement, &right);
    return leader->verdict == judgement->verdict && leader->cause == judgement->cause &&
           ends_with(text_string(&right), text_string(&left));
}

static bool is_leader(const struct judgements *judgements, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (validate_is_grouped(&judgements->list[i]) &&
            same_group(&judgements->list[i], &judgements->list[index]))
            return false;
    return validate_is_grouped(&judgements->list[index]);
}

struct group {
    const struct judgement *leader;
    struct text names, kinds;
    size_t shown, most; /* names, and how many are to be */
    size_t left;        /* events that are not named */
    const char *class;  /* of all of them; NULL: they have several */
    bool several;
};

/* "hardware, cache", from the kinds of a group; each once. */
static void add_kind(struct group *group, const char *kind)
{
    if (strcmp(kind, "papi") == 0)
        kind = "PAPI";
    if (strstr(text_string(&group->kinds), kind))
        return;
    text_puts(&group->kinds, group->kinds.length ? ", " : "");
    text_put_clean(&group->kinds, kind);
}

/* NAME[:u] stands where NAME did. */
static void add_name(struct group *group, const struct judgements *judgements,
                     const struct judgement *judgement)
{
    const struct judgement *twin = validate_twin(judgements, judgement);
    bool folded = twin && validate_is_grouped(twin) && same_group(group->leader, twin);
    if (folded && validate_is_user(judgement))
        return;
    if (group->shown == group->most) {
        group->left += folded ? 2 : 1;
        return;
    }
    text_puts(&group->names, group->shown++ ? ", " : "");
    if (folded)
        validate_put_folded(judgement->evidence->event, &group->names);
    else
        text_put_clean(&group->names, judgement->evidence->event);
}

static void gather(struct group *group, const struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        if (!validate_is_grouped(judgement) || !same_group(group->leader, judgement))
            continue;
        const char *class = judgement->evidence->class ? judgement->evidence->class : "";
        group->several |= group->class && strcmp(group->class, class) != 0;
        group->class = class;
        add_kind(group, judgement->evidence->kind);
        add_name(group, judgements, judgement);
    }
}

/* "unsupported, virtualized: cycles:u, instructions:u and 148 more (hardware, cache, PAPI)" */
static void put_head(const struct group *group, struct text *out)
{
    text_puts(out, verdict_names[group->leader->verdict]);
    if (group->leader->cause)
        text_printf(out, ", %s", cause_names[group->leader->cause]);
    text_printf(out, ": %s", text_string(&group->names));
    if (group->left)
        text_printf(out, " and %zu more (%s)", group->left, text_string(&group->kinds));
}

static void put_group(const struct validating *validating, const struct judgement *leader,
                      const struct style *style, struct text *out)
{
    bool whole = validating->options->all || leader->verdict == VERDICT_UNJUDGED;
    struct group group = {.leader = leader, .most = whole ? SIZE_MAX : NAMES_SHOWN};
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text reason = {0};
    gather(&group, &validating->judgements);
    put_head(&group, &words);
    if (group.several)
        put_reason(leader, &reason);
    else
        text_put_clean(&reason, leader->note);
    wrap(out, text_string(&words), 0, 2, style->width);
    text_puts(out, "    ");
    wrap(out, text_string(&reason), 4, 4, style->width);
    text_free(&group.names);
    text_free(&group.kinds);
}

/* "Found here before, when it could be counted: page-faults exact (2026-11-16T15:52:55Z)." */
static void put_earlier(const struct validating *validating, const struct style *style,
                        struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *name;
    json_t *entry;
    json_object_foreach(validating->earlier, name, entry)
    {
        text_puts(&words, words.length ? ", " : "Found here before, and still valid: ");
        text_put_clean(&words, name);
        text_printf(&words, " %s (%s)", json_word(entry, "verdict"), json_word(entry, "validated"));
    }
    if (words.length)
        wrap(out, text_string(&words), 0, 2, style->width);
}

void validate_put_unsupported(const struct validating *validating, const struct style *style,
                              struct text *out)
{
    const struct judgements *judgements = &validating->judgements;
    const char *before = out->length ? "\n" : "";
    for (size_t i = 0; i < judgements->count; i++) {
        if (!is_leader(judgements, i))
            continue;
        text_puts(out, before);
        before = "";
        put_group(validating, &judgements->list[i], style, out);
    }
    put_earlier(validating, style, out);
}
