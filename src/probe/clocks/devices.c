/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The battery-backed clock of the machine, in seconds since 1970. Its device lets one in at a time
 * and often root alone; what sysfs shows of it is read from the hardware as well, by anybody. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/rtc.h>

#include "probe/clocks/calendar.h"
#include "probe/clocks/clock.h"
#include "syscall.h"

#define DEVICE "/dev/rtc0"
#define SHOWN  "/sys/class/rtc/rtc0/since_epoch"

enum { BY_DEVICE, BY_FILE }; /* reader->id */

static uint64_t ask_device(struct clock_reader *reader)
{
    struct rtc_time time = {0};
    long result = assay_syscall3(SYS_ioctl, reader->descriptor, (long)RTC_RD_TIME, (long)&time);
    if (result < 0)
        return clock_fails(reader, (int)-result, DEVICE " cannot be read: %s",
                           strerror((int)-result));
    return seconds_since_1970(&(struct calendar_time){time.tm_year + 1900LL, time.tm_mon + 1,
                                                      time.tm_mday, time.tm_hour, time.tm_min,
                                                      time.tm_sec});
}

static uint64_t ask_file(struct clock_reader *reader)
{
    char digits[32] = "";
    uint64_t value = 0;
    long length = assay_syscall4(SYS_pread64, reader->descriptor, (long)digits, sizeof(digits), 0);
    if (length < 0)
        return clock_fails(reader, (int)-length, SHOWN " cannot be read: %s",
                           strerror((int)-length));
    for (long at = 0; at < length && digits[at] >= '0' && digits[at] <= '9'; at++)
        value = value * 10 + (uint64_t)(digits[at] - '0');
    return value ? value : clock_fails(reader, EPROTO, SHOWN " holds no number of seconds");
}

static uint64_t ask(struct clock_reader *reader)
{
    return reader->id == BY_DEVICE ? ask_device(reader) : ask_file(reader);
}

CLOCK_READ_AND_FILL(rtc, ask(reader))

/* Where the first way is closed, the second may be open. */
static int open_either(struct clock_reader *reader)
{
    reader->id = BY_DEVICE;
    reader->descriptor = open(DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = errno;
    if (reader->descriptor >= 0)
        return 0;
    reader->id = BY_FILE;
    reader->descriptor = open(SHOWN, O_RDONLY | O_CLOEXEC);
    return reader->descriptor >= 0 ? 0 : error;
}

static int rtc_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int error = open_either(reader);
    if (error == ENOENT || error == ENODEV || error == ENXIO)
        return clock_says(reason, size, -error, "this machine has no RTC (no " DEVICE ")");
    if (error)
        return clock_says(reason, size, -error, DEVICE " cannot be opened: %s", strerror(error));
    ask(reader);
    if (reader->error)
        return clock_says(reason, size, -reader->error, "%s", reader->why);
    reader->hz = 1;
    return clock_says(claim, CLOCK_CLAIM, 0, "the RTC: it counts seconds");
}

static double whole_second(struct clock_reader *reader)
{
    (void)reader;
    return 1e9;
}

const struct clock clock_rtc = {
    .name = "rtc",
    .kind = CLOCK_WALL,
    .way = "device",
    .note = "tells whole seconds: only the moments of its steps can be compared",
    .slow = true,
    .hardware = "rtc",
    .open = rtc_open,
    .read = rtc_read,
    .fill = rtc_fill,
    .claimed_resolution = whole_second,
};
