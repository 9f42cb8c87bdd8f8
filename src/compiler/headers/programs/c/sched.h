/* The program has one processor: which one it runs on is neither asked for nor chosen. */
#pragma once
#include <string.h>
#include <sys/types.h>
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 1024
struct sched_param {
    int sched_priority;
};
typedef struct { unsigned long bits[CPU_SETSIZE / 64]; } cpu_set_t;
#define CPU_ZERO(set) memset(set, 0, sizeof(cpu_set_t))
#define CPU_SET(cpu, set) ((void)((set)->bits[(cpu) / 64] |= 1ul << (cpu) % 64))
#define CPU_CLR(cpu, set) ((void)((set)->bits[(cpu) / 64] &= ~(1ul << (cpu) % 64)))
#define CPU_ISSET(cpu, set) int((set)->bits[(cpu) / 64] >> (cpu) % 64 & 1)
extern "C" {
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *to);
int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *to);
int sched_getcpu(void);
}
inline int sched_yield(void) { return 0; }
