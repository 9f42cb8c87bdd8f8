// What run_both() should do, on the host.

#include <vector>

void run_both(const unsigned *in, unsigned *out, int n, int steps, int rounds) {
    std::vector<unsigned> a(in, in + n), b(in + n, in + 2 * n);
    for (int step = 0; step < steps; step++) {
        std::vector<unsigned> old = a;
        for (int i = 0; i < 2 * n; i++) {
            unsigned &mine = i < n ? a[i] : b[i - n];
            unsigned v = mine + (i < n ? b[n - 1 - i] : old[2 * n - 1 - i]);
            for (int round = 0; round < rounds; round++) {
                v ^= v << 13;
                v ^= v >> 17;
                v ^= v << 5;
            }
            mine = v;
        }
    }
    for (int i = 0; i < n; i++) {
        out[i] = a[i];
        out[n + i] = b[i];
    }
}
