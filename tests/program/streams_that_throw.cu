// Streams that are to throw where they fail, in a program in which they do not.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>

int main() {
    std::ofstream out;
    out.exceptions(std::ofstream::failbit | std::ofstream::badbit);
    try {
        out.open("numbers.txt");
        out << "3 4\n";
        out.close();
        std::ifstream in;
        in.exceptions(std::ios::badbit);
        in.open("numbers.txt");
        int sum = 0;
        for (int n; in >> n;) sum += n;
        printf("%d %d %d\n", sum, in.eof(), in.exceptions() == std::ios::badbit);
    } catch (const std::ifstream::failure &failed) {
        std::cerr << failed.what() << '\n';
        return 1;
    } catch (std::ios_base::failure &) {
        return 2;
    }
    std::stringstream both;
    both.exceptions(std::ios::failbit);
    both << 12;
    int read;
    both >> read;
    both.clear();
    printf("%d\n", read);
    std::unordered_map<int, int> counts{{1, 2}};
    printf("%d", counts.emplace_hint(counts.begin(), 1, 7)->second);
    printf(" %d\n", counts.insert(counts.end(), {3, 4})->second);
    remove("numbers.txt");
}
