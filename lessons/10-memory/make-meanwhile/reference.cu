// What sum_keys() should give.
#include <vector>

void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n) {
    std::vector<unsigned> sums(batches);
    for (int b = 0; b < batches; b++) {
        for (int i = 0; i < n; i++) {
            unsigned key = 3 * i + b;
            for (int round = 0; round < 30; round++) {
                key = (key ^ key >> 15) * 2246822519;
            }
            sums[b] += key;
        }
    }
    cudaMemcpy(d_sums, sums.data(), batches * sizeof(unsigned), cudaMemcpyHostToDevice);
}
