// A host function sets the value of a promise, and another one tells by a condition variable that it has set one.
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>

struct Box {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    int value = 0;
};

void keep(void *argument) { static_cast<std::promise<int> *>(argument)->set_value(100); }

void tell(void *argument) {
    Box *box = static_cast<Box *>(argument);
    {
        std::lock_guard<std::mutex> guard(box->mutex);
        box->value = 200;
        box->ready = true;
    }
    box->changed.notify_one();
}

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    cudaLaunchHostFunc(s, keep, &promise);
    printf("%d\n", future.get());
    Box box;
    cudaLaunchHostFunc(s, tell, &box);
    {
        std::unique_lock<std::mutex> lock(box.mutex);
        box.changed.wait(lock, [&] { return box.ready; });
        printf("%d\n", box.value);
    }
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
