/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command that a person wrote behind `--`, as a cell needs it: its words as one line, a name,
 * its input and directory as the machine under test finds them, and files that are brought there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/command.h"
#include "engine/session.h"
#include "output/field.h"
#include "store/store.h"

/* Its words as one line that words_split takes apart again; -EINVAL, -E2BIG say what is wrong. */
int command_line_join(const char *const *words, size_t count, char **line, struct failure *failure);
/* What people call it: the last part of the program's path, without what would spoil a table. */
char *command_line_name(const char *program);

/* The options that say how it is executed: the same words in every command that takes one. */
#define OPTION_ROW_KEEP(offset)                                                                    \
    {                                                                                              \
        0, "keep", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "VARIABLE",                      \
            "variables that stay in its environment where that is controlled, such as "            \
            "LD_LIBRARY_PATH",                                                                     \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_INPUT(offset)                                                                   \
    {                                                                                              \
        'i', "input", OPTION_STRING | OPTION_MEASURES | OPTION_BEGINS, "FILE",                     \
            "its standard input, which is empty unless given; a file of this machine is brought "  \
            "to another one",                                                                      \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_DIRECTORY(offset)                                                               \
    {                                                                                              \
        0, "directory", OPTION_STRING | OPTION_MEASURES | OPTION_BEGINS, "DIR",                    \
            "where it works when its directory is controlled; otherwise where assay was started",  \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_BRING(offset)                                                                   \
    {                                                                                              \
        0, "bring", OPTION_FILES | OPTION_MEASURES | OPTION_BEGINS, "FILE",                        \
            "put FILE on the machine under test while this runs, where its path is "               \
            "{brought}/NAME; may be repeated",                                                     \
            (offset), NULL                                                                         \
    }
#define OPTION_ROW_CPU(when, offset)                                                               \
    {                                                                                              \
        0, "cpu", OPTION_OPTIONAL | (when), "CPU",                                                 \
            "the CPU that it stays on where that is controlled; the last one that may be used "    \
            "unless given",                                                                        \
            (offset), NULL                                                                         \
    }

/* The variables of --keep with commas between them; NULL where there are none. */
char *command_line_keep(const struct string_list *variables);
/* The CPU of --cpu, else the last that may be used; -1: the machine does not tell. */
int command_line_cpu(const struct facts *facts, const struct optional *asked, int32_t *cpu,
                     struct failure *failure);

/* Puts these files into the folder of brought files. */
int command_line_bring(struct session *session, const struct string_list *files,
                       struct failure *failure);
/* A file of this machine is found wherever the program works; another machine gets it. What names a
 * place of that machine ({brought}, {kit}) stays. path NULL: *found is NULL. */
int command_line_input(struct session *session, const char *via, const char *path, char **found,
                       struct failure *failure);
/* Where a command that is shown writes: on this machine to our own descriptors, standard output in
 * the place of which `aside` takes standard error. */
enum command_lent command_line_lent(const char *via, bool aside);
/* A directory of this machine, as a whole path; of another as it was given. */
int command_line_directory(const char *via, const char *path, char **found,
                           struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * What became of a command's cell: whether it was counted, why not, and how the command ended as
 * JSON. For commands that execute one (truth, stat). */

struct command_outcome {
    uint32_t cell; /* which one is asked about */
    bool done;     /* at least one execution was counted */
    int error;
    char *reason; /* NULL: none */
    char *remark; /* why counts are not those of the program's own path; NULL: they are */
};

int command_outcome_find(struct store *store, struct command_outcome *outcome,
                         struct failure *failure);

/* Why nobody knows how much it wrote. */
#define COMMAND_OUTPUT_LENT "it wrote to assay's own standard output and error, unread by assay"

/* Exit status, signal, and whether its time was over: one of the first two exists. Of a uint64_t, a
 * status of wire/command.h. */
extern const struct fields command_ending_table;

/* ----------------------------------------------------------------------------------------------
 * The exit code of commands that run another one (repeat, truth, stat): that of the command, as
 * timeout(1) passes it on. */

enum {
    EXIT_TIMED_OUT = 124,
    EXIT_OURS = 125,    /* assay itself failed */
    EXIT_NOT_RUN = 126, /* it was found, but cannot be executed */
    EXIT_NOT_FOUND = 127,
    EXIT_BY_SIGNAL = 128, /* + the signal */
};

/* From a status of wire/command.h. */
int command_exit(uint64_t status);
/* From the error of a visit that failed: -ENOENT, -EACCES, … */
int command_exit_of_error(int error);
/* "ended with status 3", "was killed by SIGSEGV", "did not end within 10 s, and was killed by
 * SIGKILL" */
void command_ending(uint64_t status, uint64_t timeout_ms, char *words, size_t size);
