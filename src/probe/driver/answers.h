/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events as the controller asks for them: listed, tried, explained. */
#pragma once

#include "events/event.h"
#include "probe/driver/presets.h"
#include "wire/frame.h"

/* This machine's view with every resolver the probe was built with. */
void events_view_open(struct event_view *view);

/* Opens the event for this process and closes it again; 0 or the positive errno. */
int event_try(const struct event *event);

/* An `event` frame for every event that matches, then `listed`. */
int events_list(struct wire_writer *writer, const struct event_view *view,
                const struct presets *presets, const char *glob);

/* One `event` frame, or `refused`. */
int events_try(struct wire_writer *writer, const struct event_view *view,
               const struct presets *presets, const char *name);
