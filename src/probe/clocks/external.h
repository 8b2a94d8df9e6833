/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that a person brings along (wire/watch.h): a function of a shared object, a program that
 * is asked, a program that is run for each reading. */
#pragma once

#include "probe/clocks/clock.h"
#include "wire/watch.h"

/* clock_open for what the registry does not have. */
int external_open(struct clock_reader *reader, const char *text, bool objects, char *claim,
                  char *reason, size_t size);

/* An opened one: reader->own. */
struct external {
    struct clock clock; /* as its kind has it, with the person's name */
    char name[CLOCK_NAME];
    const struct external_kind *kind;
    void *state; /* its kind's */
};

struct external_kind {
    struct clock like; /* kind, way, slow, read, fill */
    /* what: FILE:SYMBOL or COMMAND. Sets external->state, also where it fails. */
    int (*open)(struct external *external, const char *what, char *reason, size_t size);
    void (*close)(void *state); /* NULL never; state may be */
    bool may_kill;              /* a reading runs in this process: the first one is tried */
};
/* Only in programs that load shared objects. */
extern const struct external_kind external_object __attribute__((weak));

static inline void *external_state(const struct clock_reader *reader)
{
    return ((struct external *)reader->own)->state;
}

/* Nobody knows what it is made of. */
#define EXTERNAL_HARDWARE "external"

/* ----------------------------------------------------------------------------------------------
 * Something that may kill whoever does it is done by a child first: reading a counter that is
 * forbidden, a shared object of somebody else. The process itself, its threads and its handlers of
 * signals never notice. */

#define TRIAL_SECONDS 5u

/* attempt returns 0 or a positive errno below 256. Returns the same, or minus the signal that ended
 * the child (SIGALRM: it took longer than TRIAL_SECONDS). Where no child can be had, the errno of
 * that. */
int trial(int (*attempt)(void *context), void *context);

/* "SIGSEGV" … */
const char *trial_signal_name(int number);
