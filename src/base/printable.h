/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Foreign words made fit for a message: what another program or machine said must not move the
 * cursor, ring the bell or break JSON. */
#pragma once

#include <stddef.h>

/* Copies at most size - 1 bytes to out, terminated. Valid UTF-8 and newlines stay, tabs become
 * spaces, carriage returns vanish, any other control character and any stray byte becomes '?'. A
 * character that does not fit is left out whole. Returns the length of out. */
size_t printable_copy(char *out, size_t size, const char *bytes, size_t length);
