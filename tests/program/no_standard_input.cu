// A program that is given nothing to read comes to the end at once.
#include <cstdio>
#include <iostream>
#include <string>

int main() {
    int n = 5;
    std::string line;
    char text[8];
    std::cout << (std::cin >> n ? "read" : "nothing") << ' ' << n << ' ' << (std::getline(std::cin, line) ? 1 : 0);
    std::cout << ' ' << scanf("%d", &n) << ' ' << (fgets(text, 8, stdin) == nullptr) << ' ' << getchar() << '\n';
}
