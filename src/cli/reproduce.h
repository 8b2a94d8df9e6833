/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line of a stored run as somebody else would type it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Appends it, quoted for a shell: with the seed that was drawn, without where the result went then.
 * argv: a JSON list as stores keep it; seed: its digits, NULL: not known. Nothing of what is no
 * command line. */
void reproduce_put(const char *argv, const char *seed, struct text *out);
