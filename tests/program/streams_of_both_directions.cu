// A stream that is written and read has one set of flags; what ends a line counts as read; constant objects fall apart
// into their members.
#include <iostream>
#include <sstream>
#include <tuple>
#include <vector>

struct Piece {
    int first, count;
};

int main() {
    std::stringstream both;
    both << std::oct << 8 << std::dec << ' ' << 12;
    int i, j;
    both >> i >> j;
    std::cout << i << ' ' << j << '\n';
    both.clear();
    both << ' ' << std::hex << 255;
    both >> i;
    std::cout << i << '\n';
    std::istringstream line("abc d");
    char word[9];
    line.getline(word, sizeof word, ' ');
    std::cout << word << ' ' << line.gcount() << '\n';
    const std::vector<Piece> pieces = {{1, 2}, {3, 4}};
    for (const auto &[first, count] : pieces) std::cout << first << ' ' << count << '\n';
    const std::tuple<int, double> t(5, 6.5);
    const auto &[a, b] = t;
    std::cout << a << ' ' << b << '\n';
    std::ostringstream over("init"), behind("init", std::ios::ate);
    over << "X" << 12;
    behind << "X" << 12;
    std::cout << over.str() << ' ' << over.tellp() << ' ' << behind.str() << '\n';
    over << "longer";
    std::stringstream kept("abc");
    kept.setf(std::ios::fixed);
    kept << 'k' << ' ' << 1.5;
    unsigned char c;
    kept >> c;
    std::cout << over.str() << ' ' << c << ' ' << kept.str() << ' ' << 2.5L << '\n';
}
