/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the rows and the analysis of `assay overhead` share as JSON. */
#pragma once

#include "studies/overhead/parts.h"

/* "emulated", and which machine where there are several. */
void overhead_put_machine_json(json_t *object, const struct overhead_case *file, uint32_t machine);
/* "unit", "mode" (null where it has none) and "meter"; NULL: ns of whole commands. */
void overhead_put_meter_json(json_t *object, const struct overhead_meter *meter);
/* "path" and "operation". */
void overhead_put_operation_json(json_t *object, const struct overhead_case *file,
                                 uint32_t operation);
