// A string that only has room is filled by index: it stays empty.
// exit: stopped
#include <cstdio>
#include <string>

int main() {
    std::string letters;
    letters.reserve(26);
    for (int i = 0; i < 26; i++) {
        letters[i] = 'a' + i; //~ H014
    }
    printf("%s\n", letters.c_str());
}
