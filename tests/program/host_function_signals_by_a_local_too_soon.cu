// The value is read before the atomic variable tells of it.
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
    printf("%d\n", box.value); //~ O001
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
