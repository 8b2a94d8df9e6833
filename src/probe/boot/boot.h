/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `assay-probe boot`: the first process of an emulated machine of the lab. The plan it follows is
 * /lab/plan (src/lab/machine.h); the controller wrote it. boot.c is all of it, in the order in
 * which it is done: file systems and drivers, the plan, the ports, the command. */
#pragma once

/* Never returns where this is the first process: it turns the machine off. */
int boot_machine(void);
