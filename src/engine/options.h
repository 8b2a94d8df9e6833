/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the words of a command line to a command's options struct, by the command's table. */
#pragma once

#include <stddef.h>

#include "base/failure.h"
#include "engine/command.h"

/* The command's own options, then the common ones it has; NULL: no more. */
const struct option_spec *option_at(const struct command *command, size_t index);

/* Fills `options` (options_size bytes) with defaults and what argv says; argv[0] is the command's
 * name. *first is the index of the first argument that is no option (getopt moves options to the
 * front). -EINVAL: the text says what is wrong and names the nearest option. */
int options_parse(const struct command *command, int argc, char **argv, void *options, int *first,
                  struct failure *failure);
/* Is the value other than without the option? */
bool option_is_given(const struct option_spec *spec, const void *options);
/* The value alone, not what it points to. */
void option_copy(const struct option_spec *spec, const void *from, void *to);

/* Is it from 1 to `most`, where it was given? -EINVAL says so. */
int options_check_number(const char *name, const struct optional *number, uint64_t most,
                         struct failure *failure);

/* The forms a value may have; -EINVAL or -ERANGE when it has none of them. */
int value_u64(const char *text, uint64_t *value);
int value_duration(const char *text, uint64_t *milliseconds);

/* One item as it is; -EINVAL for an empty one. */
int string_list_push(struct string_list *list, const char *item, size_t length);
/* Splits at commas, but not within the slashes of pmu/term=1,other=2/; -EINVAL for an empty item.
 */
int string_list_add(struct string_list *list, const char *text);

/* --- The nearest known word to one a person mistyped --- */

/* Edit distance: insertions, deletions, substitutions and swaps of neighbours count one each. */
size_t edit_distance(const char *left, const char *right);

/* Offer candidates one by one; `best` ends as the nearest, or NULL when none is close enough to be
 * what was meant (within a third of the word's length, at least two edits). */
struct nearest {
    const char *word;
    const char *best;
    size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *candidate);

/* --- What signals do to the controller --- */

/* SIGINT, SIGTERM and SIGHUP count up `interrupted`; SIGPIPE becomes an error of the write. */
void signals_install(void);

/* What the first of them answers on standard error while something must end before the program
 * does; NULL: nothing. words must outlive the wait. */
void signals_answer(const char *words);

/* The exit status by which a shell knows the signal that came first: 130 for SIGINT, 143 for
 * SIGTERM. */
int signals_status(void);
