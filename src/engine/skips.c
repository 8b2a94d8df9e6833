/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a study left out, each with its reason: kept, grouped by reason, and shown. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "engine/options.h"
#include "engine/skips.h"
#include "output/json.h"

/* --- Groups what was left out by its reason --- */

#define NAMES_SHOWN 6u

void omissions_add_skips(struct omissions *omissions, const struct skips *skips)
{
    for (size_t i = 0; i < skips->count; i++)
        if (!skips->list[i].for_programs)
            *memory_add(omissions->list, omissions->count) =
                (struct omission){skips->list[i].what, skips->list[i].reason};
}

static size_t shown_length(const struct omissions *omissions, const char *reason)
{
    return omissions->brief ? (size_t)reason_first_sentence(reason) : strlen(reason);
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
        *memory_add(omissions->list, omissions->count) = (struct omission){what, reason};
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
    for (size_t i = 0; i < omissions->count; i++)
        put_reason(omissions, i, all, style, out);
}

void failed_put(size_t processes, size_t cells, const char *what, const char *reason,
                const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!cells)
        return;
    text_printf(&words, "%zu process%s of %zu %s%s failed", processes, processes == 1 ? "" : "es",
                cells, what, cells == 1 ? "" : "s");
    if (reason) {
        text_puts(&words, ", the first: ");
        text_put_clean(&words, reason);
    }
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

/* --- Tries events, and keeps what came of it --- */

void tried_add(struct tried_events *tried, const struct tried_event *like)
{
    if (!tried_find(tried, like->name))
        *memory_add(tried->list, tried->count) = (struct tried_event){
            .name = memory_copy(like->name),
            .kind = memory_copy(like->kind),
            .class = like->class && *like->class ? memory_copy(like->class) : NULL,
            .reason = memory_copy(like->reason ? like->reason : ""),
            .error = like->error};
}

int tried_try(struct tried_events *tried, struct session *session, const char *name, bool named,
              struct failure *failure)
{
    struct listed_event event;
    struct failure refusal = {0};
    int error = session_try_event(session, name, &event, &refusal);
    bool unreadable = error == -EACCES || error == -EPERM;
    /* Is it the session that failed, rather than the name? */
    bool lost = error == -EPIPE || error == -EPROTO || error == -EINTR || error == -ETIMEDOUT ||
                error == -EBADMSG;
    if (lost || (error < 0 && named && !unreadable)) {
        *failure = refusal;
        return error;
    }
    struct tried_event result = {.name = (char *)(uintptr_t)name,
                                 .kind = (char *)(uintptr_t) "unknown",
                                 .reason = refusal.text,
                                 .error = -error};
    if (error == 0)
        result = (struct tried_event){.name = (char *)(uintptr_t)event.name,
                                      .kind = (char *)(uintptr_t)event.kind,
                                      .class = (char *)(uintptr_t)event.class,
                                      .reason = (char *)(uintptr_t)event.reason,
                                      .error = event.openable ? 0
                                               : event.error  ? event.error
                                                              : EIO};
    tried_add(tried, &result);
    return 0;
}

const struct tried_event *tried_find(const struct tried_events *tried, const char *name)
{
    for (size_t i = 0; i < tried->count; i++)
        if (strcmp(tried->list[i].name, name) == 0)
            return &tried->list[i];
    return NULL;
}

bool tried_opens(const struct tried_events *tried, const char *name)
{
    const struct tried_event *event = tried_find(tried, name);
    return event && !event->error;
}

void tried_drop_last(struct tried_events *tried)
{
    tried->count--;
}

int tried_put(const struct tried_events *tried, struct store *store, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < tried->count && error == 0; i++) {
        const struct tried_event *event = &tried->list[i];
        const struct stored_event stored = {.name = event->name,
                                            .kind = event->kind,
                                            .class = event->class,
                                            .error = event->error,
                                            .reason = event->reason};
        error = store_put_event(store, &stored, failure);
    }
    return error;
}

