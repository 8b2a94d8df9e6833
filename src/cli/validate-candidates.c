/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events `assay validate` judges, and under which names: each is opened, and one that cannot
 * be is a candidate as well, so that nothing is missing silently. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "studies/validate/parts.h"
#include "show/progress.h"
#include "study/mode.h"

/* Under which names an event of a kind is judged. */
enum naming {
    NAMED_PLAIN,     /* as it is; where that is not permitted with :u */
    NAMED_USER,      /* with :u, where that is refused as it is */
    NAMED_BOTH_WAYS, /* as it is, and with :u, which it may not honour */
};
static const struct {
    const char *kind;
    enum naming naming;
} namings[] = {
    {"hardware", NAMED_USER},      {"cache", NAMED_USER},
    {"pmu", NAMED_USER},           {"raw", NAMED_USER},
    {"pfm", NAMED_USER},           {"papi", NAMED_USER},
    {"software", NAMED_BOTH_WAYS}, {"tracepoint", NAMED_BOTH_WAYS},
};

static enum naming naming_of(const char *kind)
{
    for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++)
        if (strcmp(namings[i].kind, kind) == 0)
            return namings[i].naming;
    return NAMED_PLAIN;
}

/* Appends a copy. -ENOMEM. */
static int append(struct candidate **list, size_t *count, const struct candidate *like)
{
    bool has_class = like->class && *like->class;
    struct candidate *grown = realloc(*list, (*count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    *list = grown;
    struct candidate *added = &grown[(*count)++];
    *added = (struct candidate){.name = strdup(like->name),
                                .kind = strdup(like->kind),
                                .class = has_class ? strdup(like->class) : NULL,
                                .reason = strdup(like->reason ? like->reason : ""),
                                .error = like->error};
    bool whole = added->name && added->kind && added->reason && (added->class || !has_class);
    return whole ? 0 : -ENOMEM;
}

void candidates_free(struct candidate *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].kind);
        free(list[i].class);
        free(list[i].reason);
    }
    free(list);
}

int validate_add_candidate(struct validating *validating, const struct candidate *like)
{
    for (size_t i = 0; i < validating->candidate_count; i++)
        if (strcmp(validating->candidates[i].name, like->name) == 0)
            return 0;
    return append(&validating->candidates, &validating->candidate_count, like);
}

/* What the machine said of an event; points to what the event points to. */
static struct candidate said_of(const struct listed_event *event)
{
    return (struct candidate){.name = (char *)event->name,
                              .kind = (char *)event->kind,
                              .class = (char *)event->class,
                              .reason = (char *)event->reason,
                              .error = event->openable ? 0
                                       : event->error  ? event->error
                                                       : EIO};
}

/* --- the machine's list --- */

struct listing {
    struct validating *validating;
    const char *except_kind; /* leave out events of this kind; NULL: none */
    struct candidate *list;  /* names as listed */
    size_t count;
    struct progress progress;
};

static int keep(void *context, const struct listed_event *event)
{
    struct listing *listing = context;
    if (listing->except_kind && strcmp(event->kind, listing->except_kind) == 0)
        return 0;
    const struct candidate listed = said_of(event);
    return append(&listing->list, &listing->count, &listed);
}

/* --- names --- */

static bool is_forbidden(int error)
{
    return error == EACCES || error == EPERM;
}

/* Of what is not there at all, in whatever mode. Anything else may be about the mode that was asked
 * for: some PMUs count user code alone. */
static bool is_absent(int error)
{
    return error == ENOENT || error == ENODEV || error == ENXIO || error == ENOSYS;
}

/* Is it the session that failed, rather than the name? */
static bool is_lost(int error)
{
    return error == -EPIPE || error == -EPROTO || error == -EINTR || error == -ETIMEDOUT ||
           error == -EBADMSG;
}

/* Opens `name`; a name that the machine refuses to read is an event that cannot be opened. */
static int try_name(struct validating *validating, const char *name, const struct candidate *like,
                    struct candidate *tried, struct failure *failure)
{
    struct listed_event event;
    int error = session_try_event(validating->session, name, &event, failure);
    *tried = *like;
    tried->name = (char *)name;
    if (is_lost(error))
        return error;
    if (error < 0) {
        tried->error = -error;
        tried->reason = failure->text;
        return 0;
    }
    struct candidate said = said_of(&event);
    tried->class = said.class;
    tried->error = said.error;
    tried->reason = said.reason;
    return 0;
}

/* A counter of the CPU: with :u, and where that cannot be had as it is. */
static int add_user(struct validating *validating, const struct candidate *listed, const char *user,
                    struct failure *failure)
{
    struct candidate tried;
    int error;
    if (is_absent(listed->error)) {
        tried = *listed;
        tried.name = (char *)user;
        return validate_add_candidate(validating, &tried);
    }
    error = try_name(validating, user, listed, &tried, failure);
    if (error < 0)
        return error;
    if (!tried.error || listed->error)
        return validate_add_candidate(validating, &tried);
    error = skips_add(&validating->skips, user, tried.reason, tried.error);
    return error < 0 ? error : validate_add_candidate(validating, listed);
}

