/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * perf_event_open(2) on behalf of the process. */
#pragma once

#include "answers.h"

/* Let the operating system answer. */
#define ANSWER_GO_ON INT64_MIN

/* The descriptor in the process, a negative errno, or ANSWER_GO_ON. */
int64_t answer_open(struct liar *liar, const struct seccomp_notif *asked);
