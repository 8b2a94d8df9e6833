/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that a person brings along (wire/watch.h): a function of a shared object, a program that
 * is asked, a program that is run for each reading. */
#pragma once

#include "base/failure.h"
#include "probe/clocks/clock.h"
#include "wire/watch.h"

/* clock_open for what the registry does not have. */
int external_open(struct clock_reader *reader, const char *text, bool objects, char *claim,
                  char *reason, size_t size);
