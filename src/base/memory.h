/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Memory of the controller. Where there is none left, the program says so in one sentence and ends
 * with status 1: by then what was measured is in its store. Nobody checks for NULL, and nobody
 * releases: what was taken belongs to the scope that was open then, a command or a study, and goes
 * with it. Only what is taken again and again within one, or is large, is given back before.
 *
 * Not for libassay, the probe and the store, which tell their callers. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text;

/* Zeroed; never NULL. */
void *memory_new(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
/* What was taken, larger or smaller; NULL is nothing yet. What is added is not zeroed. */
void *memory_resize(void *memory, size_t count, size_t size) __attribute__((alloc_size(2, 3)));
/* A copy of a text; NULL of NULL. */
char *memory_copy(const char *text);
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *memory_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
/* What the text says, which is empty then. */
char *memory_text(struct text *text);
/* Before its scope ends; NULL is none. */
void memory_give_back(void *memory);

/* One more zeroed member behind those of a list, and its address. The room doubles whenever the
 * count is a power of two, so a list that grows by this grows by nothing else. */
#define memory_add(list, count)                                                                    \
    ((list) = memory_room((list), (count), sizeof(*(list))), &(list)[(count)++])
void *memory_room(void *list, size_t count, size_t size);

/* Everything taken from here on, until the scope ends, which scopes do in reverse. */
struct memory_scope {
    struct memory_block *blocks;
    struct memory_scope *outer;
    int status; /* with which the program ends where there is no memory left; 0: 1 */
};
void memory_scope_begin(struct memory_scope *scope);
void memory_scope_ends_with(int status); /* the innermost one */
void memory_scope_end(struct memory_scope *scope);
/* What was taken stays until the scope ends, in whichever order; what comes is of the one around
 * it.
 */
void memory_scope_leave(struct memory_scope *scope);

/* Says that there is no memory left, and ends the program with the status of the innermost scope.
 */
_Noreturn void memory_end(void);
/* malloc of others (free ends what it gives), which is never NULL: for libraries. */
void *memory_malloc(size_t bytes) __attribute__((malloc, alloc_size(1)));

static inline void cleanup_memory(void *pointer)
{
    memory_give_back(*(void **)pointer);
}
#define AUTO_MEMORY __attribute__((cleanup(cleanup_memory)))
