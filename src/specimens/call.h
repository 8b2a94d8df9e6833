/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The instructions with which every window calls a specimen, to be read and decoded: they are part
 * of its truth. */
#pragma once

extern const char specimen_call_text[], specimen_call_text_end[];
