/* What a program uses of the machine is not known to it here: the functions are declared alone. */
#pragma once
#include <sys/time.h>
#include <sys/types.h>
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define RLIMIT_CPU 0
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_AS 9
#define RLIM_INFINITY (~0UL)
typedef unsigned long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv,
        ru_nsignals, ru_nvcsw, ru_nivcsw;
};
extern "C" {
int getrusage(int who, struct rusage *to);
int getrlimit(int resource, struct rlimit *to);
int setrlimit(int resource, const struct rlimit *limit);
}
