/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which tours call the same things, in whatever order: what a call costs depends on the others that
 * its process makes. */
#pragma once

#include "judge/overhead/evidence.h"

struct companies {
    uint32_t *with_times; /* [tour]; tours with the same number make the same calls … */
    uint32_t *operations; /* … or the same but for how often in a row */
};

/* -ENOMEM; release in either case. */
int companies_of(const struct overhead_case *file, struct companies *companies);
void companies_release(struct companies *companies);
#define AUTO_COMPANIES __attribute__((cleanup(companies_release)))
