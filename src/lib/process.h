/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: what the process keeps of calipers that are closed, and its table at the end. */
#pragma once

#include "lib/regions.h"

void process_forked(void); /* in the child: what the parent gathered is not its own */
void process_ended(void);  /* writes the table, where it was asked for, and forgets the totals */

/* here.c: what the calling thread has opened, linked by `next`. */
struct assay_calipers *here_opened(void);
