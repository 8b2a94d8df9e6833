/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Can user code read counters on this machine? */
#pragma once

#include <stddef.h>

/* 0, or a negative errno with the sentence in reason. Tries it, in a child process. */
int user_usable(char *reason, size_t size);
