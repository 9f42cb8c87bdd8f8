#pragma once
#include <sys/types.h>
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};
extern "C" int gettimeofday(struct timeval *out, void *zone);
#define timersub(a, b, out)                            \
    do {                                               \
        (out)->tv_sec = (a)->tv_sec - (b)->tv_sec;     \
        (out)->tv_usec = (a)->tv_usec - (b)->tv_usec;  \
        if ((out)->tv_usec < 0) {                      \
            --(out)->tv_sec;                           \
            (out)->tv_usec += 1000000;                 \
        }                                              \
    } while (0)
