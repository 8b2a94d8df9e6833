/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a job's events to PAPI: native names, domain, event set. */
#pragma once

#include <papi.h>

#include "probe/harness/path.h"

#define PAPI_NOTE                                                                                  \
    "on a software event PAPI runs another code path than on a hardware one; times are the clock " \
    "around the window, not the counter's"

#define PAPI_NAME (JOB_NAME + 64) /* of an event, as PAPI writes it */

/* Initialises the library; says in words why it cannot work here. */
int papi_usable(char *reason, size_t size);
/* The same for the high-level interface, whose regions also take the time. */
int papi_high_usable(char *reason, size_t size);

/* The native name PAPI gives to event `index`; -ENOTSUP when it has none. */
int papi_native_name(struct job *job, uint32_t index, char *name, size_t size);

/* An event set with all events of the job, in their order and domain; the domain becomes the
 * library's default. -ENOTSUP when the events' modes differ: a set has one. */
int papi_build_set(struct job *job, int *event_set);

/* The same for that many counters of one event, named below. */
int papi_build_copies(struct job *job, const struct job_event *event, uint32_t copies,
                      int *event_set);
/* PAPI takes every name once: each copy of an event is spelled in another way, with its mode, which
 * so needs no domain. A preset has one name, without. */
int papi_copy_name(struct job *job, const struct job_event *event, uint32_t copy, char *name,
                   size_t size);
void papi_destroy_set(int *event_set);

/* Negative errno nearest to a PAPI error. */
int papi_errno(int status);

/* What stands around the windows of the two PAPI paths. */

/* The name every measured region of the high-level interface has. */
#define PAPI_REGION "window"

extern const struct path_operations papi_low_operations;
extern const struct path_operations papi_high_operations;

/* Tells the high-level interface, which takes both from the environment, what to count (names with
 * commas), and to write into the job's folder. */
int papi_regions_of(struct job *job, const char *names);
/* So much memory is there, and stays with this process, when the interface asks for it. */
void papi_reserve(size_t bytes);
