/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row of an export, as a record of CSV (RFC 4180: CRLF, quotes where needed, no value is an
 * empty field, an empty text is "") or as a JSON object on a line of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/command.h"
#include "commands/export.h"
#include "output/json.h"
#include "show/utf8.h"

/* Beyond this a JSON reader that uses doubles would round: then digits are a string. */
#define EXACT_IN_A_DOUBLE (UINT64_C(1) << 53)

static void put_number_of_run(struct export_row *row)
{
    text_printf(&row->line, row->json ? "\"store\":%u" : "%u", row->run->number);
    row->next = 1;
}

static void begin_value(struct export_row *row)
{
    if (row->numbered && row->next == 0)
        put_number_of_run(row);
    if (row->next > 0)
        text_putc(&row->line, ',');
    if (row->json)
        text_printf(&row->line, "\"%s\":", row->columns[row->next]);
    row->next++;
}

/* printf would be a quarter of the time of an export. */
static void put_digits(struct text *line, uint64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    text_append(line, digits + at, sizeof(digits) - at);
}

static void put_number(struct export_row *row, bool negative, uint64_t magnitude)
{
    bool quoted = row->json && magnitude > EXACT_IN_A_DOUBLE;
    begin_value(row);
    if (quoted)
        text_putc(&row->line, '"');
    if (negative)
        text_putc(&row->line, '-');
    put_digits(&row->line, magnitude);
    if (quoted)
        text_putc(&row->line, '"');
}

void row_count(struct export_row *row, uint64_t value)
{
    put_number(row, false, value);
}

void row_difference(struct export_row *row, int64_t value)
{
    put_number(row, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void row_flag(struct export_row *row, bool value)
{
    begin_value(row);
    text_puts(&row->line, row->json ? (value ? "true" : "false") : (value ? "1" : "0"));
}

void row_none(struct export_row *row)
{
    begin_value(row);
    if (row->json)
        text_puts(&row->line, "null");
}

static void put_json_text(struct text *line, const char *string)
{
    json_t *value = json_text(string);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (dumped)
        text_puts(line, dumped);
    else
        line->failed = true;
    free(dumped);
}

/* A store may come from anywhere and the CSV may go to a terminal: what a terminal would obey
 * becomes U+FFFD. Line ends and tabs stay. */
static void put_csv_text(struct text *line, const char *string)
{
    AUTO_TEXT struct text valid = {0};
    text_put_utf8(&valid, string);
    bool quoted = !*string || strpbrk(string, ",\"\r\n");
    if (quoted)
        text_putc(line, '"');
    for (const char *c = text_string(&valid); *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool c1 = byte == 0xc2 && (unsigned char)c[1] < 0xa0;
        if (*c == '"')
            text_puts(line, "\"\"");
        else if ((byte < 0x20 && !strchr("\t\r\n", *c)) || byte == 0x7f || c1)
            text_puts(line, "\xef\xbf\xbd");
        else
            text_putc(line, *c);
        c += c1;
    }
    if (quoted)
        text_putc(line, '"');
    line->failed |= valid.failed;
}

void row_text(struct export_row *row, const char *string)
{
    if (!string) {
        row_none(row);
        return;
    }
    begin_value(row);
    if (row->json)
        put_json_text(&row->line, string);
    else
        put_csv_text(&row->line, string);
}

static int write_line(struct export_row *row, const char *before, const char *after)
{
    if (row->line.failed)
        return -ENOMEM;
    errno = 0;
    fputs(before, row->stream);
    fwrite(row->line.bytes, 1, row->line.length, row->stream);
    fputs(after, row->stream);
    if (ferror(row->stream))
        return errno ? -errno : -EIO;
    text_clear(&row->line);
    row->next = 0;
    return interrupted ? -EINTR : 0;
}

int row_header(struct export_row *row)
{
    if (row->json)
        return 0;
    for (size_t i = 0; row->columns[i]; i++)
        text_printf(&row->line, "%s%s", i ? "," : "", row->columns[i]);
    return write_line(row, "", "\r\n");
}

int row_end(struct export_row *row)
{
    if (!row->json)
        return row->rows++, write_line(row, "", "\r\n");
    return write_line(row, row->rows++ ? ",\n    {" : "\n    {", "}");
}
