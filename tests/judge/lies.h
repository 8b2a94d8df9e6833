/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What lying counters make of a right count, one function each; the table in plants.c names them.
 */
#pragma once

#include "plants.h"

plant_count lie_offset_points, lie_offset_everywhere, lie_factor_up, lie_factor_down, lie_zeros,
    lie_zeros_on_one_core, lie_unscheduled, lie_lost, lie_noise, lie_each_fault, lie_each_call,
    lie_each_interrupt, lie_each_opcode, lie_without_opcode, lie_wrap, lie_wrap_between,
    lie_scaled_twice, lie_scaled_wrongly, lie_threshold, lie_saturates, lie_stuck, lie_late,
    lie_one_process, lie_one_process_less, lie_other_class, lie_long_windows, lie_longer_factor,
    lie_each_switch, lie_lost_each_switch, lie_each_move, lie_lost_each_move, lie_rare_run;
/* How often the point's code does that; 0 where nothing is said. */
double trait_count(const struct point *point, enum trait_kind kind, const char *name);
