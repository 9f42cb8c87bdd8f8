// More is taken from a queue than was put into it.
// exit: stopped
#include <cstdio>
#include <queue>

int main() {
    std::queue<int> frontier;
    frontier.push(4);
    for (int i = 0; i < 2; i++) {
        printf("%zu\n", frontier.size());
        frontier.pop(); //~ H014
    }
    printf("%zu\n", frontier.size());
}
