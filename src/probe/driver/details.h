/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Details of commands on their way from the counting process to the controller. */
#pragma once

#include "probe/driver/session.h"

/* An empty file for them; -1: the cell asks for none. Negative errno otherwise. */
int details_open(const struct cell *cell, struct failure *failure);

/* Passes on what was written there. -EBADMSG with a text: that makes no sense, and nothing more of
 * it was sent; other negative errno: the controller is gone. *damaged tells the two apart. */
int details_send(struct wire_writer *writer, struct planned_visit visit, int file, bool *damaged,
                 struct failure *failure);
