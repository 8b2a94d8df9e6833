/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was asked for and is not in the results, each with its reason. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "engine/command.h"
#include "engine/session.h"
#include "output/table.h"
#include "store/store.h"

struct skip {
    char *what, *reason;
    int error;         /* positive errno, 0 when none is involved */
    bool for_programs; /* people are told it otherwise */
};

/* Length of the first sentence of a reason that the probe sent, "what. What to do.": the one place
 * where such a text is parted. */
int reason_first_sentence(const char *reason);

struct skips {
    struct skip *list;
    size_t count;
};

/* Copies both; one that is already listed is not listed again. */
void skips_add(struct skips *skips, const char *what, const char *reason, int error);
json_t *skips_json(const struct skips *skips);
/* A paragraph each, under "Left out:"; nothing when there is none. */
void skips_put(const struct skips *skips, const struct style *style, struct text *out);

/* --- Names that share a reason for being left out: hundreds of cells fail for a few of them --- */

struct skip_group {
    const char *reason;
    int error;
    size_t cells; /* 0: these are no cells */
    struct string_list names;
};
struct skip_groups {
    struct skip_group *list;
    size_t count;
    bool for_programs; /* people are told it otherwise */
};

/* The name joins those with the same reason, once; cell: it counts as one more cell. The reason is
 * not copied. */
void skip_groups_add(struct skip_groups *groups, const char *name, const char *reason, int error,
                     bool cell);
/* A row of skips each, and forgets the groups. */
void skip_groups_close(struct skip_groups *groups, struct skips *skips);

/* --- What the catalogue says the machine lacks, as far as a study misses it --- */

typedef bool absence_is_missed(const struct catalogue_absence *absence);
/* What is lacking for the same reason becomes one row. */
void absences_skip(const struct catalogue *catalogue, absence_is_missed *is_missed,
                   struct skips *skips);
/* Stores those of a kind beside the events that cannot be opened. */
int absences_put(const struct catalogue *catalogue, const char *kind, struct store *store,
                 struct failure *failure);
/* NULL: it is not among the absences. */
const struct catalogue_absence *absences_find(const struct catalogue *catalogue, const char *kind,
                                              const char *name);

/* --- What a study left out, for people: each reason once, with all that it keeps out --- */

struct omission {
    const char *what, *reason;
};

/* A list that takes what the plan skipped first, then what else is missing. Start from zeros. */
struct omissions {
    struct omission *list;
    size_t count;
    bool brief; /* of each reason the first sentence */
};
void omissions_add_skips(struct omissions *omissions, const struct skips *skips);
/* Unless its reason was said before, by those added up to `known`. */
void omissions_add(struct omissions *omissions, size_t known, const char *what, const char *reason);
bool omissions_have(const struct omissions *omissions, const char *reason);
/* "3 processes of 2 cells failed, the first: why". Nothing where no cells did. */
void failed_put(size_t processes, size_t cells, const char *what, const char *reason,
                const struct style *style, struct text *out);
/* "instructions:u, cycles:u and 4 more: why"; all: every name. */
void omissions_put(const struct omissions *omissions, bool all, const struct style *style,
                   struct text *out);

/* ----------------------------------------------------------------------------------------------
 * Events that a study tried on the machine, with the reason of each that cannot be opened; they go
 * into its store, and come back from it when the run is gone on with. */

struct tried_event {
    char *name, *kind;
    char *class;  /* NULL: none known */
    char *reason; /* why it cannot be opened; "" */
    int error;    /* errno of opening it; 0: it opens */
};
struct tried_events {
    struct tried_event *list;
    size_t count;
};

/* Copies it, unless one of that name is there. */
void tried_add(struct tried_events *tried, const struct tried_event *like);
/* Asks the machine; 0 or a negative errno. named: by a person, who has to hear of a wrong name;
 * others are kept with the reason. */
int tried_try(struct tried_events *tried, struct session *session, const char *name, bool named,
              struct failure *failure);
/* NULL: it was not tried. */
const struct tried_event *tried_find(const struct tried_events *tried, const char *name);
/* Was it tried, and does it open? */
bool tried_opens(const struct tried_events *tried, const char *name);
void tried_drop_last(struct tried_events *tried);

int tried_put(const struct tried_events *tried, struct store *store, struct failure *failure);
int tried_recall(struct tried_events *tried, struct store *store, struct failure *failure);
