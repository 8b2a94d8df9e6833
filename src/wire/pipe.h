/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing to a peer that may be gone. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* As write(2), interrupted calls begun again, but -1 is a negative errno and a closed pipe gives
 * -EPIPE without the signal, whatever the process has done about SIGPIPE. */
ssize_t pipe_write(int fd, const void *bytes, size_t length);
