/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A skip that states its reason: cmocka's skip() has no room for one, so it goes in front as a TAP
 * comment, where tests/summary.py finds it. Include after cmocka.h. */
#pragma once

#define skip_because(...)                                                                          \
    do {                                                                                           \
        print_message("# skip: ");                                                                 \
        print_message(__VA_ARGS__);                                                                \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)
