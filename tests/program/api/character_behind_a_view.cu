// The part of a text that a view shows ends before the text does.
// exit: stopped
#include <cstdio>
#include <string_view>

int main() {
    std::string_view word = std::string_view("block size").substr(0, 5);
    int vowels = 0;
    for (size_t i = 0; i <= word.size(); i++) {
        char c = word[i]; //~ H014
        vowels += c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
    }
    printf("%d\n", vowels);
}
