/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A probe that measures nothing and, on demand, misbehaves: what its parts share, and what each of
 * them answers. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/cell.h"

enum { MAX_CELLS = 4096, MAX_VISITS = 200000 };

struct fake {
    const char *mode;
    struct wire_writer writer;
    struct wire_reader reader;
    struct cell cells[MAX_CELLS];
    size_t cell_count;
    struct {
        uint32_t cell, process;
    } visits[MAX_VISITS];
    size_t visit_count;
    size_t next;    /* visit */
    size_t batches; /* sent so far */
};

static inline bool is(const struct fake *fake, const char *mode)
{
    return strcmp(fake->mode, mode) == 0;
}

static inline void send_end(struct fake *fake)
{
    if (wire_end(&fake->writer) < 0 || wire_flush(&fake->writer) < 0)
        exit(9);
}

static inline void send_word(struct fake *fake, const char *type)
{
    wire_begin(&fake->writer, type);
    send_end(fake);
}

static inline void print(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        exit(9);
}

static inline void __attribute__((noreturn)) sleep_for_ever(void)
{
    for (;;)
        pause();
}

static inline void send_fields(struct fake *fake, const char *type, const char *const (*fields)[2])
{
    wire_begin(&fake->writer, type);
    for (; (*fields)[0]; fields++)
        wire_put_string(&fake->writer, (*fields)[0], (*fields)[1]);
    send_end(fake);
}

#define SEND(fake, type, ...)                                                                      \
    send_fields(fake, type, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

/* The fields of a good frame that was begun, but for the one that the mode names: "TYPE:KEY=VALUE",
 * or without a value for a field that is missing. */
static inline void put_altered(struct fake *fake, const char *type, const char *const (*fields)[2])
{
    const size_t skip = strlen(type);
    const bool meant = strncmp(fake->mode, type, skip) == 0 && fake->mode[skip] == ':';
    const char *altered = meant ? fake->mode + skip + 1 : "";
    const size_t length = strcspn(altered, "=");
    for (; (*fields)[0]; fields++) {
        if (!meant || strlen((*fields)[0]) != length || strncmp((*fields)[0], altered, length) != 0)
            wire_put_string(&fake->writer, (*fields)[0], (*fields)[1]);
        else if (altered[length])
            wire_put_string(&fake->writer, (*fields)[0], altered + length + 1);
    }
    send_end(fake);
}

static inline void send_altered(struct fake *fake, const char *type, const char *const (*fields)[2])
{
    wire_begin(&fake->writer, type);
    put_altered(fake, type, fields);
}

/* fake-catalogue.c: after the greeting. */
void send_catalogue(struct fake *fake);
/* fake-visits.c: what it is told to visit, and the visits. */
void take_visits(struct fake *fake, const char *list);
void run_queue(struct fake *fake);
/* fake-answers.c */
void answer_list(struct fake *fake);
void answer_try(struct fake *fake, const char *name);
void answer_code(struct fake *fake, const char *specimen);
void answer_look(struct fake *fake, const char *clocks);
void answer_file(struct fake *fake, const struct wire_frame *frame);
void answer_find(struct fake *fake, const char *name);
