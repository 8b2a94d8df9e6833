/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of names that may stand behind QEMU's -cpu; nothing else ever reaches it. */
#include "lab/cpu-models.h"

#include <stddef.h>
#include <string.h>

const struct cpu_model cpu_models[] = {
    {"cortex-a72", "Armv8.0, PMUv3 with 6 counters", false},
    {"cortex-a35", "Armv8.0, small", true},
    {"cortex-a53", "Armv8.0, small", false},
    {"cortex-a55", "Armv8.2, small", true},
    {"cortex-a57", "Armv8.0", false},
    {"cortex-a76", "Armv8.2", true},
    {"cortex-a710", "Armv9.0", true},
    {"a64fx", "Armv8.2 with long vectors", false},
    {"neoverse-n1", "Armv8.2, for servers", true},
    {"neoverse-n2", "Armv9.0, for servers", true},
    {"neoverse-v1", "Armv8.4, for servers", true},
    {"max", "everything the emulator knows, 64-bit counters included", true},
    {0},
};

const struct cpu_model *cpu_model_find(const char *name)
{
    for (const struct cpu_model *model = cpu_models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}
