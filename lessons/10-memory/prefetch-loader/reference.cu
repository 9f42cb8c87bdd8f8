// What sum_batches() should do, on the host.
void sum_batches(const float *data, float *sums, float *, float *, int n, int size) {
    for (int b = 0; b * size < n; b++) {
        double sum = 0;
        for (int i = b * size; i < n && i < (b + 1) * size; i++) {
            sum += data[i];
        }
        sums[b] = (float)sum;
    }
}
