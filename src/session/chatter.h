/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines from the other side that are no frames: banners, a console's noise, a loader's complaint.
 * The last few are kept for messages. */
#pragma once

#include "engine/peer.h"

/* A wire_reader's chatter callback; context is a struct chatter. */
void chatter_keep(void *context, const char *line);
/* The kept lines as one, each in quotes; "" when there were none. */
void chatter_quote(const struct chatter *chatter, char *words, size_t size);
