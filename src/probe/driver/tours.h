/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which harness makes a tour, and whether one can. */
#pragma once

#include "probe/driver/cells.h"

/* Finds the harness of the cell's link mode that has every operation of the tour, and says whether
 * the meters and the event of a cell that is a tour can be what they are. A sentence in the cell's
 * failure otherwise. The cell's events are resolved. */
int tour_resolve(struct known_cell *known, const struct probe_kit *kit,
                 const struct offers *offers);
