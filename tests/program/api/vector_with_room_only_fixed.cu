// Vectors with more room than elements, in all ways in which they are filled, moved and copied.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

template <class T>
std::vector<T> with_room(size_t n) {
    std::vector<T> made;
    made.reserve(n);
    return made;
}

int main() {
    const int n = 8;
    std::vector<float> h_x = with_room<float>(n);
    printf("%zu of %zu\n", h_x.size(), h_x.capacity());
    for (int i = 0; i < n; i++) h_x.push_back(i);
    printf("%zu of %zu, %g\n", h_x.size(), h_x.capacity(), h_x[n - 1]);
    h_x.reserve(3 * n);
    h_x.pop_back();
    h_x.insert(h_x.begin() + 1, 3, 0.5f);
    printf("%zu of %zu, %g %g\n", h_x.size(), h_x.capacity(), h_x[3], h_x[4]);
    h_x.reserve(40);
    h_x.resize(30);
    printf("%zu of %zu, %g\n", h_x.size(), h_x.capacity(), h_x[29]);
    h_x.reserve(60);
    h_x.resize(50, 2.5f);
    std::vector<float> moved = std::move(h_x), other = with_room<float>(5);
    moved.reserve(100);
    moved.swap(other);
    moved.emplace_back(4.5f);
    printf("%zu of %zu, %g; %zu of %zu, %g\n", moved.size(), moved.capacity(), moved[0], other.size(), other.capacity(),
           other[49]);
    other.reserve(200);
    std::vector<float> copied = other;
    other.shrink_to_fit();
    printf("%zu of %zu, %zu of %zu\n", copied.size(), copied.capacity(), other.size(), other.capacity());
    moved.reserve(20);
    moved = copied;
    moved.reserve(90);
    moved.clear();
    moved.assign(60, 1.5f);
    printf("%zu of %zu, %g\n", moved.size(), moved.capacity(), moved[59]);
    moved.reserve(150);
    moved.erase(moved.begin(), moved.begin() + 58);
    moved.insert(moved.end(), copied.begin(), copied.begin() + 70 / 2);
    printf("%zu, %g\n", moved.size(), moved.back());

    // Raw memory for a call, as it is often used.
    std::vector<int> raw = with_room<int>(n);
    int values[n] = {1, 2, 3, 4, 5, 6, 7, 8}, *d_values;
    memcpy(raw.data(), values, sizeof(values));
    printf("%d\n", raw.data()[n - 1]);
    cudaMalloc(&d_values, sizeof(values));
    cudaMemcpy(d_values, values, sizeof(values), cudaMemcpyHostToDevice);
    std::vector<int> back = with_room<int>(n), again = with_room<int>(n);
    cudaMemcpy(back.data(), d_values, sizeof(values), cudaMemcpyDeviceToHost);
    cudaMemcpy(&again[0], d_values, sizeof(values), cudaMemcpyDeviceToHost);
    printf("%d %zu %d\n", back.data()[1], back.size(), again.data()[2]);
    cudaFree(d_values);

    std::vector<std::string> names = with_room<std::string>(4);
    names.push_back("first");
    names.emplace_back("a name that takes memory of its own");
    names.reserve(9);
    names.insert(names.begin(), "zeroth");
    std::vector<bool> bits;
    bits.reserve(100);
    bits.push_back(true);
    std::vector<char> text = with_room<char>(3);
    text.push_back('a');
    text.push_back('b');
    text.reserve(7);
    text.push_back('c');
    std::vector<std::vector<int>> rows = with_room<std::vector<int>>(2);
    rows.push_back(with_room<int>(2));
    rows.resize(3);
    rows[0].push_back(5);
    rows[2] = rows[0];
    std::sort(names.begin(), names.end());
    printf("%s %zu %d %c %d\n", names[2].c_str(), names.size(), int(bits[0]), text[2], rows[2][0]);
}
