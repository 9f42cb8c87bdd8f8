// Headers of C++20, and what a program that includes one may write.

#include <array>
#include <bit>
#include <concepts>
#include <cstdio>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

template <std::integral T>
__host__ __device__ T twice(T t) {
    return t + t;
}

template <class F>
    requires std::invocable<F, int>
int call(F f) {
    return f(3);
}

static_assert(std::same_as<int, int> && std::floating_point<float> && !std::integral<float>);
static_assert(std::totally_ordered<int> && std::regular<std::string> && std::predicate<bool (*)(int), int>);

static void where(std::source_location at = std::source_location::current()) {
    std::string file = at.file_name();
    printf("%s: %u\n", file.substr(file.rfind('/') + 1).c_str(), at.line());
}

static int sum(std::span<const int> of) {
    int all = 0;
    for (int x : of) all += x;
    return all;
}

__global__ void halve(std::span<int> of) {
    if (threadIdx.x < of.size()) of[threadIdx.x] = twice(of[threadIdx.x]) / 4;
}

int main() {
    where();
    std::vector<int> numbers{1, 2, 3, 4};
    const std::vector<int> fixed{7, 8};
    int three[] = {1, 2, 3};
    std::array<int, 2> two{4, 5};
    printf("%d %d %d %d %d\n", sum(numbers), sum(three), sum(two), sum(fixed), sum({three, 2}));

    std::span all(numbers);
    std::span<int, 3> of_three(three);
    std::span of_two(two);
    std::span of_fixed(fixed);
    std::span<int> none;
    static_assert(sizeof of_three == sizeof(void *) && decltype(of_two)::extent == 2);
    static_assert(std::same_as<decltype(of_fixed), std::span<const int>>);
    all[0] = 9;
    of_three.back() = 8;
    printf("%d %d %zu %d\n", numbers[0], three[2], all.size_bytes(), none.empty());
    for (int x : of_three.first(2)) printf("%d ", x);
    for (int x : all.last(1)) printf("%d ", x);
    for (int x : all.subspan(1, 2)) printf("%d ", x);
    printf("%d %zu %zu %zu\n", *of_three.rbegin(), of_three.last<2>().size(), of_three.subspan<1>().size(),
           std::as_bytes(of_three).size());

    printf("%d %d %d %d\n", std::popcount(255u), std::countl_zero((unsigned char)1), std::countr_zero(8ul),
           std::has_single_bit(6u));
    printf("%d %u %u %d %d\n", (int)std::bit_width(5u), std::bit_ceil(5u), std::bit_floor(5u),
           std::rotl((unsigned char)0x81, 1), std::rotr((unsigned char)0x81, 1));
    printf("%x %d\n", std::bit_cast<unsigned>(1.0f), std::endian::native == std::endian::little);

    std::erase(numbers, 4);
    std::erase_if(numbers, [](int x) { return x == 2; });
    std::map<int, int> squares{{1, 1}, {2, 4}, {3, 9}};
    printf("%zu gone\n", std::erase_if(squares, [](auto &item) { return item.second > 3; }));
    auto made = std::to_array({1, 2, 3});
    printf("%zu %zu %zu\n", numbers.size(), squares.size(), made.size());
    printf("%d %d\n", twice(4), call([](int x) { return x + 1; }));

    int *device;
    cudaMalloc(&device, sizeof two);
    cudaMemcpy(device, two.data(), sizeof two, cudaMemcpyHostToDevice);
    halve<<<1, 32>>>(std::span<int>(device, two.size()));
    cudaMemcpy(two.data(), device, of_two.size_bytes(), cudaMemcpyDeviceToHost);
    printf("%d %d\n", two[0], two[1]);
    cudaFree(device);
}
