/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every study says where its run is not finished. */
#pragma once

#include "base/text.h"
#include "engine/command.h"

/* Appends how the run in that store goes on, and a space; a run in a collection does not. */
void unfinished_put(const char *command, const char *stored, const struct common_options *common,
                    struct text *out);
