/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside the events room: one form per way of writing a name. names.c asks each form in turn
 * whether a name is written in it and lets the first that says yes resolve it. And what the forms
 * share with each other. */
#pragma once

#include "events/event.h"

#define EVENT_NAME_MAX 511u /* bytes; what the harness's job can hold */

/* A form: `fits` looks only at how the name is written (and whether its words are known), and
 * `resolve` fills kind, attr and target. attr arrives zeroed with its size set; name is trimmed,
 * printable ASCII and at most EVENT_NAME_MAX long. */
struct event_form {
    bool (*fits)(const struct event_view *view, const char *name);
    int (*resolve)(const struct event_view *view, const char *name, struct event *event,
                   struct failure *failure);
};

extern const struct event_form event_form_uprobe;
extern const struct event_form event_form_breakpoint;
extern const struct event_form event_form_papi;
extern const struct event_form event_form_raw;
extern const struct event_form event_form_source;
extern const struct event_form event_form_pmu;
extern const struct event_form event_form_generic;
extern const struct event_form event_form_alias;
extern const struct event_form event_form_tracepoint;

/* --- names.c --- */

/* Applies "uk", "D" and so on to the attr; whole is the name they stand in, for the message. */
int event_apply_modifiers(const char *modifiers, const char *whole, struct perf_event_attr *attr,
                          struct failure *failure);
/* Could this text be meant as modifiers? Letters of perf's modifier alphabet only, not empty. */
bool event_looks_like_modifiers(const char *text);

/* Letters, digits, '_', '-' and '.', not starting with '.': safe as one component of a path. */
bool event_is_component(const char *text, size_t length);

/* A whole 64-bit number, decimal or 0x hexadecimal; nothing before or after it. */
bool event_parse_number(const char *text, uint64_t *value);

/* --- forms.c: generic names --- */

struct generic_event {
    uint32_t type; /* PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE */
    uint64_t config;
};
/* Finds the first `length` bytes of name among perf's generic names. */
bool generic_find(const char *name, size_t length, struct generic_event *found);
/* Calls each for perf's canonical generic names. */
int generic_each(event_each *each, void *context);

/* --- pmu.c --- */

#define PMU_FOLDER "/sys/bus/event_source/devices"

/* Does the PMU count what the CPU's cores do (as opposed to uncore, software and so on)? */
bool pmu_is_core(const struct event_view *view, const char *pmu);
/* 0 and the number perf_event_open knows the PMU by, or -ENOENT. */
int pmu_type(const struct event_view *view, const char *pmu, uint32_t *type);
/* Is this file of events/ an event, and not the unit or scale of one? */
bool pmu_is_alias(const char *file);

/* A bit field of the attr as sysfs describes it, e.g. "config:0-7,32-35". */
struct pmu_field {
    unsigned word; /* 0: config, 1: config1, 2: config2, 3: config3 */
    uint64_t mask; /* which bits of it, in ascending order */
};
/* -ERANGE when value has more bits than the field, -ENOTSUP when the attr has no such word. */
int pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_event_attr *attr);
/* Reads PMU/format/TERM. */
int pmu_field_find(const struct event_view *view, const char *pmu, const char *term,
                   struct pmu_field *field);

/* --- forms.c: the target of a specimen --- */

#define TARGET_WORD "target" /* stands for an address, or for a file and a function in it */

/* Marks the event as watching the specimen's target; -ENOENT with a sentence where there is none.
 */
int target_take(const struct event_view *view, const char *name, struct event *event,
                struct failure *failure);
/* Calls each for the events named after the target, when there is one. */
int target_each(const struct event_view *view, event_each *each, void *context);

/* --- pmu.c: what all look at --- */

/* Reads a small file below the view's root; trailing white space is cut. Negative errno. */
int view_read_text(const struct event_view *view, char *content, size_t size, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
bool view_exists(const struct event_view *view, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls each_name for the entries of a folder in alphabetical order, hidden ones left out; stops
 * when it returns non-zero and returns that. A folder that cannot be read is an empty one. */
typedef int view_each_name(void *context, const char *name);
int view_each_entry(const struct event_view *view, const char *folder, view_each_name *each_name,
                    void *context);
/* The same below a directory descriptor. */
int view_each_entry_at(int directory, const char *folder, view_each_name *each_name, void *context);

/* --- forms.c: sources --- */
/* Calls each for SOURCE/CLASS/ of every source of the view. */
int source_each(const struct event_view *view, event_each *each, void *context);

/* --- tracepoint.c --- */
/* Those that are there and whose system:name matches; the glob need not have a colon. */
int tracepoint_each(const struct event_view *view, const char *glob, event_each *each,
                    void *context);
/* Those that have a class and are there; where tracefs cannot be read, all that have a class. */
int tracepoint_each_classed(const struct event_view *view, event_each *each, void *context);

/* --- uprobe.c --- */

/* Finds symbol (or the number 0x…, which is an offset already checked against the file) in an open
 * regular file and gives its offset in the file. The file may be anything: whatever does not add up
 * is -EINVAL with a sentence, never a fault. -ENOENT: no such symbol; near then holds the nearest
 * ones. */
int elf_symbol_offset(int file, const char *symbol, uint64_t *offset, struct suggestions *near,
                      struct failure *failure);

/* --- class.c: the tables from names to classes, one for each scheme of naming. An event that is
 * not certainly of a class stands in none of them. --- */

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
