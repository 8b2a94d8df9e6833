/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bringing the kit to where it cannot be used in place (docs/protocol.md). Shared by transports:
 * each finds its own way to start a script over there, the rest is the same. */
#pragma once

#include "via/kit-files.h"
#include "engine/via.h"

/* For `sh -c`: takes the kit into a temporary folder. Its arguments are the size of assay-probe and
 * that of the whole kit. Constant: nothing is ever pasted into it. */
extern const char push_script[];

/* Says what the machine is, looks for a kit that was kept there, uses it or takes the kit and keeps
 * it. Comes over standard input, behind keeping_command; ends with a line that says so. */
extern const char keeping_script[];
/* What the login shell over there gets, whichever it is. */
extern const char keeping_command[];

/* For an answer to something big: what was sent may still be on its way over a slow line. */
struct via_patience push_patience(const struct via_patience *usual);

/* Talks to the started script: hands over assay-probe, waits until that answers, then the other
 * files. Afterwards the probe serves. On failure the caller still has to close the link. */
int push_kit(struct via_link *link, const struct kit_files *files,
             const struct via_patience *patience, struct failure *failure);
