// The atomic variable by which a host function tells of its value is a local variable of main().
#include <atomic>
#include <cstdio>

struct Box {
    std::atomic<bool> ready{false};
    int value = 0;
};

void publish(void *argument) {
    Box *box = static_cast<Box *>(argument);
    box->value = 100;
    box->ready.store(true, std::memory_order_release);
}

int main() {
    Box box;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaLaunchHostFunc(s, publish, &box);
    while (!box.ready.load(std::memory_order_acquire)) {
    }
    printf("%d\n", box.value);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
