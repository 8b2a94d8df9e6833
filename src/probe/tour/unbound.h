/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A measured function for what stands around a tour: looked up by its name instead of being called
 * like others, so that the harness's own entry for it in the table of the linker stays unresolved
 * until a call of the tour resolves it. Its address may not be taken either: the linker would then
 * bind the calls at start. A static harness has no such table, and no loader that could be asked:
 * it just calls. */
#pragma once

#include <dlfcn.h>

/* A pointer to the function; NULL where the library lacks it. */
#ifdef HARNESS_STATIC
#define UNBOUND(function) (&(function))
#else
#define UNBOUND(function) ((__typeof__(function) *)dlsym(RTLD_DEFAULT, #function))
#endif
