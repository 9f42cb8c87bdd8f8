#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

struct Point {
    int x, y;
};
std::ostream &operator<<(std::ostream &out, const Point &p) { return out << '(' << p.x << ", " << p.y << ')'; }

template <class T>
void row(const char *name, T value) {
    std::cout << std::left << std::setw(12) << name << std::right << std::setw(10) << value << "|\n";
}

int main() {
    using namespace std;
    cout << "Hello, world!" << endl;
    cout << 1 << ' ' << -2 << ' ' << 3u << ' ' << 4L << ' ' << 5ull << ' ' << short(-6) << ' ' << (unsigned short)7 << '\n';
    cout << 'c' << (signed char)'s' << (unsigned char)'u' << ' ' << true << false << ' ' << boolalpha << true << false
         << noboolalpha << '\n';
    cout << 1.0 << ' ' << 0.1f << ' ' << 1e10 << ' ' << 123456789.0 << ' ' << 1.0 / 3 << ' ' << 1e-5 << ' ' << 100000.0
         << ' ' << 1000000.0 << ' ' << -0.0 << '\n';
    cout << numeric_limits<float>::infinity() << ' ' << -numeric_limits<double>::infinity() << ' '
         << numeric_limits<double>::max() << ' ' << numeric_limits<float>::epsilon() << '\n';
    cout << fixed << setprecision(2) << 3.14159 << ' ' << 1e6 << ' ' << setprecision(0) << 2.5 << '\n';
    cout << scientific << setprecision(3) << 12345.678 << ' ' << uppercase << 1e-10 << nouppercase << '\n';
    cout << defaultfloat << setprecision(10) << 3.14159265358979 << ' ' << setprecision(6) << 2.0f << '\n';
    cout << hexfloat << 1.5 << defaultfloat << '\n';
    cout << hex << 255 << ' ' << -1 << ' ' << showbase << 255 << ' ' << uppercase << 255 << nouppercase << ' ' << 0
         << ' ' << oct << 8 << dec << noshowbase << ' ' << 10 << '\n';
    cout << hex << (short)-1 << ' ' << -1L << dec << '\n';
    cout << showpos << 5 << ' ' << -5 << ' ' << 2.5 << ' ' << 7u << noshowpos << ' ' << showpoint << 2.0 << noshowpoint << '\n';
    cout << setw(6) << 42 << '|' << left << setw(6) << 42 << '|' << right << setfill('*') << setw(6) << 42 << '|'
         << internal << setw(6) << -42 << '|' << hex << showbase << setw(8) << 255 << dec << noshowbase << setfill(' ') << right
         << '\n';
    cout << setw(8) << "abc" << '|' << left << setw(8) << string("def") << '|' << right << setw(3) << 'x' << '|' << setw(2)
         << "longer" << '|' << setw(6) << true << '|' << setw(9) << 1.5 << '|' << '\n';
    row("int", 12);
    row("double", 2.25);
    row("string", "text");
    Point p{1, 2};
    cout << p << ' ' << setw(5) << p << '\n';
    const void *none = nullptr;
    int *small = reinterpret_cast<int *>(0x1234);
    cout << none << ' ' << small << ' ' << nullptr << '\n';
    for (int i = 0; i < 3; ++i) cout << i << (i < 2 ? ", " : "\n");
    cout.precision(4);
    cout.width(10);
    cout.fill('.');
    cout << 2.0 / 3 << '\n';
    cout.setf(ios::fixed, ios::floatfield);
    cout.setf(ios_base::showpos);
    cout << 2.0 / 3 << '\n';
    cout.unsetf(ios::showpos);
    cout.unsetf(ios::floatfield);
    ios::fmtflags saved = cout.flags();
    cout << hex << 16;
    cout.flags(saved);
    cout << ' ' << 16 << '\n';
    cout << setprecision(30) << 0.1 << ' ' << fixed << setprecision(50) << 1e20 << '\n';
    cout.put('p').write("ut\n", 3);
    cout << string_view("view") << ends << quoted("a \"b\"") << endl;
    cout << (1 < 2) << ' ' << sizeof(int) << ' ' << long(1) << flush << '\n';
    vector<Point> points = {{3, 4}, {5, 6}};
    for (const auto &q : points) cout << q << "; ";
    cout << '\n';
    cerr << "";
    clog << "";
    int number = 5;
    if (!(cin >> number)) cout << "nothing to read: " << cin.eof() << '\n';
    string line;
    cout << bool(getline(cin, line)) << line.size() << '\n';
    printf("printf between\n");
    cout << "last" << endl;
}
