/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The windows of a path (BROKEN_PATH names its file) whose loop executes one instruction more per
 * iteration than it says: for a harness whose counts must be noticed to be wrong. */
#include "window.h"

#undef WINDOW_LOOP
#define WINDOW_LOOP WINDOW_LOOP_WITH("\tnop\n")

#include BROKEN_PATH /* NOLINT(bugprone-suspicious-include): a path of the kit, once more */
