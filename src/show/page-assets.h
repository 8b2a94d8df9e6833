/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The style of pages (web/page.css) and the script that draws their figures (web/src, bundled), as
 * bytes that can stand in <style> and <script>. A NUL follows them, which the sizes leave out. */
#pragma once

#include <stddef.h>

extern const unsigned char page_style[];
extern const size_t page_style_size;
extern const unsigned char page_script[];
extern const size_t page_script_size; /* 0: built without (-Dreport=disabled, or without Node) */
