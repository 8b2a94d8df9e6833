/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What signals do to the controller. */
#pragma once

/* SIGINT, SIGTERM and SIGHUP count up `interrupted`; SIGPIPE becomes an error of the write. */
void signals_install(void);

/* What the first of them answers on standard error while something must end before the program
 * does; NULL: nothing. words must outlive the wait. */
void signals_answer(const char *words);

/* The exit status by which a shell knows the signal that came first: 130 for SIGINT, 143 for
 * SIGTERM. */
int signals_status(void);
