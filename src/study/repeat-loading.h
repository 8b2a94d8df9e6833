/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the loading of executions: what its steps share. */
#pragma once

#include "study/repeat.h"

/* Where a cell of the case comes from. */
struct repeat_origin {
    uint32_t cell;     /* its id in the store */
    size_t index;      /* in the case */
    uint32_t counters; /* in the store, columns run/…/ included */
    /* of each column: the event in the case, or what it says of the run */
    struct {
        int event; /* -1: none */
        int says;  /* index of a column run/…/; -1: none */
    } columns[CELL_MAX_COUNTERS];
    size_t room; /* for so many runs */
};

struct repeat_origins {
    struct repeat_origin *list; /* in rising order of their ids */
    size_t count;
};
/* NULL: no command of the case. */
struct repeat_origin *repeat_origin_of(const struct repeat_origins *origins, uint32_t cell);

/* Which column of wire/command.h an event is; -1: none. */
int repeat_says(const char *event);

/* Reads the samples of the store once into the runs of the case; executions that did not end well
 * are left out. */
int repeat_take_runs(struct store *store, struct repeat_case *file, struct repeat_origins *origins,
                     struct failure *failure);
/* Then what the first run of a cell executed, and the system calls of each. */
int repeat_take_functions(struct store *store, struct repeat_case *file,
                          const struct repeat_origins *origins, struct failure *failure);
int repeat_take_calls(struct store *store, struct repeat_case *file,
                      const struct repeat_origins *origins, struct failure *failure);
