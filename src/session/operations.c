/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of a catalogue: which calls a tour can make on the machine under test, and when.
 * A plan walks by what is said here, so words that mean nothing to it are refused at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/catalogue.h"
#include "wire/tour.h"

#define MOST_OPERATIONS 512u

static const char *const effects[] = {"starts", "stops", "keeps", NULL};
static const char *const states[] = {"running", "stopped", "any", NULL};
static const char *const pages[] = {"", "cold", "touched", "populated", NULL};

static const struct {
    const char *key;
    size_t offset;
    const char *const *words; /* one of these; NULL: any text */
    bool may_be_empty;
} texts[] = {
    {"path", offsetof(struct catalogue_operation, path), NULL, false},
    {"kind", offsetof(struct catalogue_operation, kind), NULL, false},
    {"instrument", offsetof(struct catalogue_operation, instrument), NULL, false},
    {"effect", offsetof(struct catalogue_operation, effect), effects, false},
    {"when", offsetof(struct catalogue_operation, when), states, false},
    {"links", offsetof(struct catalogue_operation, links), NULL, false},
    {"page", offsetof(struct catalogue_operation, page), pages, true},
    {"note", offsetof(struct catalogue_operation, note), NULL, true},
};

static char **text_of(struct catalogue_operation *operation, size_t text)
{
    return (char **)(void *)((char *)operation + texts[text].offset);
}

bool catalogue_is_word(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static int take_texts(struct session *session, struct catalogue_operation *operation,
                      struct failure *failure)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char **text = text_of(operation, i);
        int status = catalogue_take_string(session, texts[i].key, text, failure);
        if (status < 0)
            return status;
        if ((!**text && !texts[i].may_be_empty) ||
            (texts[i].words && !catalogue_is_word(*text, texts[i].words)))
            return peer_lost(session, failure, -EBADMSG,
                             "'%s' of an operation of the probe is '%.40s', which means nothing to "
                             "this assay",
                             texts[i].key, *text);
    }
    return 0;
}

int catalogue_take_flag(struct session *session, const char *key, bool *flag,
                        struct failure *failure)
{
    uint64_t number;
    int status = peer_number(session, key, 1, &number, failure);
    if (status == 0)
        *flag = number == 1;
    return status;
}

/* A name that a tour can hold, and that is not there yet. */
static int check_name(struct session *session, const struct catalogue_operation *operation,
                      struct failure *failure)
{
    char name[2 * TOUR_NAME];
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count;
    struct failure why = {0};
    snprintf(name, sizeof(name), "%.*s.%.*s", TOUR_NAME - 1, operation->path, TOUR_NAME - 1,
             operation->kind);
    int status = tour_parse(name, &calls, &count, &why);
    if (status == -ENOMEM)
        return catalogue_no_memory(session, failure);
    if (status < 0 || count != 1 || strcmp(calls[0].operation, name) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has an operation '%.64s.%.64s', which is no name of one",
                         operation->path, operation->kind);
    if (catalogue_operation(&session->catalogue, name) != operation)
        return peer_lost(session, failure, -EBADMSG, "the probe has the operation '%s' twice",
                         name);
    return 0;
}

int catalogue_take_operation(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->operation_count >= MOST_OPERATIONS)
        return peer_lost(session, failure, -E2BIG, "the probe has more than %u operations",
                         MOST_OPERATIONS);
    struct catalogue_operation *operation = catalogue_append(
        (void **)&catalogue->operations, &catalogue->operation_count, sizeof(*operation));
    if (!operation)
        return catalogue_no_memory(session, failure);
    int status = take_texts(session, operation, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "binds", &operation->binds, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "alone", &operation->alone, failure);
    return status ? status : check_name(session, operation, failure);
}

const struct catalogue_operation *catalogue_operation(const struct catalogue *catalogue,
                                                      const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return NULL;
    const size_t path = (size_t)(dot - name);
    const size_t kind = strcspn(dot + 1, "*");
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *known = &catalogue->operations[i];
        if (known->path && known->kind && strlen(known->path) == path &&
            strlen(known->kind) == kind && memcmp(known->path, name, path) == 0 &&
            memcmp(known->kind, dot + 1, kind) == 0)
            return known;
    }
    return NULL;
}

void catalogue_release_operations(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->operation_count; i++)
        for (size_t text = 0; text < sizeof(texts) / sizeof(*texts); text++)
            free(*text_of(&catalogue->operations[i], text));
    free(catalogue->operations);
}
