/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first step of every command that needs a machine: start its probe and hear what it offers. */
#pragma once

#include "engine/command.h"
#include "engine/session.h"

/* EXIT_DONE with *session open, whose catalogue is *catalogue (NULL where nobody asks); or the exit
 * code after saying on standard error why `command` cannot reach the machine of --via. */
int reach_machine(const char *command, const struct common_options *common,
                  struct session **session, const struct catalogue **catalogue);
