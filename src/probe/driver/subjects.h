/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which programs of the kit can be executed here as subjects, told to the controller in hello. */
#pragma once

#include "probe/driver/catalogue.h"

/* Adds an absence for each that cannot be executed. -ENOMEM */
int subjects_collect(struct offers *offers, const struct probe_kit *kit,
                     const struct outlets *outlets, struct failure *failure);
/* A frame for each of the others. */
void subjects_send(struct wire_writer *writer, const struct offers *offers);
