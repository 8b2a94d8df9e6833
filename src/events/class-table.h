/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside the events room: the tables from names to classes, one for each scheme of naming. An event
 * that is not certainly of a class stands in none of them. */
#pragma once

#include <stddef.h>

struct class_row {
    const char *name, *class;
};

struct class_table {
    const char *scheme;
    const struct class_row *rows;
    size_t count;
};

extern const struct class_table class_table_alias; /* aliases in sysfs of x86 PMUs and of msr */
extern const struct class_table class_table_arm; /* Arm's names: in sysfs, in capitals libpfm4's */
extern const struct class_table class_table_intel; /* libpfm4's names of Intel's events */
extern const struct class_table class_table_amd;   /* libpfm4's names of AMD's events */
extern const struct class_table class_table_papi;  /* presets */
extern const struct class_table class_table_tracepoint;

/* The class of the first `length` bytes of name, letter case ignored; NULL when there is none. */
const char *class_table_find(const struct class_table *table, const char *name, size_t length);

/* What perf's generic events (hardware, cache, software) claim; NULL: nothing is known. */
struct perf_event_attr;
const char *class_of_generic(const struct perf_event_attr *attr);
/* Calls each for every class that a generic event can have, some more than once. */
void class_generic_each(void (*each)(void *context, const char *class), void *context);

#define CLASS_TABLE(name, of, table)                                                               \
    const struct class_table name = {of, table, sizeof(table) / sizeof((table)[0])}
