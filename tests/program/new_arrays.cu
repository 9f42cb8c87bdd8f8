// Arrays from new[]: of types with a constructor and nothing to destroy, for which NVRTC writes a number in front of them
// that it has not allocated; with a destructor; and of neither.
#include <complex>
#include <cstdio>
#include <string>
#include <utility>

struct Particle {
    float mass = 2;
    int id;
    Particle() : id(7) {}
};

struct Noisy {
    int number = 3;
    ~Noisy() { printf("gone %d\n", number); }
};

template <class T>
T *make(int n) {
    return new T[n];
}

int main(int argc, char **) {
    int n = argc + 3;
    Particle *four = new Particle[4], *some = new Particle[n], (*rows)[2] = new Particle[n][2];
    auto *numbers = new std::complex<double>[n];
    auto *pairs = make<std::pair<int, float>>(n);
    auto *plain = new double[n];
    auto *noisy = new Noisy[2];
    auto *words = new std::string[n];
    some[n - 1].id = 1;
    numbers[n - 1] = {1, 2};
    pairs[n - 1].second = 5;
    plain[n - 1] = 6;
    noisy[1].number = 4;
    words[n - 1] = "last";
    printf("%d %g %d\n", four[3].id, rows[n - 1][1].mass, some[n - 1].id);
    printf("%g %d %g\n", numbers[n - 1].imag() + numbers[0].real(), pairs[0].first, plain[n - 1]);
    printf("%s %zu\n", words[n - 1].c_str(), words[0].size());
    delete[] four;
    delete[] some;
    delete[] rows;
    delete[] numbers;
    delete[] pairs;
    delete[] plain;
    delete[] noisy;
    delete[] words;
}
