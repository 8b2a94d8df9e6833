/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeping CPUs from idle states. */
#pragma once

#include "base/failure.h"

/* A descriptor that keeps all CPUs awake for as long as it is open, or a negative errno with what
 * stands in the way. */
int awake_hold(struct failure *failure);
