/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which system calls of the process come to the liar, and how: a seccomp filter with user
 * notification, inherited by everything the process starts. */
#pragma once

#include <stdbool.h>

/* Events are given descriptors from here on, where nothing else lives, so that the filter knows
 * from the number alone which reads are its business: first those of events that the machine
 * counts, then those of events that the liar counts. */
#define REAL_FIRST     512
#define EMULATED_FIRST 768
#define EMULATED_END   1024

/* Installs it in the calling process. A listener's descriptor, or a negative errno. */
int filter_install(bool emulate);

/* One descriptor through a socket; negative errno. */
int descriptor_send(int socket, int descriptor);
int descriptor_receive(int socket);
