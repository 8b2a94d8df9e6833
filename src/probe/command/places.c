/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replaces places in the words of a command and finds its program, as a shell would, in PATH of the
 * probe. The path is made absolute: which file it is must not depend on the directory that a
 * setting works in. */
#include "probe/command/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/words.h"
#include "probe/sources/program.h"

/* NULL: out of memory, or -ENOENT in *result where nothing was brought. */
static char *replace(const struct command_visit *visit, const char *word, int *result)
{
    AUTO_TEXT struct text replaced = {0};
    while (*word) {
        if (strncmp(word, PLACE_KIT, strlen(PLACE_KIT)) == 0) {
            text_puts(&replaced, visit->kit);
            word += strlen(PLACE_KIT);
        } else if (strncmp(word, PLACE_BROUGHT, strlen(PLACE_BROUGHT)) == 0) {
            if (!visit->brought) {
                *result = command_fail(visit, -ENOENT, "%s: no file was brought", word);
                return NULL;
            }
            text_puts(&replaced, visit->brought);
            word += strlen(PLACE_BROUGHT);
        } else {
            text_putc(&replaced, *word++);
        }
    }
    char *taken = replaced.length || replaced.failed ? text_take(&replaced) : strdup("");
    if (!taken)
        *result = command_fail(visit, -ENOMEM, "out of memory");
    return taken;
}

static int split(const struct command_visit *visit, struct execution *execution)
{
    struct failure failure = {0};
    int result = words_split(visit->cell->command.words, &execution->words, &failure);
    if (result < 0)
        return command_fail(visit, result, "%s", failure.text);
    if (result == 0)
        return command_fail(visit, -EINVAL, "the command has no words");
    result = 0;
    for (char **word = execution->words; *word && result == 0; word++) {
        char *replaced = replace(visit, *word, &result);
        if (!replaced)
            return result;
        free(*word);
        *word = replaced;
    }
    return result;
}

/* The file at path, relative to folder (NULL: to where we are) where it does not begin with "/". */
static char *absolute(const char *folder, const char *path)
{
    char *whole = NULL;
    AUTO_FREE char *here = path[0] == '/' || folder ? NULL : getcwd(NULL, 0);
    if (path[0] == '/')
        return strdup(path);
    if (!folder && !here)
        return NULL;
    return asprintf(&whole, "%s/%s", folder ? folder : here, path) < 0 ? NULL : whole;
}

/* Of a path with a slash in it: where the command works, or where the probe is. */
static char *find_file(const struct execution *execution, const char *path)
{
    char *there = execution->directory ? absolute(execution->directory, path) : NULL;
    if (there && access(there, F_OK) == 0)
        return there;
    free(there);
    return absolute(NULL, path);
}

static char *find_subject(const struct command_visit *visit, const char *name)
{
    char *path = NULL;
    if (!*name || strchr(name, '/') || asprintf(&path, "%s/subject-%s", visit->kit, name) < 0)
        return NULL;
    return path;
}

static int find_program(const struct command_visit *visit, struct execution *execution)
{
    const char *word = execution->words[0];
    if (strncmp(word, SUBJECT_WORD, strlen(SUBJECT_WORD)) == 0) {
        execution->program = find_subject(visit, word + strlen(SUBJECT_WORD));
        if (!execution->program || access(execution->program, F_OK) < 0)
            return command_fail(visit, -ENOENT, "this kit has no %.200s", word);
        free(execution->words[0]);
        execution->words[0] = strdup(execution->program);
        return execution->words[0] ? 0 : command_fail(visit, -ENOMEM, "out of memory");
    }
    execution->program = strchr(word, '/') ? find_file(execution, word) : program_find(word);
    if (!execution->program)
        return command_fail(visit, -ENOENT,
                            "there is no program %.200s: not in PATH of the machine under test",
                            *word ? word : "\"\"");
    return 0;
}

/* 64 or 32 of an ELF file, 0 of anything else. */
static int bits_of(const char *program)
{
    unsigned char start[EI_NIDENT] = {0};
    AUTO_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || read(fd, start, sizeof(start)) != (ssize_t)sizeof(start) ||
        memcmp(start, ELFMAG, SELFMAG) != 0)
        return 0;
    return start[EI_CLASS] == ELFCLASS32 ? 32 : 64;
}

static int check_program(const struct command_visit *visit, const struct execution *execution)
{
    struct stat facts;
    char reason[512];
    int error = 0;
    if (stat(execution->program, &facts) < 0)
        error = errno;
    else if (S_ISDIR(facts.st_mode))
        error = EISDIR;
    else if (!S_ISREG(facts.st_mode) || access(execution->program, X_OK) < 0)
        error = EACCES;
    if (!error)
        return 0;
    places_explain(execution->program, error, reason, sizeof(reason));
    return command_fail(visit,
                        error == ENOTDIR  ? -ENOENT
                        : error == EISDIR ? -EACCES
                                          : -error,
                        "%s", reason);
}

