/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What glibc is told so that it does not choose its functions, and their thresholds, by the CPU it
 * finds itself on. */
#pragma once

/* GLIBC_TUNABLES=… that programs of this machine start with; NULL: there is nothing to settle.
 * loader: that of dynamic programs, NULL for the ISA's own. Asked once in a session. */
const char *tunables_choose(const char *loader);
