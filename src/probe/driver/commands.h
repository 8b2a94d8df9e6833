/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells of whole programs: who counts them, and whether somebody can. */
#pragma once

#include "probe/command/command.h"
#include "probe/driver/cells.h"

/* Asks every counter whether it can count here; those that cannot are absences. -ENOMEM */
int commands_collect(struct offers *offers, const struct probe_kit *kit, struct failure *failure);
/* A frame for each of the others. */
void commands_send(struct wire_writer *writer, const struct offers *offers);

/* Finds the counter of a cell that is a command, and resolves its events: those of perf_event by
 * the view, those of a source by the classes of its counter. Columns run/…/ stay empty events. A
 * sentence in the cell's failure otherwise. */
int command_resolve(struct known_cell *known, const struct event_view *view,
                    const struct offers *offers);
