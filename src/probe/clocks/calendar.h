/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A date of the Gregorian calendar as seconds, without libc's zones of time: what an RTC shows. */
#pragma once

#include <stdint.h>

struct calendar_time {
    int64_t year, month, day; /* month and day count from 1 */
    int64_t hour, minute, second;
};

/* Days from 1970-01-01. Years are taken from March on, so that the leap day comes last. */
static inline int64_t days_since_1970(const struct calendar_time *time)
{
    int64_t year = time->month > 2 ? time->year : time->year - 1;
    int64_t month = time->month > 2 ? time->month - 3 : time->month + 9;
    int64_t leap_days = year / 4 - year / 100 + year / 400;
    int64_t day_of_year = (153 * month + 2) / 5 + time->day - 1;
    return year * 365 + leap_days + day_of_year - 719468;
}

static inline uint64_t seconds_since_1970(const struct calendar_time *time)
{
    return (uint64_t)(days_since_1970(time) * 86400 + time->hour * 3600 + time->minute * 60 +
                      time->second);
}
