#include <cstdio>
#include <queue>
#include <vector>
int main() {
    int n = 4;
    std::vector<float> h_x;
    h_x.reserve(n);
#ifdef FIXED
    h_x.resize(n);
#endif
    h_x[0] = 1;
    std::queue<int> waiting;
    waiting.push(1);
    while (!waiting.empty()) {
        int next = waiting.front();
        waiting.pop();
        printf("%d\n", next);
    }
}
