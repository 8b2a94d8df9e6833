/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a cold tour's process touches of itself beforehand: the pages of its own program and stack,
 * as bytes. */
#pragma once

/* So that the harness's code takes no fault inside a span. No function is called and no symbol
 * bound by it, and nothing of a library is touched. */
void own_pages_touch(void);
