/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What signals do to the controller. */
#pragma once

/* SIGINT, SIGTERM and SIGHUP set `interrupted`; a second SIGINT restores the terminal, ends the
 * probe's process group and exits at once. SIGPIPE becomes an error of the write. */
void signals_install(void);