static int take(void *context, const struct stored_event *event)
{
    const struct tried_event like = {.name = (char *)(uintptr_t)event->name,
                                     .kind = (char *)(uintptr_t)event->kind,
                                     .class = (char *)(uintptr_t)event->class,
                                     .reason = (char *)(uintptr_t)event->reason,
                                     .error = event->error};
    tried_add(context, &like);
    return 0;
}

int tried_recall(struct tried_events *tried, struct store *store, struct failure *failure)
{
    return store_each_event(store, take, tried, failure);
}

/* --- Keeps the list of what was left out, for the reader and for JSON alike --- */

int reason_first_sentence(const char *reason)
{
    const char *end = strstr(reason, ". ");
    return (int)(end ? (size_t)(end - reason) : strlen(reason));
}

void skips_add(struct skips *skips, const char *what, const char *reason, int error)
{
    for (size_t i = 0; i < skips->count; i++) {
        if (strcmp(skips->list[i].what, what) == 0 && strcmp(skips->list[i].reason, reason) == 0)
            return;
    }
    *memory_add(skips->list, skips->count) =
        (struct skip){memory_copy(what), memory_copy(reason), error, false};
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

/* --- Gathers what was left out by the reason --- */

#define GROUPS_NAMES_SHOWN 12u

static struct skip_group *group_of(struct skip_groups *groups, const char *reason, int error,
                                   bool cell)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct skip_group *group = &groups->list[i];
        if (strcmp(group->reason, reason) == 0 && (group->cells != 0) == cell)
            return group;
    }
    struct skip_group *group = memory_add(groups->list, groups->count);
    *group = (struct skip_group){.reason = reason, .error = error};
    return group;
}

void skip_groups_add(struct skip_groups *groups, const char *name, const char *reason, int error,
                     bool cell)
{
    struct skip_group *group = group_of(groups, reason, error, cell);
    group->cells += cell;
    for (size_t i = 0; i < group->names.count; i++)
        if (strcmp(group->names.items[i], name) == 0)
            return;
    string_list_push(&group->names, name, strlen(name));
}

void skip_groups_close(struct skip_groups *groups, struct skips *skips)
{
    for (size_t at = 0; at < groups->count; at++) {
        struct skip_group *group = &groups->list[at];
        const size_t before = skips->count;
        AUTO_TEXT struct text what = {0};
        for (size_t i = 0; i < group->names.count && i < GROUPS_NAMES_SHOWN; i++)
            text_printf(&what, "%s%s", i ? ", " : "", group->names.items[i]);
        if (group->names.count > GROUPS_NAMES_SHOWN)
            text_printf(&what, " and %zu more", group->names.count - GROUPS_NAMES_SHOWN);
        if (group->cells > 1)
            text_printf(&what, " (%zu cells)", group->cells);
        skips_add(skips, text_string(&what), group->reason, group->error);
        if (skips->count > before)
            skips->list[before].for_programs = groups->for_programs;
    }
    *groups = (struct skip_groups){0};
}

/* --- Tells absences by their reason, and keeps them --- */

void absences_skip(const struct catalogue *catalogue, absence_is_missed *is_missed,
                   struct skips *skips)
{
    const struct catalogue_absence *absences = catalogue->absences;
    for (size_t first = 0; first < catalogue->absence_count; first++) {
        AUTO_TEXT struct text what = {0};
        bool told = !is_missed(&absences[first]);
        for (size_t i = 0; i < catalogue->absence_count && !told; i++) {
            if (!is_missed(&absences[i]) || strcmp(absences[i].reason, absences[first].reason) != 0)
                continue;
            told = i < first;
            text_printf(&what, "%s%s %s", i > first ? ", " : "", absences[i].kind,
                        absences[i].name);
        }
        if (!told)
            skips_add(skips, text_string(&what), absences[first].reason, absences[first].error);
    }
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
