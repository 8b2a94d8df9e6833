/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the PMUs in sysfs are a CPU core's own. */
#pragma once

#include "machine/view.h"

#define PMU_FOLDER "/sys/bus/event_source/devices"

/* Is PMU_FOLDER/name a core PMU? Where it says which CPUs it covers, they are put into cpus
 * ("0-11"), else cpus is left empty: all of them. */
bool core_pmu(const struct machine_view *view, const char *name, struct text *cpus);
