// A loop over a deque goes one too far.
// exit: stopped
#include <cstdio>
#include <deque>

int main() {
    std::deque<int> window = {1, 2, 3};
    window.pop_front();
    int sum = 0;
    for (size_t i = 0; i <= window.size(); i++) {
        sum += window[i]; //~ H014
    }
    printf("%d\n", sum);
}
