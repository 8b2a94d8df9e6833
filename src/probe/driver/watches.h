/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which harness watches clocks, and whether it can watch those of a cell. */
#pragma once

#include "probe/driver/cells.h"

/* Finds the watching harness of the cell's link mode and says whether every clock of the cell can
 * be read by it. A sentence in the cell's failure otherwise. */
int watch_resolve(struct known_cell *known, const struct probe_kit *kit,
                  const struct offers *offers);

/* What the harness is asked for besides what every job says; the names of its events are clocks. */
void watch_fill_job(struct job *job, const struct cell *cell);
/* So long may pass between two runs that end before the harness is given up. */
int64_t watch_patience_ms(const struct cell_watch *watch);
