/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the first process of the emulated machine is to do: the file /lab/plan in its archive, read
 * by src/probe/boot. Entries `key=value`, each ended by a zero byte, so that any argument can be
 * carried.
 *   sysctl=kernel/perf_user_access=1   env=NAME=VALUE   user=65534   folder=/work
 *   in=PORT out=PORT err=PORT status=PORT   terminal=ROWSxCOLUMNS   run=WORD (once per word) */
#pragma once

#include "base/text.h"
#include "lab/settings.h"

#define LAB_PORT_IN     "assay.in"
#define LAB_PORT_OUT    "assay.out"
#define LAB_PORT_ERR    "assay.err"
#define LAB_PORT_STATUS "assay.status"

void plan_put(struct text *plan, const char *key, const char *value);

/* The part that follows from the settings. */
void plan_settings(struct text *plan, const struct lab_settings *settings);
