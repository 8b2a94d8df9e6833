/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words behind `ssh:`. They are ssh(1)'s own options and the host; what would change what the
 * connection is for is refused by name, since it would only show as a probe that never speaks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "via/ssh.h"

#define WITH_ARGUMENT "BbcDEeFIiJLlmOoPpQRSWw" /* of ssh(1); all others stand alone */

static const struct {
    const char *letters;
    const char *why;
} unfit[] = {
    {"t", "a terminal in between would alter what the probe sends"},
    {"fn", "the probe needs its standard input"},
    {"NsW", "no program would be run there"},
    {"GOQV", "no connection would be made"},
};

static const char *why_unfit(char letter)
{
    for (size_t i = 0; i < sizeof(unfit) / sizeof(*unfit); i++)
        if (strchr(unfit[i].letters, letter))
            return unfit[i].why;
    return NULL;
}

/* Looks through the letters of one word of options. 1 when the next word is its argument. */
static int check_option(const char *word, struct failure *failure)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const char *why = why_unfit(*letter);
        if (why)
            return fail_with(failure, -EINVAL, "'ssh:' cannot go with -%c: %s", *letter, why);
        if (strchr(WITH_ARGUMENT, *letter))
            return letter[1] == '\0';
    }
    return 0;
}

static int refuse_missing(struct failure *failure)
{
    return fail_with(failure, -EINVAL,
                     "'ssh:' needs a host, behind options of ssh(1) if any, as in "
                     "ssh:user@host or 'ssh:-p 2222 host'");
}

/* The place of the host among the words. */
static int find_host(char *const *words, int count, struct failure *failure)
{
    int at = 0;
    while (at < count && words[at][0] == '-') {
        if (strcmp(words[at], "--") == 0 || strcmp(words[at], "-") == 0)
            return refuse_missing(failure);
        int more = check_option(words[at], failure);
        if (more < 0)
            return more;
        at += 1 + more;
    }
    if (at >= count || !*words[at])
        return refuse_missing(failure);
    if (at + 1 < count)
        return fail_with(
            failure, -EINVAL,
            "behind the host '%.100s' stands '%.100s': options of ssh(1) go before the "
            "host, and the program that runs there is assay's own",
            words[at], words[at + 1]);
    return at;
}

/* ssh://user@host:port arrives without its scheme, which is ours. */
static int restore_address(char **word)
{
    char *address = NULL;
    if (strncmp(*word, "//", 2) != 0)
        return 0;
    if (asprintf(&address, "ssh:%s", *word) < 0)
        return -ENOMEM;
    free(*word);
    *word = address;
    return 0;
}

int ssh_words(const char *argument, char ***words, const char **host, struct failure *failure)
{
    int count = words_split(argument, words, failure);
    if (count < 0)
        return count;
    int at = find_host(*words, count, failure);
    if (at >= 0 && restore_address(&(*words)[at]) < 0)
        at = fail_with(failure, -ENOMEM, "no memory for the words of '%.100s'", argument);
    if (at < 0) {
        words_free(*words);
        *words = NULL;
        return at;
    }
    *host = (*words)[at];
    return count;
}
