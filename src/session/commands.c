/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a catalogue says of commands: who can count them on the machine under test, and which
 * programs of the kit there are to try. Plans and judges go by these words, so those that mean
 * nothing are refused at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/catalogue.h"

#define MOST_COUNTERS 32u
#define MOST_SUBJECTS 256u
#define NAME_BYTES    64u

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

/* What names a source, a class, a subject: may be compared, and stands in cells. */
static bool is_name(const char *text, size_t length)
{
    return length >= 1 && length < NAME_BYTES && strspn(text, letters) >= length;
}

/* Names with commas between them, or none at all. */
static bool are_names(const char *list)
{
    for (const char *at = list; *list; at++) {
        const size_t length = strcspn(at, ",");
        if (!is_name(at, length))
            return false;
        at += length;
        if (!*at)
            return true;
    }
    return true;
}

static bool are_details(const char *list)
{
    for (const char *at = list; *list; at++) {
        const size_t length = strcspn(at, ",");
        int known = DETAIL_NONE;
        for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
            if (strlen(command_detail_names[detail]) == length &&
                memcmp(command_detail_names[detail], at, length) == 0)
                known = detail;
        if (known == DETAIL_NONE)
            return false;
        at += length;
        if (!*at)
            return true;
    }
    return true;
}

static int meaningless(struct session *session, const char *what, const char *key,
                       const char *value, struct failure *failure)
{
    return peer_lost(session, failure, -EBADMSG,
                     "'%s' of a %s of the probe is '%.40s', which means nothing to this assay", key,
                     what, value);
}

int catalogue_take_counter(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->counter_count >= MOST_COUNTERS)
        return peer_lost(session, failure, -E2BIG,
                         "the probe has more than %u ways to count commands", MOST_COUNTERS);
    struct catalogue_counter *counter = catalogue_append(
        (void **)&catalogue->counters, &catalogue->counter_count, sizeof(*counter));
    int status;
    if (!counter)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "source", &counter->source, failure)) < 0 ||
        (status = catalogue_take_string(session, "classes", &counter->classes, failure)) < 0 ||
        (status = catalogue_take_string(session, "details", &counter->details, failure)) < 0 ||
        (status = catalogue_take_string(session, "note", &counter->note, failure)) < 0)
        return status;
    if (!is_name(counter->source, strlen(counter->source)))
        return meaningless(session, "counter", "source", counter->source, failure);
    if (!are_names(counter->classes))
        return meaningless(session, "counter", "classes", counter->classes, failure);
    if (!are_details(counter->details))
        return meaningless(session, "counter", "details", counter->details, failure);
    if (catalogue_counter(catalogue, counter->source) != counter)
        return peer_lost(session, failure, -EBADMSG, "the probe counts commands by '%.64s' twice",
                         counter->source);
    return 0;
}

const struct catalogue_counter *catalogue_counter(const struct catalogue *catalogue,
                                                  const char *source)
{
    for (size_t i = 0; i < catalogue->counter_count; i++)
        if (catalogue->counters[i].source && strcmp(catalogue->counters[i].source, source) == 0)
            return &catalogue->counters[i];
    return NULL;
}

static int take_truth(struct session *session, struct catalogue_subject *subject,
                      struct failure *failure)
{
    int status = catalogue_take_flag(session, "truth", &subject->has_truth, failure);
    if (status == 0)
        status = catalogue_take_signed(session, "base", &subject->base, failure);
    if (status == 0)
        status = catalogue_take_signed(session, "each", &subject->each, failure);
    return status;
}

/* Ids of findings with spaces between them, or none. */
static bool are_findings(const char *list)
{
    return !list[strspn(list, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")];
}

int catalogue_take_subject(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->subject_count >= MOST_SUBJECTS)
        return peer_lost(session, failure, -E2BIG, "the probe has more than %u subjects",
                         MOST_SUBJECTS);
    struct catalogue_subject *subject = catalogue_append(
        (void **)&catalogue->subjects, &catalogue->subject_count, sizeof(*subject));
    uint64_t bits;
    int status;
    if (!subject)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "name", &subject->name, failure)) < 0 ||
        (status = catalogue_take_string(session, "summary", &subject->summary, failure)) < 0 ||
        (status = catalogue_take_string(session, "shows", &subject->shows, failure)) < 0 ||
        (status = peer_number(session, "n", UINT64_MAX, &subject->n, failure)) < 0 ||
        (status = take_truth(session, subject, failure)) < 0 ||
        (status = peer_number(session, "bits", 64, &bits, failure)) < 0 ||
        (status = catalogue_take_flag(session, "libc", &subject->libc, failure)) < 0)
        return status;
    subject->bits = (int)bits;
    if (!is_name(subject->name, strlen(subject->name)))
        return meaningless(session, "subject", "name", subject->name, failure);
    if (!are_findings(subject->shows))
        return meaningless(session, "subject", "shows", subject->shows, failure);
    if (bits != 32 && bits != 64)
        return meaningless(session, "subject", "bits", bits ? "neither 32 nor 64" : "0", failure);
    if (catalogue_subject(catalogue, subject->name) != subject)
        return peer_lost(session, failure, -EBADMSG, "the probe has the subject '%.64s' twice",
                         subject->name);
    return 0;
}

const struct catalogue_subject *catalogue_subject(const struct catalogue *catalogue,
                                                  const char *name)
{
    for (size_t i = 0; i < catalogue->subject_count; i++)
        if (catalogue->subjects[i].name && strcmp(catalogue->subjects[i].name, name) == 0)
            return &catalogue->subjects[i];
    return NULL;
}

void catalogue_release_commands(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->counter_count; i++) {
        free(catalogue->counters[i].source);
        free(catalogue->counters[i].classes);
        free(catalogue->counters[i].details);
        free(catalogue->counters[i].note);
    }
    for (size_t i = 0; i < catalogue->subject_count; i++) {
        free(catalogue->subjects[i].name);
        free(catalogue->subjects[i].summary);
        free(catalogue->subjects[i].shows);
    }
    free(catalogue->counters);
    free(catalogue->subjects);
}
