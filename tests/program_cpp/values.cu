#include <atomic>
#include <bitset>
#include <complex>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

std::optional<int> parse(const std::string &s) {
    if (s.empty()) return std::nullopt;
    return std::stoi(s);
}
struct Shape {
    std::string operator()(int side) const { return "square " + std::to_string(side); }
    std::string operator()(double radius) const { return "circle " + std::to_string(radius); }
    std::string operator()(const std::string &name) const { return name; }
};
template <class T>
std::enable_if_t<std::is_floating_point_v<T>, const char *> kind(T) { return "floating"; }
template <class T>
std::enable_if_t<std::is_integral<T>::value, const char *> kind(T) { return "integral"; }

std::atomic<int> counter{0};

int main() {
    using namespace std;
    cout << parse("12").value_or(-1) << ' ' << parse("").value_or(-1) << ' ' << parse("").has_value() << '\n';
    optional<string> text = "abc";
    text->push_back('d');
    optional<string> other = text;
    text.reset();
    cout << bool(text) << *other << (other == string("abcd")) << '\n';

    variant<int, double, string> v = 3;
    cout << v.index() << get<int>(v) << visit(Shape(), v) << '\n';
    v = 2.5;
    cout << holds_alternative<double>(v) << visit(Shape(), v) << '\n';
    v = "text";
    auto copied = v;
    cout << v.index() << (get_if<int>(&v) == nullptr) << get<string>(copied) << (copied == v) << '\n';
    vector<variant<int, string>> mixed = {1, "two", 3};
    for (auto &m : mixed) visit([](const auto &x) { cout << x << ' '; }, m);
    cout << '\n';

    complex<double> z(3, 4), w = 1.0 + z * 2.0;
    cout << z << abs(z) << norm(z) << conj(z) << z * w << z / w << (z == w) << real(w) << '\n';
    complex<float> e = polar(1.0f, 1.5f);
    cout << e << sqrt(complex<double>(-4, 0)).imag() << '\n';

    bitset<10> bits(0x2a5);
    bits.flip(0).set(8);
    cout << bits << ' ' << bits.count() << bits.test(2) << bits.any() << ' ' << (bits << 3) << ' ' << ~bits << ' ' << bits.to_ulong()
         << ' ' << bitset<4>("1010") << '\n';

    counter++;
    counter += 5;
    counter.fetch_add(2, memory_order_relaxed);
    int expected = 8;
    cout << counter.compare_exchange_strong(expected, 20) << counter << counter.load() << '\n';

    cout << kind(1.0f) << kind(2L) << is_same_v<decay_t<const int &>, int> << is_convertible_v<int, double>
         << is_pointer_v<int *> << is_base_of_v<Shape, Shape> << '\n';
    cout << numeric_limits<int>::max() << ' ' << numeric_limits<int>::min() << ' ' << numeric_limits<unsigned char>::digits << ' '
         << numeric_limits<long>::lowest() << ' ' << numeric_limits<float>::max() << ' ' << numeric_limits<float>::min() << ' '
         << numeric_limits<double>::epsilon() << ' ' << numeric_limits<float>::digits10 << ' '
         << numeric_limits<double>::max_digits10 << ' ' << numeric_limits<float>::denorm_min() << ' '
         << numeric_limits<size_t>::max() << ' ' << numeric_limits<double>::quiet_NaN() << '\n';
}
