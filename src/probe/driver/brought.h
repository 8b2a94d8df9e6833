/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What commands need here: whether it is there, and files that the controller brings: {brought} is
 * their folder, which is gone when the session ends. */
#pragma once

#include <stdbool.h>

#include "wire/command.h"
#include "wire/frame.h"

struct brought {
    char *folder;   /* NULL: nothing was brought */
    uint32_t files; /* that were begun */
    uint64_t bytes; /* that were written, of all of them */
    /* the file that is arriving */
    int fd; /* -1: none */
    char name[BROUGHT_NAME];
    uint64_t size, written;
    bool executable;
    bool refused; /* was said of it: what still comes of it is nobody's business */
};

/* Takes a frame `file`, one piece of one file; answers the last piece, and what cannot be. -EBADMSG
 * with a text: the pieces make no sense. */
int brought_take(struct brought *brought, struct wire_writer *writer,
                 const struct wire_frame *frame, struct failure *failure);
/* Answers `find`: is there such a program, or such a file? name may be NULL. */
int find_answer(struct wire_writer *writer, const char *name);
/* Removes all of it. */
void brought_free(struct brought *brought);
