// Threads of POSIX: arguments, results, a mutex.
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

struct Job {
    int from, to;
    pthread_mutex_t *lock;
    long *total;
};

__global__ void ramp(int *out, int from) { out[threadIdx.x] = from + threadIdx.x; }

void *run(void *argument) {
    Job *job = (Job *)argument;
    int n = job->to - job->from, *device, host[64];
    cudaMalloc(&device, n * sizeof(int));
    ramp<<<1, n>>>(device, job->from);
    cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    pthread_mutex_lock(job->lock);
    for (int i = 0; i < n; i++) *job->total += host[i];
    pthread_mutex_unlock(job->lock);
    return (void *)(long)n;
}

int main() {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    long total = 0;
    Job jobs[2] = {{0, 10, &lock, &total}, {10, 30, &lock, &total}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], nullptr, run, &jobs[i]) != 0) return 1;
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        printf("%ld ", (long)result);
    }
    printf("%ld\n", total);
}
