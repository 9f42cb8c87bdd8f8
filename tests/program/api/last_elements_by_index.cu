// The last element of each is there, and so is the NUL behind a string.
#include <array>
#include <bitset>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

constexpr std::array<int, 3> primes = {2, 3, 5};
static_assert(primes[2] == 5 && std::string_view("abc")[2] == 'c', "known while it is compiled");

int main() {
    std::string text = "abc";
    int letters = 0;
    for (size_t i = 0; text[i]; i++) letters++;
    text[text.size()] = '\0';
    std::array<int, 3> last = primes;
    std::span<int> view = last;
    std::bitset<10> bits;
    bits[9] = true;
    bits.flip(9).set(8);
    view[2] += letters;
    printf("%d %d %c %zu %d\n", letters, last[last.size() - 1], std::string_view(text)[2], bits.count(),
           int(*(&last[0] + 2)) + int(view.back()) + text[text.size()]);
}
