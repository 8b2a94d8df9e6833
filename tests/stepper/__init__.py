# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps code of any ISA instruction by instruction and plays the operating system and its PMU between two of them."""
