// A loop over a deque ends with its last element.
#include <cstdio>
#include <deque>

int main() {
    std::deque<int> window = {1, 2, 3};
    window.pop_front();
    int sum = 0;
    for (size_t i = 0; i < window.size(); i++) {
        sum += window[i];
    }
    printf("%d\n", sum);
}
