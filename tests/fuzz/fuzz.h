/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a fuzz target is: one function that takes any bytes, keeps nothing from one call to the
 * next, and returns 0. libFuzzer calls it with inputs it invents, replay.c with recorded ones. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
