/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts, and their text. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "machine/facts.h"

/* --- The errnos that reading a machine can give, by name --- */

#define NAMED(error)                                                                               \
    {                                                                                              \
        error, #error                                                                              \
    }
static const struct {
    int error;
    const char *name;
} errno_names[] = {
    NAMED(EPERM),        NAMED(ENOENT),       NAMED(ESRCH),     NAMED(EINTR),  NAMED(EIO),
    NAMED(ENXIO),        NAMED(E2BIG),        NAMED(EBADF),     NAMED(ECHILD), NAMED(EAGAIN),
    NAMED(ENOMEM),       NAMED(EACCES),       NAMED(EFAULT),    NAMED(EBUSY),  NAMED(EEXIST),
    NAMED(ENODEV),       NAMED(ENOTDIR),      NAMED(EISDIR),    NAMED(EINVAL), NAMED(ENFILE),
    NAMED(EMFILE),       NAMED(EFBIG),        NAMED(ENOSPC),    NAMED(EROFS),  NAMED(EPIPE),
    NAMED(ERANGE),       NAMED(ENAMETOOLONG), NAMED(ENOSYS),    NAMED(ELOOP),  NAMED(ENODATA),
    NAMED(EOVERFLOW),    NAMED(EOPNOTSUPP),   NAMED(ETIMEDOUT), NAMED(ESTALE), NAMED(ECANCELED),
    NAMED(EKEYREJECTED),
};

const char *errno_name(int error, char *text, size_t size)
{
    for (size_t i = 0; i < sizeof(errno_names) / sizeof(errno_names[0]); i++) {
        if (errno_names[i].error == error) {
            snprintf(text, size, "%s", errno_names[i].name);
            return text;
        }
    }
    snprintf(text, size, "E%d", error);
    return text;
}

int errno_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof(errno_names) / sizeof(errno_names[0]); i++)
        if (strcmp(errno_names[i].name, name) == 0)
            return errno_names[i].error;
    if (name[0] != 'E' || strspn(name + 1, "0123456789") != strlen(name + 1))
        return 0;
    long number = strtol(name + 1, NULL, 10);
    return number > 0 && number < 4096 ? (int)number : 0;
}

/* ----------------------------------------------------------------------------------------------
 * The list of facts: add, replace, find. Written on the machine under test, read everywhere.
 * Invariant: keys are unique and well formed; a fact has either a value or a positive errno. */

static struct fact *find(const struct facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->count; i++)
        if (strcmp(facts->list[i].key, key) == 0)
            return &facts->list[i];
    return NULL;
}

static int append(struct facts *facts, const char *key, struct fact **added)
{
    if (facts->count >= FACTS_MAX)
        return -E2BIG;
    char *name = strdup(key);
    *added = name ? list_add(&facts->list, &facts->count, sizeof(**added)) : NULL;
    if (!*added) {
        free(name);
        return -ENOMEM;
    }
    **added = (struct fact){.key = name, .error = ENODATA};
    return 0;
}

int facts_set(struct facts *facts, const char *key, const char *value, int error)
{
    size_t length =
        strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    if (!(length > 0 && length <= FACTS_MAX_KEY && key[length] == '\0'))
        return -EINVAL;
    char *copy = NULL;
    if (value) {
        copy = strndup(value, FACTS_MAX_VALUE);
        if (!copy)
            return -ENOMEM;
    }
    struct fact *fact = find(facts, key);
    if (!fact) {
        int result = append(facts, key, &fact);
        if (result < 0) {
            free(copy);
            return result;
        }
    }
    free(fact->value);
    fact->value = copy;
    fact->error = copy ? 0 : error > 0 ? error : ENODATA;
    return 0;
}

int facts_setf(struct facts *facts, const char *key, const char *format, ...)
{
    AUTO_FREE char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&value, format, arguments);
    va_end(arguments);
    if (length < 0) {
        value = NULL;
        return -ENOMEM;
    }
    return facts_set(facts, key, value, 0);
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
    return find(facts, key);
}

const char *facts_get(const struct facts *facts, const char *key)
{
    const struct fact *fact = find(facts, key);
    return fact ? fact->value : NULL;
}

int facts_error(const struct facts *facts, const char *key)
{
    const struct fact *fact = find(facts, key);
    return fact ? fact->error : ENODATA;
}

long long facts_number(const struct facts *facts, const char *key, long long otherwise)
{
    const char *value = facts_get(facts, key);
    if (!value)
        return otherwise;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return errno == 0 && end != value && *end == '\0' ? number : otherwise;
}

void facts_free(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->list[i].key);
        free(facts->list[i].value);
    }
    free(facts->list);
    *facts = (struct facts){0};
}

/* ----------------------------------------------------------------------------------------------
 * The text form of facts: what `doctor --save` writes and recorded machines hold. One fact a line,
 * readable and diffable; a file from elsewhere is checked line by line. */

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

