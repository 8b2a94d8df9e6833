/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of planted reports, which grow one by one. */
#pragma once

#include "base/memory.h"

#define SHOWN_ADD(list, count, ...)                                                                \
    ((void)(*memory_add(list, count) = (__typeof__(*(list)))__VA_ARGS__))
