// Threads of the host: a GPU each, a mutex around what they share, results by reference, by a future and by a promise.
// devices: 2
#include <condition_variable>
#include <cstdio>
#include <cuda_runtime.h>
#include <future>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <vector>

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

void work(int gpu, std::vector<int> &sums, std::mutex &guard) {
    cudaSetDevice(gpu);
    int *device, host[32];
    cudaMalloc(&device, sizeof host);
    fill<<<1, 32>>>(device, gpu + 1);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    std::lock_guard<std::mutex> lock(guard);
    sums.push_back(std::accumulate(host, host + 32, 0));
}

struct Counter {
    int value = 0;
    void add(int n) { value += n; }
};

int main() {
    std::vector<int> sums;
    std::mutex guard;
    std::vector<std::thread> threads;
    for (int gpu = 0; gpu < 2; gpu++) threads.emplace_back(work, gpu, std::ref(sums), std::ref(guard));
    for (auto &thread : threads) thread.join();
    int device = -1;
    cudaGetDevice(&device);
    printf("%d %d, device %d\n", sums[0], sums[1], device);

    Counter counter;
    std::thread member(&Counter::add, &counter, 5);
    printf("%d %d %d\n", member.joinable(), member.get_id() != std::this_thread::get_id(), counter.value);
    member.join();
    std::thread moved([](std::unique_ptr<int> p) { printf("owns %d\n", *p); }, std::make_unique<int>(7));
    std::thread other = std::move(moved);
    printf("%d %d\n", moved.joinable(), other.joinable());
    other.join();

    auto square = [](int x) { return x * x; };
    auto now = std::async(std::launch::async, square, 12);
    auto later = std::async(std::launch::deferred, square, 13);
    printf("%d %d ", now.wait_for(std::chrono::seconds(0)) == std::future_status::ready,
           later.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
    printf("%d %d\n", now.get(), later.get());
    std::promise<std::vector<int>> promise;
    auto promised = promise.get_future();
    std::thread keeps([&promise] { promise.set_value({1, 2, 3}); });
    keeps.join();
    printf("%d\n", promised.get()[2]);
    std::packaged_task<int(int)> task(square);
    auto result = task.get_future();
    std::thread runs(std::move(task), 4);
    runs.detach();
    printf("%d\n", result.get());

    std::condition_variable ready;
    bool is_ready = false;
    std::thread sets([&] {
        std::unique_lock<std::mutex> lock(guard);
        is_ready = true;
        ready.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(guard);
        ready.wait(lock, [&] { return is_ready; });
        printf("%d\n", lock.owns_lock());
    }
    sets.join();
    std::once_flag once;
    for (int i = 0; i < 3; i++) std::call_once(once, [] { puts("once"); });
    std::shared_mutex table;
    {
        std::shared_lock<std::shared_mutex> a(table), b(table);
        printf("%d\n", table.try_lock());
    }
    std::scoped_lock both(guard, table);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}
