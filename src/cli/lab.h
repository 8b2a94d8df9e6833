/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay lab`: one file for each of its words. */
#pragma once

#include "cli/command.h"

struct lab_options {
    struct common_options common;
    const char *kernel, *cpu, *memory, *pmu, *user_access, *paranoid, *user; /* NULL: not given */
    struct string_list send;
};

/* words: what follows the part's own name. Each returns an exit code. */
int lab_install_command(const struct lab_options *options, int word_count, char **words);
int lab_list_command(const struct lab_options *options, int word_count, char **words);
int lab_run_command(const struct lab_options *options, int word_count, char **words);
