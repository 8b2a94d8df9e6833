/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of a catalogue: what can be read on the machine under test, and what is claimed of it.
 * A plan and a judge go by these words, so those that mean nothing are refused at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/catalogue.h"

#define MOST_CLOCKS 256u

static const char *const kinds[] = {"wall", "cpu-time", "cycles", "place", "stolen", NULL};
/* What a word is made of that is compared with others; clocksources have underscores. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

static const struct {
    const char *key;
    size_t offset;
    enum { ANY_TEXT, A_WORD, A_WORD_OR_NONE, A_KIND } holds;
} texts[] = {
    {"name", offsetof(struct catalogue_clock, name), ANY_TEXT}, /* check_name */
    {"kind", offsetof(struct catalogue_clock, kind), A_KIND},
    {"way", offsetof(struct catalogue_clock, way), A_WORD},
    {"hardware", offsetof(struct catalogue_clock, hardware), A_WORD_OR_NONE},
    {"claim", offsetof(struct catalogue_clock, claim), ANY_TEXT},
    {"note", offsetof(struct catalogue_clock, note), ANY_TEXT},
};

static bool makes_sense(size_t text, const char *value)
{
    if (texts[text].holds == A_KIND)
        return catalogue_is_word(value, kinds);
    if (texts[text].holds == ANY_TEXT)
        return true;
    return !value[strspn(value, letters)] && (*value || texts[text].holds == A_WORD_OR_NONE);
}

static char **text_of(struct catalogue_clock *clock, size_t text)
{
    return (char **)(void *)((char *)clock + texts[text].offset);
}

static int take_texts(struct session *session, struct catalogue_clock *clock,
                      struct failure *failure)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char **text = text_of(clock, i);
        int status = catalogue_take_string(session, texts[i].key, text, failure);
        if (status < 0)
            return status;
        if (!makes_sense(i, *text))
            return peer_lost(session, failure, -EBADMSG,
                             "'%s' of a clock of the probe is '%.40s', which means nothing to this "
                             "assay",
                             texts[i].key, *text);
    }
    return 0;
}

/* A plain name that a cell can hold, and that is not there yet. */
static int check_name(struct session *session, const struct catalogue_clock *clock,
                      struct failure *failure)
{
    struct external_clock parsed;
    struct failure why = {0};
    if (external_clock_parse(clock->name, &parsed, &why) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has a clock '%.64s', which is no name of one", clock->name);
    if (catalogue_clock(&session->catalogue, clock->name) != clock)
        return peer_lost(session, failure, -EBADMSG, "the probe has the clock '%.64s' twice",
                         clock->name);
    return 0;
}

int catalogue_take_clock(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->clock_count >= MOST_CLOCKS)
        return peer_lost(session, failure, -E2BIG, "the probe has more than %u clocks",
                         MOST_CLOCKS);
    struct catalogue_clock *clock =
        catalogue_append((void **)&catalogue->clocks, &catalogue->clock_count, sizeof(*clock));
    if (!clock)
        return catalogue_no_memory(session, failure);
    int status = take_texts(session, clock, failure);
    if (status == 0)
        status = peer_number(session, "hz", UINT64_MAX, &clock->hz, failure);
    if (status == 0)
        status = peer_number(session, "resolution_ps", UINT64_MAX, &clock->resolution_ps, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "slow", &clock->slow, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "steered", &clock->steered, failure);
    return status ? status : check_name(session, clock, failure);
}

const struct catalogue_clock *catalogue_clock(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (catalogue->clocks[i].name && strcmp(catalogue->clocks[i].name, name) == 0)
            return &catalogue->clocks[i];
    return NULL;
}

void catalogue_release_clocks(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        for (size_t text = 0; text < sizeof(texts) / sizeof(*texts); text++)
            free(*text_of(&catalogue->clocks[i], text));
    free(catalogue->clocks);
}
