/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this kit can do on this machine: asked of every harness, told to the controller in hello. */
#pragma once

#include <stdbool.h>

#include "probe/driver/child.h"
#include "probe/driver/kit.h"
#include "probe/driver/presets.h"
#include "wire/cell.h"

/* One path at one level in one harness. */
struct offer {
    char *path;
    char *opt;
    char *patterns; /* "ar,ao" */
    char *sources;  /* "perf_event,step": whose events it can count */
    char *note;
    bool needs_folder;
    size_t harness; /* index into the kit's */
};

struct absence {
    char *kind, *name, *reason;
    int error; /* positive errno, 0 when nobody gave one */
};

struct offers {
    struct offer *list;
    size_t count;
    struct absence *absences;
    size_t absence_count;
    struct presets presets;
};

/* Runs every harness with --describe. A harness that cannot run becomes an absence. */
int offers_collect(struct offers *offers, const struct probe_kit *kit,
                   const struct outlets *outlets, struct failure *failure);
void offers_free(struct offers *offers);

/* What no harness tells of itself: one more path, one more absence (said once is enough). Strings
 * are copied. -ENOMEM */
int offers_add(struct offers *offers, const char *path, const char *opt, const char *patterns,
               const char *sources, const char *note, size_t harness);
int offers_add_absence(struct offers *offers, const char *kind, const char *name, int error,
                       const char *reason);

/* Can it count events of this source? */
bool offer_goes_with(const struct offer *offer, const char *source);

/* The offer that fits the cell; NULL with a sentence saying what would. */
const struct offer *offer_for(const struct offers *offers, const struct probe_kit *kit,
                              const struct cell *cell, struct failure *failure);

struct sources;

/* hello, facts, specimens with their truths, paths, sources, absences, ready. */
int catalogue_send(struct wire_writer *writer, const struct probe_kit *kit,
                   const struct offers *offers, const struct sources *sources);
