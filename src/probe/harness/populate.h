/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings every page of this process into memory before anything is measured. */
#pragma once

/* Without it the first runs of a process would count the page faults of its own code and data, as
 * many as the page cache happens to leave. Nothing is called and no symbol is bound by this. Does
 * what it can: a page that stays out shows in the account of the run. */
void populate_process(void);
