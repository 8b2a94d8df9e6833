/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Core PMUs are called `cpu` where there is one kind of core; where there are several kinds (or on
 * arm64 always) they carry a file `cpus`. Uncore PMUs have `cpumask` instead. */
#include "machine/core-pmu.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

bool core_pmu(const struct machine_view *view, const char *name, struct text *cpus)
{
    AUTO_FREE char *path = NULL;
    text_clear(cpus);
    if (asprintf(&path, PMU_FOLDER "/%s/cpus", name) < 0) {
        path = NULL;
        return false;
    }
    if (view_text(view, path, cpus) == 0) {
        while (cpus->length > 0 && cpus->bytes[cpus->length - 1] <= ' ')
            cpus->bytes[--cpus->length] = '\0';
        return true;
    }
    text_clear(cpus);
    return strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0; /* the latter: s390 */
}
