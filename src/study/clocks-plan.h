/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` would watch: clocks, workloads, lengths, threads, moves and pairs of CPUs,
 * the most important first, what visits cost, and what of it a budget holds. */
#pragma once

#include "session/session.h"
#include "store/store.h"
