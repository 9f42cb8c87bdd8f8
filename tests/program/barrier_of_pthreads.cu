// Threads that wait for each other: here each runs where it is created, to its end.
// exit: unsupported
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t together;

static void *work(void *p) {
    pthread_barrier_wait(&together);
    return p;
}

int main() {
    pthread_t thread;
    pthread_barrier_t alone;
    pthread_barrier_init(&alone, NULL, 1);
    printf("%d\n", pthread_barrier_wait(&alone) == PTHREAD_BARRIER_SERIAL_THREAD);
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&together);
    pthread_join(thread, NULL);
}
