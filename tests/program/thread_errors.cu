// The last error and the current device are each host thread's own.
// devices: 2
#include <cstdio>
#include <thread>

int main() {
    cudaSetDevice(1);
    cudaMemset(nullptr, 0, 4);
    std::thread other([] {
        int device;
        cudaGetDevice(&device);
        printf("thread: %s, device %d\n", cudaGetErrorName(cudaGetLastError()), device);
        printf("thread: %s\n", cudaGetErrorName(cudaSetDevice(99)));
    });
    other.join();
    int device;
    cudaGetDevice(&device);
    printf("main: %s, device %d\n", cudaGetErrorName(cudaGetLastError()), device);
    printf("main: %s\n", cudaGetErrorName(cudaGetLastError()));
}
