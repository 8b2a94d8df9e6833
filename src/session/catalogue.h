/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the frames of a catalogue become its lists: shared by the files that read them. */
#pragma once

#include "engine/peer.h"

/* Makes room for one more element; the new one is zeroed. NULL when out of memory. */
void *catalogue_append(void **list, size_t *count, size_t size);
int catalogue_no_memory(struct session *session, struct failure *failure);
/* One text of the frame, copied. */
int catalogue_take_string(struct session *session, const char *key, char **copy,
                          struct failure *failure);
int catalogue_take_signed(struct session *session, const char *key, int64_t *value,
                          struct failure *failure);

/* The frame `operation`. */
int catalogue_take_operation(struct session *session, struct failure *failure);
void catalogue_release_operations(struct catalogue *catalogue);
/* The frame `clock`. */
int catalogue_take_clock(struct session *session, struct failure *failure);
void catalogue_release_clocks(struct catalogue *catalogue);
/* The frames `counter` and `subject`. */
int catalogue_take_counter(struct session *session, struct failure *failure);
int catalogue_take_subject(struct session *session, struct failure *failure);
void catalogue_release_commands(struct catalogue *catalogue);

/* A field of a frame that is one of the words, ends with NULL. */
bool catalogue_is_word(const char *word, const char *const *words);
int catalogue_take_flag(struct session *session, const char *key, bool *flag,
                        struct failure *failure);
