# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
# The sieve of Eratosthenes: lists and integers of an interpreter that compiles to bytes.
set limit [lindex $argv 0]
set sieve [lrepeat [expr {$limit + 1}] 1]
set count 0
for {set i 2} {$i <= $limit} {incr i} {
    if {![lindex $sieve $i]} continue
    incr count
    for {set j [expr {$i * $i}]} {$j <= $limit} {incr j $i} { lset sieve $j 0 }
}
puts $count
