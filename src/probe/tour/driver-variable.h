/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the driver's environment says. A harness starts with a few fixed variables, so that its
 * stack is the same everywhere; one that runs programs of the machine needs to know where those
 * are, and whether an emulator runs them. */
#pragma once

/* Takes a variable over from the process that started this one; leaves things as they are where
 * that has none, or may not be looked at. */
void adopt_driver_variable(const char *name);
