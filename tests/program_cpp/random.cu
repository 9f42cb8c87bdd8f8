#include <cstdio>
#include <random>

std::mt19937 global(42);

int main() {
    std::mt19937 a;
    std::mt19937_64 b(1);
    std::minstd_rand c;
    std::minstd_rand0 d(0);
    std::default_random_engine e(5);
    a.discard(9999);
    printf("%lu %llu %lu %lu %lu %lu\n", a(), (unsigned long long)b(), c(), d(), e(), global());
    std::uniform_int_distribution<int> die(1, 6), wide(-1000000, 1000000);
    std::uniform_int_distribution<long> longs(0, 1000000000000L);
    std::uniform_int_distribution<> any;
    for (int i = 0; i < 8; ++i) {
        printf("%d %d ", die(a), wide(b));
        printf("%ld %d %d | ", longs(a), die(e), any(c));
    }
    printf("\n");
    std::uniform_real_distribution<float> f(-1.0f, 1.0f);
    std::uniform_real_distribution<double> g(0, 10);
    for (int i = 0; i < 5; ++i) {
        printf("%.9g %.17g ", f(a), g(b));
        printf("%.17g %.9g ", g(a), f(e));
        printf("%.17g\n", g(e));
    }
    std::normal_distribution<float> n(0, 1);
    std::normal_distribution<> m(5, 2);
    for (int i = 0; i < 5; ++i) {
        printf("%.4f ", n(a));
        printf("%.8f ", m(a));
        printf("%.8f\n", m(b));
    }
    std::bernoulli_distribution coin(0.3);
    int heads = 0;
    for (int i = 0; i < 1000; ++i) heads += coin(a);
    std::exponential_distribution<double> waits(2);
    std::discrete_distribution<int> chosen({1, 2, 3});
    printf("%d %.8f\n", heads, waits(a));
    for (int i = 0; i < 9; ++i) printf("%d", chosen(a));
    printf("\n");
    std::seed_seq seq{1, 2, 3};
    std::mt19937 seeded(seq);
    printf("%lu\n", seeded());
    std::random_device rd;
    std::mt19937 from_device(rd());
    printf("%d\n", from_device.min() == 0);
}
