#include <cstdio>
#include <queue>
int main() {
    std::queue<int> waiting;
    waiting.push(1);
#ifdef MENDED
    while (!waiting.empty()) {
        int next = waiting.front();
        waiting.pop();
        printf("%d\n", next);
    }
#else
    waiting.pop();
    printf("%d\n", waiting.front());
#endif
}
