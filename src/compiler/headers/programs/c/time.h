// clock is built into the compiler, which reads the processor's %clock: in host code it counts
// microseconds.
#pragma once
#include <stddef.h>
#include <string.h>

#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define TIME_UTC 1

typedef long time_t;
typedef int clockid_t;
#ifndef __gpulearn_timespec
#define __gpulearn_timespec
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
#endif
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

extern "C" {
time_t time(time_t *out);
int clock_gettime(clockid_t clock, struct timespec *out);
int clock_getres(clockid_t clock, struct timespec *out);
int timespec_get(struct timespec *out, int base);
int nanosleep(const struct timespec *time, struct timespec *rest);
struct tm *gmtime(const time_t *time);
struct tm *localtime(const time_t *time);
struct tm *gmtime_r(const time_t *time, struct tm *out);
struct tm *localtime_r(const time_t *time, struct tm *out);
time_t mktime(struct tm *time);
char *ctime(const time_t *time);
char *asctime(const struct tm *time);
size_t strftime(char *to, size_t bytes, const char *format, const struct tm *time);
}
inline double difftime(time_t end, time_t start) { return (double)(end - start); }
inline char *ctime_r(const time_t *time, char *to) { return strcpy(to, ctime(time)); }
inline char *asctime_r(const struct tm *time, char *to) { return strcpy(to, asctime(time)); }
