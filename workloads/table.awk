# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sums the amounts of a table by place and by day: splitting, arithmetic on decimals, arrays.
BEGIN { FS = "," }
{ place[$3] += $4; day[$5] += $4; if ($4 > most) { most = $4; who = $2 } }
END {
    for (name in place) { places++; sum += place[name] }
    for (name in day) days++
    printf "%d places, %d days, %.2f in all, most by %s\n", places, days, sum, who
}
