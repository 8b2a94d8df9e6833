/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes the rest of a kit from a transport that pushes it (docs/protocol.md, "The kit"). */
#pragma once

#include "base/failure.h"

/* Reads from input into folder until `end`, byte-exact: what follows belongs to the session. */
int receive_kit(int input, int output, const char *folder, struct failure *failure);
