/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process in which a source counts one visit, and which sources there are here. */
#pragma once

#include <sys/types.h>

#include "probe/driver/catalogue.h"
#include "probe/sources/source.h"

/* Every source of the kit with what came of asking whether it is usable. */
struct sources {
    struct event_source *list; /* ends with a NULL name; in order of the registry */
    size_t count;
};

/* A source is usable when it says so and a path that goes with it is offered. */
int sources_collect(struct sources *sources, const struct probe_kit *kit,
                    const struct offers *offers, struct failure *failure);
void sources_free(struct sources *sources);

/* Forks the counting process: a process group of its own, nothing to read, output to the outlets.
 * Returns its id or a negative errno. */
pid_t counting_start(const struct source *source, const struct source_visit *visit,
                     const struct outlets *outlets, struct failure *failure);
