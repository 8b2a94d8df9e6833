/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts: what a machine says of itself, as an ordered list of key and value, with the errno where
 * there is no value. The probe collects them, they travel in hello, the store keeps them, and the
 * doctor judges them; so a recorded machine can be judged again without the machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/failure.h"
#include "base/text.h"

/* Limits, so that a hostile file or probe cannot make us grow without end. */
#define FACTS_MAX       4096u /* facts */
#define FACTS_MAX_KEY   128u  /* bytes of a key: letters, digits, '.', '_' and '-' */
#define FACTS_MAX_VALUE 8192u /* bytes of a value; longer ones are cut */

struct fact {
    char *key;
    char *value; /* NULL when absent */
    int error;   /* positive errno that explains the absence; 0 when value is present */
};

struct facts {
    struct fact *list;
    size_t count;
};

/* Adds or replaces. value may be NULL, then error (a positive errno) says why. -EINVAL for a
 * malformed key, -E2BIG when the list is full, -ENOMEM. */
int facts_set(struct facts *facts, const char *key, const char *value, int error);
int facts_setf(struct facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const struct fact *facts_find(const struct facts *facts, const char *key);
/* The value, or NULL when the key is unknown or has no value. */
const char *facts_get(const struct facts *facts, const char *key);
/* Why there is no value: the positive errno, ENODATA when the key is unknown, 0 when there is one.
 */
int facts_error(const struct facts *facts, const char *key);
/* The value as a number, or `otherwise`. */
long long facts_number(const struct facts *facts, const char *key, long long otherwise);
void facts_free(struct facts *facts);

/* The text form of recorded machines: "key = value" or "key ! ERRNO-NAME" a line, # comments;
 * newlines and backslashes in values escaped as \n and \\. */
int facts_write(const struct facts *facts, FILE *file);
/* Adds the facts of a file to the list. -EBADMSG and the line's number for what is not facts. */
int facts_read(struct facts *facts, FILE *file, struct failure *failure);

static inline void cleanup_facts(struct facts *facts)
{
    facts_free(facts);
}
#define AUTO_FACTS __attribute__((cleanup(cleanup_facts)))

/* ----------------------------------------------------------------------------------------------
 * errno as a word and back, the same on every libc and ISA: numbers differ between machines
 * (ENOSYS is 38 here and 89 there), so recorded facts carry names. */

/* "ENOENT", or "E4711" for one without a name; written into text, which is returned. */
const char *errno_name(int error, char *text, size_t size);
/* The positive errno of a name that errno_name gave, 0 when it is none. */
int errno_from_name(const char *name);

/* Where facts are looked up: this machine, or the recorded tree of another one. Whoever collects
 * facts reads files and asks live questions only through a view, so that every collector can be
 * tested on machines that are not here. */

/* root "" is this machine; tests give the folder of a recorded tree, and then answers that no file
 * can give (does an event open? which hypervisor does CPUID name?) come from the facts file
 * ROOT/live. */
struct machine_view {
    const char *root;
    const struct facts *live; /* NULL: ask the machine */
};

/* Is the machine somewhere else? Then nothing may be asked of the one we run on. */
bool view_recorded(const struct machine_view *view);
/* Points the view at a recorded tree; live receives ROOT/live (an empty list when there is none)
 * and must outlive the view. */
int view_open_recorded(struct machine_view *view, const char *root, struct facts *live,
                       struct failure *failure);

/* Reads the file ROOT/path (path absolute) into the fact `key`, trailing white space cut. */
void view_read(const struct machine_view *view, struct facts *facts, const char *key,
               const char *path);
/* A fact no file can give: from view->live when recorded, else value/error as measured. */
void view_live(const struct machine_view *view, struct facts *facts, const char *key,
               const char *value, int error);

/* The content of ROOT/path, whatever its length (up to 4 MiB). 0 or negative errno. Only regular
 * files are read, so nothing in a tree can make us wait. */
int view_text(const struct machine_view *view, const char *path, struct text *content);

/* Names in the folder ROOT/path that match the shell pattern, cpu2 before cpu10. */
struct view_names {
    char **list;
    size_t count;
};
int view_names(const struct machine_view *view, const char *path, const char *pattern,
               struct view_names *names);
void view_names_free(struct view_names *names);

static inline void cleanup_names(struct view_names *names)
{
    view_names_free(names);
}
#define AUTO_NAMES __attribute__((cleanup(cleanup_names)))

/* Adds value to a list of distinct values joined with commas, unless it is there or empty. */
void distinct_add(struct text *list, const char *value);

/* The distinct contents of FOLDER/<each name matching pattern>/FILE, joined with commas in order of
 * appearance: "powersave" or "performance,powersave". The errno when no such file can be read. */
void view_distinct(const struct machine_view *view, struct facts *facts, const char *key,
                   const char *folder, const char *pattern, const char *file);
