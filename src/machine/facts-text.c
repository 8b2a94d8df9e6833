/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text form of facts: what `doctor --save` writes and recorded machines hold. One fact a line,
 * readable and diffable; a file from elsewhere is checked line by line. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "machine/errno-name.h"
#include "machine/facts.h"

static void put_escaped(FILE *file, const char *value)
{
    for (; *value; value++) {
        if (*value == '\n')
            fputs("\\n", file);
        else if (*value == '\r')
            fputs("\\r", file);
        else if (*value == '\\')
            fputs("\\\\", file);
        else
            fputc(*value, file);
    }
}

int facts_write(const struct facts *facts, FILE *file)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        char name[16];
        if (fact->value) {
            fprintf(file, "%s = ", fact->key);
            put_escaped(file, fact->value);
            fputc('\n', file);
        } else {
            fprintf(file, "%s ! %s\n", fact->key, errno_name(fact->error, name, sizeof(name)));
        }
    }
    return fflush(file) == 0 && !ferror(file) ? 0 : -(errno ? errno : EIO);
}

/* In place; false for a backslash that escapes nothing known. */
static bool unescape(char *value)
{
    char *to = value;
    for (const char *from = value; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from == 'n')
            *to++ = '\n';
        else if (*from == 'r')
            *to++ = '\r';
        else if (*from == '\\')
            *to++ = '\\';
        else
            return false;
    }
    *to = '\0';
    return true;
}

/* line: no newline, not empty, no comment. Returns what is wrong with it, or NULL. */
static const char *read_fact(struct facts *facts, char *line, int *error)
{
    char *space = strchr(line, ' ');
    if (!space || (space[1] != '=' && space[1] != '!') || (space[2] != ' ' && space[2] != '\0'))
        return "expected \"key = value\" or \"key ! ERRNO\"";
    char sign = space[1];
    char *rest = space[2] ? space + 3 : space + 2;
    *space = '\0';
    if (facts_find(facts, line))
        return "the key is there twice";
    int absence = 0;
    if (sign == '!') {
        absence = errno_from_name(rest);
        if (!absence)
            return "no errno of that name";
    } else if (!unescape(rest)) {
        return "a backslash must be written \\\\";
    } else if (strlen(rest) > FACTS_MAX_VALUE) {
        return "the value is too long";
    }
    *error = facts_set(facts, line, sign == '=' ? rest : NULL, absence);
    return *error == -EINVAL ? "a key is letters, digits, '.', '_' and '-'"
           : *error < 0      ? strerror(-*error)
                             : NULL;
}

/* The next line without its newline; 1, 0 at the end, -EBADMSG too long or with a NUL byte. */
static int next_line(FILE *file, struct text *line)
{
    text_clear(line);
    int character;
    while ((character = fgetc(file)) != EOF && character != '\n') {
        if (character == '\0' || line->length > 2 * FACTS_MAX_VALUE + FACTS_MAX_KEY + 3)
            return -EBADMSG;
        text_putc(line, (char)character);
    }
    if (ferror(file))
        return errno ? -errno : -EIO;
    if (line->failed)
        return -ENOMEM;
    return character != EOF || line->length > 0;
}

int facts_read(struct facts *facts, FILE *file, struct failure *failure)
{
    AUTO_TEXT struct text line = {0};
    for (unsigned number = 1;; number++) {
        int more = next_line(file, &line);
        if (more == 0)
            return 0;
        if (more == -EBADMSG)
            return fail_with(failure, more,
                             "line %u is too long or holds a NUL byte: this is not a file of facts",
                             number);
        if (more < 0)
            return fail_with(failure, more, "cannot read the facts beyond line %u: %s", number - 1,
                             strerror(-more));
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        int error = 0;
        const char *wrong = read_fact(facts, line.bytes, &error);
        if (wrong)
            return fail_with(failure, error == -ENOMEM ? error : -EBADMSG, "line %u: %s", number,
                             wrong);
    }
}
