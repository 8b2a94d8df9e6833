/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a process gets for the system calls that came to the liar. */
#pragma once

#include <linux/seccomp.h>

#include "events.h"

struct liar {
    int listener;
    bool emulate;
    const char *step_in; /* name of the programs that are stepped; NULL: all */
    double kernel; /* instructions of the operating system in a call: what plain events count too;
                      0: they are refused */
    unsigned lied_about_configs; /* emulated events, one bit for each; 0: all */
    unsigned lied_about; /* one bit for each perf_type_id; types beyond are PMUs of their own */
    struct lies lies;
    struct events events;
    struct stepping stepping;
};
#define LIED_ABOUT_OTHERS (1u << PERF_TYPE_MAX)

/* Fills the response to what was asked. */
void answer(struct liar *liar, const struct seccomp_notif *asked,
            struct seccomp_notif_resp *response);
