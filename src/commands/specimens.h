/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay events --specimens: what is known of every specimen on a machine, and what decoding its
 * code counts. */
#pragma once

#include "engine/command.h"
#include "engine/session.h"
#include "output/field.h"

/* What rows and analysis are made of. */
extern const struct fields specimen_truth_table, specimens_analysis;
/* The command; returns an exit code. */
int specimens_run(const struct common_options *common, struct session *session, const char *glob,
                  const struct optional *n);
