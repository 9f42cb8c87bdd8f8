#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

std::string name(int i) {
    std::ostringstream s;
    s << "kernel_" << std::setw(3) << std::setfill('0') << i;
    return s.str();
}

int main() {
    std::cout << name(7) << ' ' << name(1234) << '\n';
    std::stringstream both;
    both << 1 << ' ' << 2.5 << " word " << std::hex << 255 << std::dec;
    int i;
    double d;
    std::string w;
    both >> i >> d >> w;
    std::cout << i << ' ' << d << ' ' << w << ' ' << both.str() << '\n';
    std::istringstream in("10 20 30 x 40");
    int sum = 0, value;
    while (in >> value) sum += value;
    std::cout << sum << ' ' << in.fail() << in.eof() << '\n';
    in.clear();
    in >> w >> value;
    std::cout << w << value << in.eof() << '\n';
    std::istringstream lines("first line\nsecond\n\nlast");
    std::string line;
    while (std::getline(lines, line)) std::cout << '[' << line << "]\n";
    std::istringstream fields("a,b,,c");
    while (std::getline(fields, line, ',')) std::cout << '<' << line << '>';
    std::cout << '\n';
    std::istringstream numbers("-7 +8 0x1f 1e3 -2.5e-2 99999999999 .5abc");
    int a, b;
    numbers >> a >> b >> std::hex >> value >> std::dec;
    double e, f;
    numbers >> e >> f;
    std::cout << a << ' ' << b << ' ' << value << ' ' << e << ' ' << f << '\n';
    numbers >> a;
    std::cout << a << ' ' << numbers.fail() << '\n';
    numbers.clear();
    numbers >> e >> w;
    std::cout << e << ' ' << w << '\n';
    std::istringstream chars("a b\tc");
    char c;
    while (chars >> c) std::cout << c;
    std::cout << '\n';
    std::istringstream raw("xy z");
    std::cout << (char)raw.get() << (char)raw.peek() << (char)raw.get() << raw.get() << '\n';
    std::ostringstream list;
    const char *between = "";
    for (int x : std::vector<int>{3, 1, 2}) {
        list << between << x;
        between = ", ";
    }
    std::cout << '{' << list.str() << "} " << list.str().size() << '\n';
    list.str("");
    list << std::fixed << std::setprecision(1) << 2.25 << ' ' << 2.35;
    std::cout << list.str() << '\n';
    both.str("");
    both.clear();
    both << "again " << 42;
    both >> w >> i;
    std::cout << w << i << (both ? " good" : " not good") << both.eof() << '\n';
    bool flag;
    std::istringstream("true") >> std::boolalpha >> flag;
    std::cout << flag << '\n';
    std::istringstream words("one seventeen");
    char first[8], *second = first + 4;
    words >> first >> std::setw(4) >> second;
    std::cout << first << ' ' << second << ' ' << words.eof() << '\n';
}
