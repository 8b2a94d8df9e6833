/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words for a command line that a reader will paste into a shell. */
#pragma once

#include "base/text.h"

/* Appends word as it is where the shell takes it literally, else in single quotes. */
void text_put_shell(struct text *text, const char *word);
