/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a doctor check is. `collect` runs on the machine under test (probe) and only gathers facts;
 * `judge` is pure and runs wherever the facts are (controller, tests, reports). One file each in
 * src/machine/checks, registered by one line in the build list there. */
#pragma once

#include "machine/facts.h"

/* Where collect looks. root "" is this machine; tests give the folder of a recorded tree, and then
 * answers that no file can give (does an event open? which hypervisor does CPUID name?) come from
 * the facts file ROOT/live. */
struct machine_view {
    const char *root;
    const struct facts *live; /* NULL: ask the machine */
};

enum check_status { CHECK_OK, CHECK_WARN, CHECK_BAD, CHECK_ABSENT };
extern const char *const check_status_names[]; /* ok warn bad absent */

struct advice {
    enum check_status status;
    char value[256]; /* what was found, short */
    char why[768];   /* why it matters for the accuracy of counts */
    char fix[512];   /* the command that changes it, or ""; may be several lines */
};

struct check {
    const char *name;  /* "paranoid": file, option and JSON name */
    const char *title; /* "perf_event_paranoid" */
    void (*collect)(const struct machine_view *view, struct facts *facts);
    void (*judge)(const struct facts *facts, struct advice *advice);
};

/* Generated from the build list; ends with NULL. */
extern const struct check *const check_registry[];

/* Reads the file ROOT/path (path absolute) into the fact `key`, trailing white space cut. */
void view_read(const struct machine_view *view, struct facts *facts, const char *key,
               const char *path);
/* A fact no file can give: from view->live when recorded, else value/error as measured. */
void view_live(const struct machine_view *view, struct facts *facts, const char *key,
               const char *value, int error);

/* CPU, kernel, hypervisor and so on: the description every result carries. */
void machine_describe(const struct machine_view *view, struct facts *facts);
/* machine_describe and every check's collect. */
void machine_collect(const struct machine_view *view, struct facts *facts);

/* 16 hexadecimal digits over CPU, microcode, kernel, hypervisor and ISA: what a validation depends
 * on. Two machines, or one before and after an update, differ in it. */
void machine_fingerprint(const struct facts *facts, char fingerprint[17]);
