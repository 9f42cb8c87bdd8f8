// Host functions of two streams, and the host, add to a number that a mutex guards; the host waits for the number by
// taking the mutex again and again.
#include <cstdio>
#include <mutex>

std::mutex mutex;
int total = 0;

void add(void *) {
    std::lock_guard<std::mutex> guard(mutex);
    total += 1;
}

int main() {
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaLaunchHostFunc(a, add, nullptr);
    cudaLaunchHostFunc(b, add, nullptr);
    add(nullptr);
    for (bool done = false; !done;) {
        std::lock_guard<std::mutex> guard(mutex);
        done = total == 3;
    }
    printf("%d\n", total);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
