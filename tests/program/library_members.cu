// The less common parts of the library: texts, distributions, durations, complex numbers, scans, formats.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdio>
#include <functional>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

static void texts() {
    std::string text = "hello world";
    text.insert(0, 2, '>');
    text.insert(text.begin(), '|');
    text.insert(3, std::string("(begin)"), 1, 5);
    text.erase(0);
    printf("%zu\n", text.size());
    text = {'a', 'b', 'c', 'd', 'e'};
    text.replace(0, 1, "xyz");
    text.replace(0, 0, "<<");
    text.replace(2, 2, std::string("0123456"), 3, 2);
    text.replace(text.begin(), text.begin() + 1, 3, '-');
    std::vector<char> letters{'P', 'Q'};
    text.replace(text.end() - 1, text.end(), letters.begin(), letters.end());
    printf("%s\n", text.c_str());
    text.erase(text.begin());
    text.erase(text.begin(), text.begin() + 2);
    text.erase(3);
    text.append({'!', '?'});
    printf("%s %d %d\n", text.c_str(), text.compare(0, 2, "<4"), text.compare(1, 2, std::string("x34"), 1, 2));
    for (auto it = text.crbegin(); it != text.crend(); ++it) putchar(*it);
    std::string_view view = text;
    printf(" %d %zu\n", view.compare(0, 2, "<3"), view.find('!'));
    printf("%.2Lf %s\n", std::stold("2.5e1x"), std::to_string(1.25L).c_str());
}

template <class D>
static void drawn(const char *name, D distribution) {
    std::mt19937 engine(7);
    printf("%s:", name);
    for (int n = 0; n < 3; n++) printf(" %.5g", double(distribution(engine)));
    double sum = 0;
    for (int n = 0; n < 500; n++) sum += distribution(engine);
    printf(", mean %.1f\n", sum / 500);
}

static void random_numbers() {
    drawn("geometric", std::geometric_distribution<int>(0.3));
    drawn("binomial", std::binomial_distribution<int>(9, 0.4));
    drawn("gamma", std::gamma_distribution<double>(2.5, 2));
    drawn("gamma below one", std::gamma_distribution<double>(0.5));
    drawn("chi squared", std::chi_squared_distribution<double>(5));
    drawn("Student's t", std::student_t_distribution<double>(9));
    drawn("Fisher's F", std::fisher_f_distribution<double>(20, 30));
    drawn("negative binomial", std::negative_binomial_distribution<int>(4, 0.5));
    drawn("Weibull", std::weibull_distribution<double>(2, 3));
    drawn("extreme value", std::extreme_value_distribution<double>(1, 2));
    std::mt19937 engine(7), same(7);
    std::cauchy_distribution<double> cauchy(0, 1);
    printf("%d", engine == same);
    printf(" %.4f", cauchy(engine));
    printf(" %d\n", engine != same);
}

static void durations() {
    using namespace std::chrono;
    milliseconds late(-1500), early(2500), middle(3500);
    printf("%ld %ld %ld\n", (long)floor<seconds>(late).count(), (long)ceil<seconds>(late).count(),
           (long)duration_cast<seconds>(late).count());
    printf("%ld %ld %ld %ld\n", (long)round<seconds>(early).count(), (long)round<seconds>(middle).count(),
           (long)round<seconds>(milliseconds(2499)).count(), (long)abs(late).count());
}

static void numbers() {
    std::complex<double> z(1, 2), w(0.5, -1);
    auto show = [](const char *name, std::complex<double> z) { printf("%s (%.6f, %.6f)\n", name, z.real(), z.imag()); };
    show("z^3", std::pow(z, 3));
    show("z^w", std::pow(z, w));
    show("2^w", std::pow(2.0, w));
    show("sin", std::sin(z));
    show("cos", std::cos(z));
    show("tan", std::tan(w));
    show("sinh", std::sinh(z));
    show("cosh", std::cosh(z));
    show("tanh", std::tanh(w));
    show("log10", std::log10(z));

    std::vector<int> values{3, 3, 1, 2, 2, 2, 5}, out(7);
    std::transform_exclusive_scan(values.begin(), values.end(), out.begin(), 10, std::plus<>(), std::negate<>());
    for (int x : out) printf("%d ", x);
    auto run = std::search_n(values.begin(), values.end(), 3, 2);
    auto none = std::search_n(values.begin(), values.end(), 3, 3);
    std::replace_copy_if(values.begin(), values.end(), out.begin(), [](int x) { return x % 2 == 1; }, 0);
    printf("at %d, %d:", int(run - values.begin()), none == values.end());
    for (int x : out) printf(" %d", x);
    std::atomic<int> shared{5};
    int expected = 6;
    std::atomic_fetch_add(&shared, 2);
    bool changed = std::atomic_compare_exchange_strong(&shared, &expected, 1);
    printf(", %d %d %d\n", changed, expected, std::atomic_load(&shared));
}

int main() {
    texts();
    random_numbers();
    durations();
    numbers();
    std::ios before(nullptr);
    before.copyfmt(std::cout);
    std::cout << std::hex << std::setfill('0') << std::setw(6) << 255 << ' ' << std::showpos << 1.5 << '\n';
    std::cout.copyfmt(before);
    std::cout << std::setw(6) << 255 << ' ' << 1.5 << '\n';
}
