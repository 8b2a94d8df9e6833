/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A specimen whose instructions this ISA does not have: it keeps its name, so that who asks for it
 * is told why it is not there. */
#pragma once

#include <errno.h>

#include "specimens/specimen.h"

/* specimen_`symbol`, called `its_name` in front of the reason, a sentence without a full stop. */
#define SPECIMEN_ABSENT(symbol, its_name, its_summary, its_stresses, reason)                       \
    static int symbol##_is_absent(struct failure *failure)                                         \
    {                                                                                              \
        return fail_with(failure, -EOPNOTSUPP, "%s", reason);                                      \
    }                                                                                              \
    static const struct truth symbol##_truths[] = {{.class = NULL}};                               \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (its_name),                                                                        \
        .summary = (its_summary),                                                                  \
        .stresses = (its_stresses),                                                                \
        .form = SPECIMEN_NULL,                                                                     \
        .truth = symbol##_truths,                                                                  \
        .available = symbol##_is_absent,                                                           \
    }
