// stdin: 3 word\n
// Nothing is lost of a chain, whatever stands beside what is compiled in place.
#include <iostream>
#include <sstream>
#include <string>

int main() {
    std::string s = "q";
    std::ostringstream flags, lines, numbers;
    flags << 7 << ' ' << true << ' ' << false;
    flags << std::boolalpha << 7 << ' ' << true << ' ' << s;
    lines << s << std::endl << std::endl << 2.5 << 'c' << std::endl;
    numbers << ' ' << 0.5 << std::endl << 2.5f << true << (lines.str().size() > 3) << 7u;
    std::cout << flags.str() << '|' << lines.str() << '|' << numbers.str() << std::endl;
    std::string chain;
    chain.append("ab").append(3, 'c').append(s).replace(0, 1, "xyz").append("end");
    std::cout << 'c' << chain << std::endl;
    int n;
    std::string w;
    if (std::cin >> n >> w) std::cout << n << w << "\n";
    int k;
    if (scanf("%d", &k) == 1) printf("%d\n", k);
}
