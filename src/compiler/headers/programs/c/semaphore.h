/* Threads run one after the other: one that would wait for another ends the program as unsupported. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <gpulearn/threads.h>
typedef struct { unsigned value; } sem_t;
#define SEM_FAILED ((sem_t *)0)
extern "C" {
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *s);
int sem_unlink(const char *name);
int sem_timedwait(sem_t *s, const struct timespec *until);
}
inline int sem_init(sem_t *s, int, unsigned value) { return s->value = value, 0; }
inline int sem_destroy(sem_t *) { return 0; }
inline int sem_post(sem_t *s) { return ++s->value, 0; }
inline int sem_wait(sem_t *s) {
    if (s->value == 0) __gpulearn_waits_for_thread("sem_wait");
    return --s->value, 0;
}
inline int sem_trywait(sem_t *s) {
    if (s->value == 0) return errno = EAGAIN, -1;
    return --s->value, 0;
}
inline int sem_getvalue(sem_t *s, int *to) { return *to = int(s->value), 0; }
