/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a doctor check is. `collect` runs on the machine under test (probe) and only gathers facts;
 * `judge` is pure and runs wherever the facts are (controller, tests, reports). One file each in
 * src/machine/checks, registered by one line in the build list there. */
#pragma once

#include "machine/facts.h"
#include "machine/view.h"

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

const struct check *check_find(const char *name);

/* Judges one check. Use this rather than check->judge: whatever bytes the facts held, the advice
 * is printable text. */
void check_judge(const struct check *check, const struct facts *facts, struct advice *advice);

/* What judges are written with. */
void advise(struct advice *advice, enum check_status status, const char *value, ...)
    __attribute__((format(printf, 3, 4)));
void advise_why(struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void advise_fix(struct advice *advice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* CPU, kernel, hypervisor and so on: the description every result carries. */
void machine_describe(const struct machine_view *view, struct facts *facts);
/* machine_describe and every check's collect. */
void machine_collect(const struct machine_view *view, struct facts *facts);

/* "AMD EPYC (x86_64), 2 CPUs, 23.5 GiB; Linux 6.18.44, Debian 12; guest of KVM", appended to line
 * as the facts have it: show it cleaned. */
void machine_sentence(const struct facts *facts, struct text *line);

/* 16 hexadecimal digits over CPU, microcode, kernel, hypervisor and ISA: what a validation depends
 * on. Two machines, or one before and after an update, differ in it. */
void machine_fingerprint(const struct facts *facts, char fingerprint[17]);

/* Which of the fields behind the fingerprint differ, as "kernel 6.1.0 -> 6.1.2, microcode 0x1 ->
 * 0x2" in text; returns how many. For saying why a validation is stale. */
size_t machine_difference(const struct facts *then, const struct facts *now, char *text,
                          size_t size);