static int add_both_ways(struct validating *validating, const struct candidate *listed,
                         const char *user, struct failure *failure)
{
    struct candidate tried;
    int error = validate_add_candidate(validating, listed);
    if (error < 0 || (listed->error && !is_forbidden(listed->error)))
        return error;
    error = try_name(validating, user, listed, &tried, failure);
    if (error < 0 || (listed->error && tried.error)) /* said of the plain name already */
        return error;
    return validate_add_candidate(validating, &tried);
}

static int add_plain(struct validating *validating, const struct candidate *listed,
                     const char *user, struct failure *failure)
{
    struct candidate tried;
    int error = validate_add_candidate(validating, listed);
    if (error < 0 || !is_forbidden(listed->error))
        return error;
    error = try_name(validating, user, listed, &tried, failure);
    return error < 0 || tried.error ? error : validate_add_candidate(validating, &tried);
}

static int add_named(struct validating *validating, const struct candidate *listed,
                     struct failure *failure)
{
    static int (*const adders[])(struct validating *, const struct candidate *, const char *,
                                 struct failure *) = {
        [NAMED_PLAIN] = add_plain, [NAMED_USER] = add_user, [NAMED_BOTH_WAYS] = add_both_ways};
    AUTO_FREE char *user = event_in_user_mode(listed->name);
    if (!user)
        return -ENOMEM;
    if (event_mode(listed->name) || strcmp(listed->kind, "source") == 0)
        return validate_add_candidate(validating, listed);
    return adders[naming_of(listed->kind)](validating, listed, user, failure);
}

/* Everything that matches, in every name that it is judged under. */
static int add_listed(struct validating *validating, const char *glob, const char *except_kind,
                      struct failure *failure)
{
    struct listing listing = {.validating = validating, .except_kind = except_kind};
    int error = session_list_events(validating->session, glob, keep, &listing, failure);
    progress_begin(&listing.progress, "events", listing.count, validating->options->common.quiet);
    for (size_t i = 0; i < listing.count && error == 0; i++) {
        error = add_named(validating, &listing.list[i], failure);
        progress_step(&listing.progress);
    }
    progress_end(&listing.progress);
    candidates_free(listing.list, listing.count);
    return error;
}

/* --- what was asked for --- */

static int add_source(struct validating *validating, const char *name, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    if (catalogue_source(catalogue, name)) {
        AUTO_TEXT struct text glob = {0};
        text_printf(&glob, "%s/*", name);
        return add_listed(validating, text_string(&glob), NULL, failure);
    }
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "source") == 0 && strcmp(absence->name, name) == 0)
            return fail_with(failure, -ENODEV, "the source %s cannot count here: %s", name,
                             absence->reason);
    }
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < catalogue->source_count; i++)
        text_printf(&known, "%s%s", i ? ", " : "", catalogue->sources[i].name);
    return fail_with(failure, -EINVAL, "there is no source '%.60s', only %s", name,
                     text_string(&known));
}

static int add_argument(struct validating *validating, const char *name, struct failure *failure)
{
    struct listed_event event;
    size_t before = validating->candidate_count;
    int error;
    if (strpbrk(name, "*?[")) {
        error = add_listed(validating, name, NULL, failure);
        if (error == 0 && validating->candidate_count == before)
            error = fail_with(failure, -ENODEV, "no event here matches '%.200s'", name);
        return error;
    }
    error = session_try_event(validating->session, name, &event, failure);
    if (error == -EACCES || error == -EPERM) {
        struct candidate refused = {.name = (char *)name,
                                    .kind = (char *)"unknown",
                                    .reason = failure->text,
                                    .error = -error};
        return validate_add_candidate(validating, &refused);
    }
    if (error < 0)
        return error;
    const struct candidate like = said_of(&event);
    return validate_add_candidate(validating, &like);
}

static bool has_path(const struct catalogue *catalogue, const char *start)
{
    for (size_t i = 0; i < catalogue->path_count; i++)
        if (strncmp(catalogue->paths[i].name, start, strlen(start)) == 0)
            return true;
    return false;
}

static int find(struct validating *validating, struct failure *failure)
{
    const struct string_list *sources = &validating->options->source;
    int error = 0;
    for (size_t i = 0; i < sources->count && error == 0; i++)
        error = add_source(validating, sources->items[i], failure);
    for (int i = 0; i < validating->argument_count && error == 0; i++)
        error = add_argument(validating, validating->arguments[i], failure);
    if (error < 0 || sources->count || validating->argument_count)
        return error;
    error = add_listed(validating, NULL, "source", failure);
    if (error == 0 && has_path(validating->catalogue, "papi-"))
        error = add_listed(validating, "PAPI_*", NULL, failure);
    return error;
}

int validate_find_candidates(struct validating *validating)
{
    struct failure failure = {0};
    int error = find(validating, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0])
        return validate_out_of_memory();
    return validate_fail(&failure, deliver_status_of_name(error));
}
