/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One visit: a fresh process that runs one cell. */
#pragma once

#include "probe/driver/session.h"

/* Runs it and sends begin, output, samples, end. A visit that fails is reported and is no error
 * here; negative errno only when the session must end (-EPIPE, -EINTR). */
int visit_run(struct session *session, struct planned_visit visit);
