# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts words and orders them by how often they occur: hashes, strings, regular expressions.
use strict;
use warnings;

my (%count, %follows, $before);
open(my $file, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
while (my $line = <$file>) {
    for my $word ($line =~ /([a-z]+)/g) {
        $count{$word}++;
        $follows{"$before $word"}++ if defined $before;
        $before = $word;
    }
}
for my $hash (\%count, \%follows) {
    my @order = sort { $hash->{$b} <=> $hash->{$a} || $a cmp $b } keys %$hash;
    print "$_ $hash->{$_}\n" for @order[0 .. 9];
}
