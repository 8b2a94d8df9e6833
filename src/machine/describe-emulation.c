/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is this CPU interpreted by a program? Counts may then be exact, but times, cycles and caches say
 * nothing about any hardware, and results must carry the mark. The fact `emulated` says how we
 * know; it is missing where nothing points to emulation. */
#include <stdlib.h>
#include <string.h>

#include "lib/machine-words.h"
#include "machine/describe.h"

bool emulated_in_user_mode(const struct facts *facts)
{
    const char *how = facts_get(facts, "emulated");
    return how && strncmp(how, "qemu-user", 9) == 0;
}

static const char *known(void *facts, const char *key)
{
    return facts_get(facts, key);
}

/* What the environment says of this machine; a recorded one says it again. */
static void take_live(const struct machine_view *view, struct facts *facts, const char *key,
                      const char *variable)
{
    const char *value = getenv(variable);
    if (view_recorded(view))
        view_live(view, facts, key, NULL, 0);
    else if (value && value[0] && strcmp(value, "0") != 0)
        facts_set(facts, key, value, 0);
}

void describe_emulation(const struct machine_view *view, struct facts *facts)
{
    take_live(view, facts, "emulated.declared", "ASSAY_EMULATED");
    take_live(view, facts, "emulated.by", "ASSAY_EMULATOR");
    const char *how = machine_emulation(known, facts);
    if (how)
        facts_set(facts, "emulated", how, 0);
}
