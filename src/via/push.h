/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bringing the kit to where it cannot be used in place (docs/protocol.md). Shared by transports:
 * each finds its own way to start `sh -c SCRIPT assay SIZE` over there, the rest is the same. */
#pragma once

#include "via/via.h"

/* The script for `sh -c`; it takes the size of assay-probe as its first argument. Constant: nothing
 * is ever pasted into it. */
extern const char push_script[];

/* The size of the kit's assay-probe in decimal, for the script's argument. */
int push_size(const struct kit *kit, char size[24], struct failure *failure);

/* Talks to the started script: hands over assay-probe, then the other files. Afterwards the probe
 * serves. On failure the caller still has to close the link. */
int push_kit(struct via_link *link, const struct kit *kit, const struct via_patience *patience,
             struct failure *failure);
