// What stir_all() should do, by the host.

void stir_all(const unsigned *seeds, unsigned *out, unsigned *odd, int n, int rounds) {
    for (int i = 0; i < n; i++) {
        out[i] = seeds[i];
    }
    for (int round = 0; round < rounds; round++) {
        odd[round] = 0;
        for (int i = 0; i < n; i++) {
            unsigned v = out[i] * 2246822519u;
            v ^= v >> 13;
            out[i] = v;
            odd[round] += v % 2;
        }
    }
}
