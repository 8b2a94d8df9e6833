/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A specimen's instructions, for who wants to count them without running them. */
#pragma once

#include "wire/frame.h"

/* Answers `code`: the specimen's code, or the reason why it cannot be read. name may be NULL. */
int code_send(struct wire_writer *writer, const char *name);
