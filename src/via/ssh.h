/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of the transport ssh: that stand by themselves. */
#pragma once

#include "engine/via-parts.h"

/* From what stands behind `ssh:` to the words of the command: [OPTION…] HOST, checked so that HOST
 * cannot be taken for an option, nor a second word for the command to run there. *words ends with
 * the host, which is also returned in *host. Returns their number or -EINVAL. */
int ssh_words(const char *argument, char ***words, const char **host, struct failure *failure);

/* What to do next about a connection that failed, by ssh's own last words; never NULL. */
const char *ssh_advice(const char *last_words);

/* An ISA for which there can be a kit, from what `uname -s` and `uname -m` said over there: plain
 * letters and digits, of a 64-bit Linux. */
int ssh_machine(const char *said, char isa[32], const char *host, struct failure *failure);
