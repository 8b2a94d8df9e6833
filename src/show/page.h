/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as one HTML file that needs nothing beside it (docs/report.md describes the object). All
 * text in it may come from machines and is escaped. Without the script that draws (built with
 * -Dreport=disabled or without Node) the figures are tables. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "base/failure.h"

int page_write(const json_t *report, FILE *stream, struct failure *failure);
