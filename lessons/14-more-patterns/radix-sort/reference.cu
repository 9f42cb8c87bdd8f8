#define DIGITS 4

extern "C" __global__ void count_digits(const int *keys, int *counts, int n, int shift) {}

extern "C" __global__ void find_starts(const int *counts, int *starts, int entries) {}

// One thread goes over all keys once for each digit.
extern "C" __global__ void scatter(const int *keys, const int *values, const int *starts,
                                   int *keys_out, int *values_out, int n, int shift) {
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    int place = 0;
    for (int d = 0; d < DIGITS; d++) {
        for (int i = 0; i < n; i++) {
            if ((keys[i] >> shift) % DIGITS == d) {
                keys_out[place] = keys[i];
                values_out[place] = values[i];
                place++;
            }
        }
    }
}
