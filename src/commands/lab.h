/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay lab`, one for each of its words. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "engine/command.h"

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

/* words: what follows the part's own name. Returns an exit code. */
int lab_run_command(const struct lab_options *options, int word_count, char **words);
