// A vector that grows, filled, sorted by insertion in runs, and summed through its operators.
#include <vector>
#include <algorithm>
int main(int argc, char **argv) {
    long sum = 0;
    for (int round = 0; round < 20; round++) {
        std::vector<int> v;
        unsigned x = 12345 + round;
        for (int i = 0; i < 20000; i++) {
            x = x * 1664525 + 1013904223;
            v.push_back(x >> 8);
        }
        std::sort(v.begin(), v.end());
        for (size_t i = 0; i < v.size(); i++) sum += v[i] ^ i;
    }
    return (int)(sum & 127);
}
