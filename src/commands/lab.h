/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay lab`, one for each of its words. */
#pragma once

#include <stdbool.h>
#include <termios.h>

#include "base/failure.h"
#include "engine/command.h"
#include "engine/via.h"

struct lab_options {
    struct common_options common;
    const char *kernel, *cpu, *memory, *pmu, *user_access, *paranoid, *user; /* NULL: not given */
    struct string_list send;
    bool again, all;
};

/* Options that only some of the parts have. */
enum lab_option { LAB_KERNEL = 1, LAB_MACHINE = 2, LAB_AGAIN = 4, LAB_ALL = 8 };

/* -EINVAL when an option was given that is not among those the part has. */
int lab_options_refuse(const struct lab_options *options, const char *part, unsigned has,
                       struct failure *failure);

/* words: what follows the part's own name. Each returns an exit code. */
int lab_install_command(const struct lab_options *options, int word_count, char **words);
int lab_list_command(const struct lab_options *options, int word_count, char **words);
int lab_run_command(const struct lab_options *options, int word_count, char **words);

/* ----------------------------------------------------------------------------------------------
 * Between the user's standard descriptors and the ports of a machine that runs a command. */

struct lab_relay {
    int errors[2], status[2]; /* pipes: the machine's ports write to [1] */
    struct text news; /* what came on the status port: "started", a number, perhaps "absent" */
    bool raw;         /* the terminal's settings are changed; `terminal` holds them */
    struct termios terminal;
};

/* interactive: keys go to the machine one by one, where the user has a terminal. */
int lab_relay_open(struct lab_relay *relay, bool interactive, struct failure *failure);

/* Relays until the machine has ended. The command's exit status, or negative errno: -EINTR when the
 * user stopped it. When nobody reads the output any more, as by SIGPIPE. The link is closed in any
 * case. */
int lab_relay_run(struct lab_relay *relay, struct via_link *link, struct failure *failure);

/* Did the machine say that it has no such command? */
bool lab_relay_absent(const struct lab_relay *relay);

/* Gives the terminal back. */
void lab_relay_close(struct lab_relay *relay);