/* Reads a machine, live or recorded. Stands below every collector in src/machine. */

#define MAX_FILE (4u << 20) /* bytes; /proc/cpuinfo of a thousand CPUs fits */

bool view_recorded(const struct machine_view *view)
{
    return view->live || view->root[0] != '\0';
}

int view_open_recorded(struct machine_view *view, const char *root, struct facts *live,
                       struct failure *failure)
{
    *view = (struct machine_view){.root = root, .live = live};
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/live", root) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT
                   ? 0
                   : fail_with(failure, -errno, "cannot open %s: %s", path, strerror(errno));
    return facts_read(live, file, failure);
}

static char *below(const struct machine_view *view, const char *path)
{
    char *full;
    return asprintf(&full, "%s%s", view->root, path) < 0 ? NULL : full;
}

static int read_all(int fd, struct text *content)
{
    char block[4096];
    for (;;) {
        ssize_t got = read(fd, block, sizeof(block));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            return content->failed ? -ENOMEM : 0;
        if (content->length + (size_t)got > MAX_FILE)
            return -EFBIG;
        text_append(content, block, (size_t)got);
    }
}

int view_text(const struct machine_view *view, const char *path, struct text *content)
{
    text_clear(content);
    AUTO_FREE char *full = below(view, path);
    if (!full)
        return -ENOMEM;
    AUTO_CLOSE int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? -EISDIR : -ENODEV;
    text_puts(content, ""); /* a string also where the file is empty: readers cut it into lines */
    return content->failed ? -ENOMEM : read_all(fd, content);
}

static int read_tidy(const struct machine_view *view, const char *path, struct text *content)
{
    int result = view_text(view, path, content);
    if (result == 0) {
        /* Facts are lines of text: a device tree's NUL separators become spaces, trailing blanks
         * go. */
        for (size_t i = 0; i < content->length; i++)
            if (content->bytes[i] == '\0')
                content->bytes[i] = ' ';
        while (content->length > 0 && isspace((unsigned char)content->bytes[content->length - 1]))
            content->bytes[--content->length] = '\0';
    }
    return result;
}

void view_read(const struct machine_view *view, struct facts *facts, const char *key,
               const char *path)
{
    AUTO_TEXT struct text content = {0};
    int result = read_tidy(view, path, &content);
    facts_set(facts, key, result < 0 ? NULL : text_string(&content), -result);
}

void view_live(const struct machine_view *view, struct facts *facts, const char *key,
               const char *value, int error)
{
    if (!view_recorded(view)) {
        facts_set(facts, key, value, error);
        return;
    }
    const struct fact *fact = view->live ? facts_find(view->live, key) : NULL;
    facts_set(facts, key, fact ? fact->value : NULL, fact ? fact->error : ENODATA);
}

static int by_version(const void *left, const void *right)
{
    return strverscmp(*(char *const *)left, *(char *const *)right);
}

static int add_name(struct view_names *names, const char *name)
{
    char **added = list_add(&names->list, &names->count, sizeof(*added));
    if (added)
        *added = strdup(name);
    if (added && !*added)
        names->count--;
    return added && *added ? 0 : -ENOMEM;
}

int view_names(const struct machine_view *view, const char *path, const char *pattern,
               struct view_names *names)
{
    *names = (struct view_names){0};
    AUTO_FREE char *full = below(view, path);
    AUTO_DIR DIR *folder = full ? opendir(full) : NULL;
    if (!folder)
        return full ? -errno : -ENOMEM;
    int result = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && fnmatch(pattern, entry->d_name, 0) == 0)
            result = add_name(names, entry->d_name);
    if (result < 0)
        view_names_free(names);
    else if (names->count > 0)
        qsort(names->list, names->count, sizeof(*names->list), by_version);
    return result;
}

void view_names_free(struct view_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct view_names){0};
}

/* A value may hold commas itself ("sifive,u74-mc"). */
void distinct_add(struct text *list, const char *value)
{
    size_t length = strlen(value);
    if (length == 0)
        return;
    const char *whole = text_string(list);
    for (const char *at = whole; (at = strstr(at, value)); at++) {
        if ((at == whole || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return;
    }
    text_printf(list, "%s%s", list->length ? "," : "", value);
}

void view_distinct(const struct machine_view *view, struct facts *facts, const char *key,
                   const char *folder, const char *pattern, const char *file)
{
    AUTO_NAMES struct view_names names;
    int error = view_names(view, folder, pattern, &names);
    AUTO_TEXT struct text joined = {0};
    AUTO_TEXT struct text content = {0};
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = NULL;
        if (asprintf(&path, "%s/%s/%s", folder, names.list[i], file) < 0) {
            path = NULL;
            break;
        }
        int result = read_tidy(view, path, &content);
        if (result < 0)
            error = result;
        else
            distinct_add(&joined, text_string(&content));
    }
    facts_set(facts, key, joined.length ? text_string(&joined) : NULL, error ? -error : ENOENT);
}
