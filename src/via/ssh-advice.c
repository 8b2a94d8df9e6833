/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From ssh's last words to what a person does next. */
#include <string.h>

#include "via/ssh.h"

/* The first that fits: the more telling ones stand first. */
static const struct {
    const char *words;
    const char *advice;
} known[] = {
    {"IDENTIFICATION HAS CHANGED",
     "find out why the host has another key than before; if that is right, forget the old one with "
     "ssh-keygen -R and connect once by hand"},
    {"Host key verification failed",
     "connect once by hand with ssh and check the host's key; it is remembered then"},
    {"Too many authentication failures",
     "name the one key with -i and add -o IdentitiesOnly=yes, in 'ssh:...' or in ~/.ssh/config"},
    {"Permission denied",
     "a password cannot be asked for here: set up a key (ssh-copy-id) or an agent (ssh-add) with "
     "which 'ssh -o BatchMode=yes' gets in, and check the user's name"},
    {"Could not resolve hostname", "check the host's name, or give it a place in ~/.ssh/config"},
    {"Connection refused", "check that sshd runs there, and on that port (-p)"},
    {"No route to host", "check that the machine is up and can be reached from here"},
    {"Network is unreachable", "check that the machine is up and can be reached from here"},
    {"timed out", "check that the machine is up and can be reached from here, and the port (-p)"},
    {"UNPROTECTED PRIVATE KEY", "take the others' rights from the key file: chmod 600"},
    {"onfiguration option", "correct the option, in 'ssh:...' or in ~/.ssh/config"},
    {"destination [command", "what stands behind 'ssh:' must be options of ssh(1) and a host"},
};

const char *ssh_advice(const char *last_words)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strstr(last_words, known[i].words))
            return known[i].advice;
    return "try the same by hand, 'ssh -T ... true': it must end without a question";
}
