#include <iostream>
#include <sstream>

int main() {
    std::ostringstream text;
    text << "[" << ' ' << 1 << 'x' << 0 << ' ' << true << ',' << 3 << std::boolalpha << false << ' ' << true;
    text << std::noboolalpha << "end" << ' ' << true << "]";
    std::cout << text.str() << '\n' << ' ' << false << ' ' << true << '\n';
    return 0;
}
