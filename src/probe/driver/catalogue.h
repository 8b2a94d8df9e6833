/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this kit can do on this machine: asked of every harness, told to the controller in hello.
 * The lists are offers.c, asking and telling are catalogue.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"
#include "base/text.h"
#include "events/event.h"
#include "probe/driver/workspace.h"
#include "wire/cell.h"

/* The kit this driver belongs to: the folder it lies in, and what the manifest there promises; how
 * it is received, and kept on the machine (docs/protocol.md, "The kit" and "Keeping it"). */

struct kit_harness {
    char *file; /* within the folder */
    char *link; /* "static", "lazy", "bind-now" */
};

struct kit_absence {
    char *kind, *name, *reason;
};

struct probe_kit {
    char *folder;
    char *build;
    struct kit_harness *harnesses;
    size_t harness_count;
    struct kit_absence *absences;
    size_t absence_count;
};

/* Finds the folder of the running executable. */
int kit_folder(char **folder, struct failure *failure);

/* Reads FOLDER/manifest; takes folder over. */
int kit_load(struct probe_kit *kit, char *folder, struct failure *failure);
void kit_free(struct probe_kit *kit);

/* Takes the rest of a kit from a transport that pushes it: reads from input into folder until
 * `end`, byte-exact, because what follows belongs to the session. */
int receive_kit(int input, int output, const char *folder, struct failure *failure);

/* Keeps a received kit, where the next session finds it: moves the complete kit in folder to place,
 * at once or not at all, and removes what is old beside it. A kit that lies there already is
 * exchanged when `replace`, else left alone: another session brought the same in the meantime.
 * Returns whether folder is at place now; the kit can be used either way. */
bool keep_kit(const char *folder, const char *place, bool replace);

/* Marks the kit as in use until this process ends. */
void keep_hold(const char *folder);

/* --- What it can do --- */

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

/* One operation of tours in one harness; the words are those of struct catalogue_operation. */
struct offered_operation {
    char *path, *kind, *instrument, *effect, *when, *page, *note;
    bool binds, alone, needs_folder;
    size_t harness; /* index into the kit's */
};

/* One clock, from the first harness that can read it; the words are those of struct
 * catalogue_clock, but that hardware is "" for the current clocksource. */
struct offered_clock {
    char *name, *kind, *way, *hardware, *claim, *note;
    uint64_t hz, resolution_ps;
    bool slow, steered;
};

struct absence {
    char *kind, *name, *reason;
    int error; /* positive errno, 0 when nobody gave one */
};

/* One of PAPI's presets. */
struct preset {
    char *name, *reason; /* reason: PAPI's own words when error is not 0 */
    int error;           /* positive errno, 0: can be counted */
};

/* Filled from what the harnesses describe. absence: why no PAPI harness described any, or NULL; not
 * owned. */
struct presets {
    struct preset *list;
    size_t count;
    const char *absence;
};

struct offers {
    struct offer *list;
    size_t count;
    struct offered_operation *operations;
    size_t operation_count;
    struct offered_clock *clocks;
    size_t clock_count;
    struct absence *absences;
    size_t absence_count;
    struct presets presets;
};

/* What no harness tells of itself: one more path, one more absence (said once is enough). Strings
 * are copied. -ENOMEM */
int offers_add(struct offers *offers, const char *path, const char *opt, const char *patterns,
               const char *sources, const char *note, size_t harness);
int offers_add_absence(struct offers *offers, const char *kind, const char *name, int error,
                       const char *reason);
/* The absence of that name; NULL: there is none. */
const struct absence *offers_absence(const struct offers *offers, const char *kind,
                                     const char *name);

/* Can it count events of this source? */
bool offer_goes_with(const struct offer *offer, const char *source);

/* The offer that fits the cell; NULL with a sentence saying what would. */
const struct offer *offer_for(const struct offers *offers, const struct probe_kit *kit,
                              const struct cell *cell, struct failure *failure);

/* Operations: one from a harness's line "operation …" (-EBADMSG, -ENOMEM), and all as frames. */
int operations_add(struct offers *offers, char *rest, size_t harness);
void operations_send(struct wire_writer *writer, const struct probe_kit *kit,
                     const struct offers *offers);
/* Is it "PATH.KIND"? */
bool operation_is(const struct offered_operation *operation, const char *name);

/* Clocks: one from a harness's line "clock …" (-EBADMSG, -ENOMEM), all as frames, by name (NULL:
 * none can be read here), and the list given back. */
int clocks_add(struct offers *offers, char *rest);
void clocks_send(struct wire_writer *writer, const struct offers *offers);
const struct offered_clock *clocks_find(const struct offers *offers, const char *name);
void clocks_free(struct offers *offers);

/* PAPI's presets, for listing and trying events: one from a harness's line "preset …". */
int presets_add(struct presets *presets, const char *name, int error, const char *reason);

/* Calls each for those that match the glob, until it returns non-zero. */
int presets_each(const struct presets *presets, const char *glob, event_each *each, void *context);

/* Can the event, of kind EVENT_PAPI, be counted? 0, or the positive errno and the reason. */
int presets_try(const struct presets *presets, const struct event_view *view,
                const struct event *event, char *reason, size_t size);

/* Adds word to a comma-separated list unless it is there. */
void catalogue_add_word(struct text *list, const char *word);

void offers_free(struct offers *offers);

/* --- Finding out, and telling --- */

/* Runs every harness with --describe. A harness that cannot run becomes an absence. */
int offers_collect(struct offers *offers, const struct probe_kit *kit,
                   const struct outlets *outlets, struct failure *failure);

/* Which programs of the kit can be executed here as subjects: adds an absence for each that cannot.
 * -ENOMEM */
int subjects_collect(struct offers *offers, const struct probe_kit *kit,
                     const struct outlets *outlets, struct failure *failure);

/* Asks every counter whether it can count here; those that cannot are absences. -ENOMEM */
int commands_collect(struct offers *offers, const struct probe_kit *kit, struct failure *failure);

struct sources;

/* hello, facts, specimens with their truths, paths, sources, operations, clocks, subjects,
 * absences, ready. */
int catalogue_send(struct wire_writer *writer, const struct probe_kit *kit,
                   const struct offers *offers, const struct sources *sources);
