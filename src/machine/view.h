/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where facts are looked up: this machine, or the recorded tree of another one. Whoever collects
 * facts reads files and asks live questions only through a view, so that every collector can be
 * tested on machines that are not here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "machine/facts.h"

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
