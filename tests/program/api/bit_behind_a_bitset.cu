// Ten bits are in one word of 64.
// exit: stopped
#include <bitset>
#include <cstdio>

int main() {
    std::bitset<10> used;
    for (int i = 1; i <= 10; i++) {
        used[i] = true; //~ H014
    }
    printf("%zu\n", used.count());
}
