// <iostream> alone brings <cstdio>, <stdexcept>, <string> and <clocale> in the usual C++ library.
#include <iostream>

struct Point {
    int x, y;
};

std::ostream &operator<<(std::ostream &out, const Point &p) { return out << p.x << ',' << p.y; }

int main() {
    std::printf("%d %s\n", 3, std::string("three").c_str());
    char text[16];
    std::snprintf(text, sizeof text, "%05.1f", 2.25);
    std::puts(text);
    std::FILE *out = stdout;
    errno = ERANGE;
    std::fprintf(out, "%d\n", errno == ERANGE);
    std::runtime_error error("told");
    const std::exception &base = error;
    std::cout << base.what() << ' ' << (std::setlocale(LC_ALL, "C") != nullptr) << ' ' << Point{4, 5} << '\n';
}
