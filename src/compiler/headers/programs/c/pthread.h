/* Threads of the host, which run one after the other: each where it is created, to its end. */
#pragma once
#include <errno.h>
#include <gpulearn/threads.h>

typedef unsigned long pthread_t;
typedef struct { int detached; } pthread_attr_t;
typedef struct { int held; } pthread_mutex_t;
typedef struct { int kind; } pthread_mutexattr_t;
typedef struct { int unused; } pthread_cond_t;
typedef struct { int unused; } pthread_condattr_t;
typedef struct { unsigned count; } pthread_barrier_t;
typedef struct { int unused; } pthread_barrierattr_t;
typedef struct { int readers, held; } pthread_rwlock_t;
typedef struct { int unused; } pthread_rwlockattr_t;
typedef volatile int pthread_spinlock_t;
typedef int pthread_once_t;
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_RWLOCK_INITIALIZER {0, 0}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

struct __gpulearn_pthread {
    pthread_t number;
    void *result;
    struct __gpulearn_pthread *next;
};
/* Those that ended and were not joined. */
inline struct __gpulearn_pthread *__gpulearn_pthreads = 0;
inline pthread_t __gpulearn_pthreads_created = 1, __gpulearn_pthread_running = 1;

inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument) {
    pthread_t number = ++__gpulearn_pthreads_created, creator = __gpulearn_pthread_running;
    *thread = number;
    __gpulearn_pthread_running = number;
    void *result = std::__run_as_thread([&] { return f(argument); });
    __gpulearn_pthread_running = creator;
    if (attributes && attributes->detached) return 0;
    __gpulearn_pthreads = new __gpulearn_pthread{number, result, __gpulearn_pthreads};
    return 0;
}
extern "C" int pthread_cancel(pthread_t thread);
inline int pthread_join(pthread_t thread, void **result) {
    for (__gpulearn_pthread **at = &__gpulearn_pthreads; *at; at = &(*at)->next) {
        if ((*at)->number != thread) continue;
        __gpulearn_pthread *ended = *at;
        if (result) *result = ended->result;
        *at = ended->next;
        delete ended;
        return 0;
    }
    return 3; /* ESRCH */
}
inline int pthread_detach(pthread_t thread) { return pthread_join(thread, 0); }
inline pthread_t pthread_self(void) { return __gpulearn_pthread_running; }
inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
inline int pthread_attr_init(pthread_attr_t *a) { return a->detached = 0; }
inline int pthread_attr_destroy(pthread_attr_t *) { return 0; }
inline int pthread_attr_setdetachstate(pthread_attr_t *a, int state) {
    a->detached = state;
    return 0;
}
inline int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *) { return m->held = 0; }
inline int pthread_mutex_destroy(pthread_mutex_t *) { return 0; }
inline int pthread_mutex_lock(pthread_mutex_t *m) {
    if (std::__exchanged(&m->held, 1)) __gpulearn_waits_for_thread("pthread_mutex_lock");
    return 0;
}
inline int pthread_mutex_trylock(pthread_mutex_t *m) { return std::__exchanged(&m->held, 1) ? EBUSY : 0; }
inline int pthread_mutex_unlock(pthread_mutex_t *m) { return *std::__opaque(&m->held) = 0; }
inline int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *, unsigned count) {
    b->count = count;
    return count ? 0 : EINVAL;
}
inline int pthread_barrier_destroy(pthread_barrier_t *) { return 0; }
inline int pthread_barrier_wait(pthread_barrier_t *b) {
    if (b->count > 1) __gpulearn_waits_for_thread("pthread_barrier_wait");
    return PTHREAD_BARRIER_SERIAL_THREAD;
}
inline int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *) { return 0; }
inline int pthread_cond_destroy(pthread_cond_t *) { return 0; }
inline int pthread_cond_signal(pthread_cond_t *) { return 0; }
inline int pthread_cond_broadcast(pthread_cond_t *) { return 0; }
inline int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *) { __gpulearn_waits_for_thread("pthread_cond_wait"); }
inline int pthread_once(pthread_once_t *once, void (*f)(void)) {
    if (*once == PTHREAD_ONCE_INIT) {
        *once = 1;
        f();
    }
    return 0;
}
inline int pthread_spin_init(pthread_spinlock_t *s, int) { return *s = 0; }
inline int pthread_spin_destroy(pthread_spinlock_t *) { return 0; }
inline int pthread_spin_trylock(pthread_spinlock_t *s) { return *s ? EBUSY : (*s = 1, 0); }
inline int pthread_spin_lock(pthread_spinlock_t *s) {
    if (pthread_spin_trylock(s)) __gpulearn_waits_for_thread("pthread_spin_lock");
    return 0;
}
inline int pthread_spin_unlock(pthread_spinlock_t *s) { return *s = 0; }
inline int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *) { return l->readers = l->held = 0; }
inline int pthread_rwlock_destroy(pthread_rwlock_t *) { return 0; }
inline int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return l->held ? EBUSY : (++l->readers, 0); }
inline int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return l->held || l->readers ? EBUSY : (l->held = 1, 0); }
inline int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    if (pthread_rwlock_tryrdlock(l)) __gpulearn_waits_for_thread("pthread_rwlock_rdlock");
    return 0;
}
inline int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    if (pthread_rwlock_trywrlock(l)) __gpulearn_waits_for_thread("pthread_rwlock_wrlock");
    return 0;
}
inline int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    if (l->held) l->held = 0;
    else --l->readers;
    return 0;
}
