/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What runs in sh(1) on the machine under test before there is a probe. Constant texts for any
 * POSIX shell with the usual small programs, busybox's included. */
#include "via/push.h"

/* The shell stays until the probe has ended, to remove the folder `d` even when the probe could
 * not. */
#define TIDY_UP                                                                                    \
    "umask 077\n"                                                                                  \
    "d=\n"                                                                                         \
    "trap 'test -z \"$d\" || rm -rf \"$d\"' EXIT\n"                                                \
    "trap 'exit 129' HUP\n"                                                                        \
    "trap 'exit 130' INT\n"                                                                        \
    "trap 'exit 143' TERM\n"

/* try_place START: makes `d`, a new private folder START.XXXXXXXXXX, where programs may be run and
 * `total` bytes have room. */
#define TRY_PLACE                                                                                  \
    "try_place() {\n"                                                                              \
    "    d=$(mktemp -d \"$1.XXXXXXXXXX\" 2>/dev/null) || { d=; return 1; }\n"                      \
    "    {\n"                                                                                      \
    "        printf '#!/bin/sh\\nexit 0\\n' >\"$d/try\" && chmod 700 \"$d/try\" &&\n"              \
    "            \"$d/try\" && head -c \"$total\" /dev/zero >\"$d/try\" &&\n"                      \
    "            rm -f \"$d/try\" && return 0\n"                                                   \
    "    } 2>/dev/null </dev/null\n"                                                               \
    "    rm -rf \"$d\"\n"                                                                          \
    "    d=\n"                                                                                     \
    "    return 1\n"                                                                               \
    "}\n"

#define TEMPORARY_PLACE                                                                            \
    "temporary_place() {\n"                                                                        \
    "    for t in \"${TMPDIR:-/tmp}\" /tmp /var/tmp /dev/shm \"${HOME:-/}\"; do\n"                 \
    "        try_place \"$t/assay\" && return 0\n"                                                 \
    "    done\n"                                                                                   \
    "    echo 'no folder there with room for the kit in which programs may be run: set TMPDIR "    \
    "to one' >&2\n"                                                                                \
    "    exit 126\n"                                                                               \
    "}\n"

/* runs FOLDER: whether its probe can be run. A shell takes a program of another ISA for a script of
 * its own, so this happens where it can do nothing: no PATH, and in the private folder. */
#define RUNS                                                                                       \
    "runs() {\n"                                                                                   \
    "    v=$(cd \"$1\" && PATH=/none && export PATH && ./assay-probe --version </dev/null) ||\n"   \
    "        return $?\n"                                                                          \
    "    case $v in 'assay-probe '*) return 0 ;; esac\n"                                           \
    "    return 126\n"                                                                             \
    "}\n"

/* Takes `size` bytes into d/assay-probe. */
#define TAKE_PROBE                                                                                 \
    "take_probe() {\n"                                                                             \
    "    head -c \"$size\" >\"$d/assay-probe\" || exit 126\n"                                      \
    "    test \"$(wc -c <\"$d/assay-probe\")\" -eq \"$size\" || exit 126\n"                        \
    "    chmod 700 \"$d/assay-probe\" || exit 126\n"                                               \
    "    runs \"$d\" || exit $?\n"                                                                 \
    "}\n"

/* The kit in a place that is found again. `k`: where kits are kept, empty where there is no home;
 * `f`: this one. Both must be ours alone, or somebody else could choose what we run. */
#define KEPT_PLACE                                                                                 \
    "own() {\n"                                                                                    \
    "    test -d \"$1\" && test ! -L \"$1\" && test -O \"$1\"\n"                                   \
    "}\n"                                                                                          \
    "kept_place() {\n"                                                                             \
    "    test -d \"${c%/*}\" && mkdir -p \"$k\" && own \"$k\" && own \"${k%/*}\" &&\n"             \
    "        chmod 700 \"$k\" \"${k%/*}\" && try_place \"$k/.new\"\n"                              \
    "}\n"                                                                                          \
    "list_kept() {\n"                                                                              \
    "    own \"${k%/*}\" && own \"$k\" && own \"$f\" &&\n"                                         \
    "        chmod 700 \"${k%/*}\" \"$k\" \"$f\" 2>/dev/null ||\n"                                 \
    "        { echo @assay-kept no; return; }\n"                                                   \
    "    {\n"                                                                                      \
    "        touch \"$f\"\n"                                                                       \
    "        (cd \"$f\" && cksum ./* | sed 's/^/@assay-file /')\n"                                 \
    "    } 2>/dev/null\n"                                                                          \
    "    echo @assay-kept yes\n"                                                                   \
    "}\n"

const char push_script[] =
    "size=$1\n"
    "total=$2\n" TIDY_UP TRY_PLACE TEMPORARY_PLACE RUNS TAKE_PROBE "temporary_place\n"
    "take_probe\n"
    "\"$d/assay-probe\" receive\n"
    "exit $?\n";

/* Quoted so that every login shell in use hands it on alike; the loader below follows. Only read(1)
 * may look at the input: others read ahead, and busybox's sed(1) waits for a line more. */
const char keeping_command[] = "sh -c 'read -r l && eval \"$l\"'";

/* One line that gathers the script behind it, up to its end. */
#define LOADER                                                                                     \
    "n=$(printf '\\nx'); n=${n%x}; s=; while IFS= read -r l && test \"$l\" != '#@assay-end'; "     \
    "do s=$s$l$n; done; test \"$l\" = '#@assay-end' && eval \"$s\"\n"

/* The empty line ends what a login script may have written without ending its line. */
const char keeping_script[] = LOADER TIDY_UP TRY_PLACE TEMPORARY_PLACE RUNS TAKE_PROBE KEPT_PLACE
    "printf '\\n@assay-there %s %s\\n' \"$(uname -s)\" \"$(uname -m)\"\n"
    "read -r id size total || exit 1\n"
    "c=${XDG_CACHE_HOME:-}\n"
    "case $c in /*) ;; *) c=${HOME:+$HOME/.cache} ;; esac\n"
    "k=${c:+$c/assay/kit}\n"
    "f=$k/$id\n"
    "list_kept\n"
    "read -r word || exit 1\n"
    "if test \"$word\" = use; then\n"
    "    chmod 700 \"$f\"/* 2>/dev/null\n"
    "    if runs \"$f\"; then\n"
    "        echo @assay-usable\n"
    "        exec \"$f/assay-probe\" serve\n"
    "    fi\n"
    "    echo @assay-unusable\n"
    "    read -r word || exit 1\n"
    "fi\n"
    "if test -n \"$k\" && kept_place 2>/dev/null; then\n"
    "    take_probe\n"
    "    \"$d/assay-probe\" receive \"$f\" \"$word\"\n"
    "else\n"
    "    echo 'the kit cannot be kept there and is removed afterwards: no private folder below' "
    "\"${c:-HOME}\" 'with room for it in which programs may be run' >&2\n"
    "    temporary_place\n"
    "    take_probe\n"
    "    \"$d/assay-probe\" receive\n"
    "fi\n"
    "exit $?\n"
    "#@assay-end\n";