static int resolve_files(const struct command_visit *visit, struct execution *execution)
{
    const struct cell_command *command = &visit->cell->command;
    int result = 0;
    if (command->directory && !(execution->directory = replace(visit, command->directory, &result)))
        return result;
    if (!command->input)
        return 0;
    AUTO_FREE char *input = replace(visit, command->input, &result);
    if (!input)
        return result;
    execution->input = find_file(execution, input);
    if (!execution->input)
        return command_fail(visit, -ENOMEM, "out of memory");
    if (access(execution->input, R_OK) < 0)
        return command_fail(visit, -errno, "its input %.300s cannot be read: %s", execution->input,
                            strerror(errno));
    return 0;
}

/* argv[0], where it is controlled, is the file's own name. */
static int settle_name(const struct command_visit *visit, struct execution *execution)
{
    if (!(visit->cell->command.controls & CONTROL_BIT(CONTROL_ARGV0)))
        return 0;
    const char *slash = strrchr(execution->program, '/');
    char *name = strdup(slash ? slash + 1 : execution->program);
    if (!name)
        return command_fail(visit, -ENOMEM, "out of memory");
    free(execution->words[0]);
    execution->words[0] = name;
    return 0;
}

/* The path of what is executed lies at the very beginning of the stack. */
static int lower_stack(const struct command_visit *visit, struct execution *execution)
{
    if (visit->cell->command.sweep != SWEEP_STACK || !visit->cell->command.swept)
        return 0;
    if (!execution->bits)
        return command_fail(visit, -ENOTSUP,
                            "%.200s is a script: the way that moves the stack would change its "
                            "interpreter's arguments. Give the interpreter and the script",
                            execution->program);
    char *longer = places_lengthen(execution->program, visit->cell->command.swept);
    if (!longer)
        return command_fail(visit, -ENAMETOOLONG,
                            "the stack of %.200s can be moved by at most %zu bytes",
                            execution->program, PATH_MAX - 1 - strlen(execution->program));
    free(execution->program);
    execution->program = longer;
    return 0;
}

char *places_lengthen(const char *path, uint64_t bytes)
{
    const char *slash = strrchr(path, '/');
    const size_t head = slash ? (size_t)(slash - path) : 0;
    AUTO_TEXT struct text longer = {0};
    if (!slash || bytes >= PATH_MAX || strlen(path) + bytes >= PATH_MAX)
        return NULL;
    text_append(&longer, path, head);
    while (bytes--)
        text_putc(&longer, '/');
    text_puts(&longer, slash);
    return text_take(&longer);
}

/* The interpreter in the first line of a script; false: it is none. */
static bool read_interpreter(const char *program, char *interpreter, size_t size)
{
    char line[PATH_MAX] = "";
    AUTO_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    if (got < 2 || line[0] != '#' || line[1] != '!')
        return false;
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = '\0';
    snprintf(interpreter, size, "%s", start);
    return true;
}

void places_explain(const char *program, int error, char *reason, size_t size)
{
    char interpreter[256];
    if (error == ENOENT && read_interpreter(program, interpreter, sizeof(interpreter)))
        snprintf(reason, size, "%.200s cannot be executed: its interpreter %.200s is not there",
                 program, interpreter);
    else if (error == ENOENT && access(program, F_OK) == 0)
        snprintf(reason, size,
                 "%.200s cannot be executed: the loader that it asks for is not there (is it for "
                 "another system?)",
                 program);
    else if (error == ENOENT || error == ENOTDIR)
        snprintf(reason, size, "there is no program %.300s on the machine under test", program);
    else if (error == EISDIR)
        snprintf(reason, size, "%.300s is a folder, not a program", program);
    else if (error == EACCES)
        snprintf(
            reason, size,
            "%.300s may not be executed: it, its interpreter, a folder above or the mount does "
            "not allow it (chmod +x?)",
            program);
    else if (error == ENOEXEC)
        snprintf(reason, size,
                 "%.300s is no program for this machine: neither ELF of its ISA nor a script that "
                 "begins with #!",
                 program);
    else
        snprintf(reason, size, "%.300s cannot be executed: %s", program, strerror(error));
}

int places_resolve(const struct command_visit *visit, struct execution *execution)
{
    int result = split(visit, execution);
    if (result == 0)
        result = resolve_files(visit, execution);
    if (result == 0)
        result = find_program(visit, execution);
    if (result == 0)
        result = check_program(visit, execution);
    if (result < 0)
        return result;
    execution->bits = bits_of(execution->program);
    result = settle_name(visit, execution);
    return result < 0 ? result : lower_stack(visit, execution);
}
