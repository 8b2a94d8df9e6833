/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events that a study tried on the machine, with the reason of each that cannot be opened; they go
 * into its store, and come back from it when the run is gone on with. */
#pragma once

#include "engine/session.h"
#include "store/store.h"

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

/* All return 0 or a negative errno. */

/* Copies it, unless one of that name is there. -ENOMEM. */
int tried_add(struct tried_events *tried, const struct tried_event *like);
/* Asks the machine. named: by a person, who has to hear of a wrong name; others are kept with the
 * reason. */
int tried_try(struct tried_events *tried, struct session *session, const char *name, bool named,
              struct failure *failure);
/* NULL: it was not tried. */
const struct tried_event *tried_find(const struct tried_events *tried, const char *name);
/* Was it tried, and does it open? */
bool tried_opens(const struct tried_events *tried, const char *name);
void tried_drop_last(struct tried_events *tried);
void tried_free(struct tried_events *tried);

int tried_put(const struct tried_events *tried, struct store *store, struct failure *failure);
int tried_recall(struct tried_events *tried, struct store *store, struct failure *failure);
