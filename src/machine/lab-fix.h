/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fixes that work for an emulated machine of the lab. */
#pragma once

#include <stdbool.h>

#include "machine/check.h"

/* Was this machine booted by assay's lab? */
bool lab_is(const struct facts *facts);

/* Replaces the fix of a check by the setting of the lab that changes it, or by none where no
 * setting does; for other machines it changes nothing. */
void lab_fix(const struct check *check, const struct facts *facts, struct advice *advice);
