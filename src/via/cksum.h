/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checksum of cksum(1): what every POSIX machine can compute of a file without our help, so
 * that a kit kept there can be checked before anything of it is run. It finds damage, not malice.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t cksum(const void *bytes, size_t length);
