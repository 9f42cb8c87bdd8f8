// What train() should give.
#include <vector>

void others_leave(long long) {}

void train(const float *d_x, float *d_totals, int rounds, int n) {
    std::vector<float> x(3 * n), totals(3);
    cudaMemcpy(x.data(), d_x, 3 * n * sizeof(float), cudaMemcpyDeviceToHost);
    const int times[] = {2, 1, 3};
    for (int phase = 0; phase < 3; phase++) {
        double sum = 0;
        for (int i = 0; i < times[phase] * n; i++) {
            sum += (double)x[i] * x[i] + x[i];
        }
        totals[phase] = (float)(rounds * sum);
    }
    cudaMemcpy(d_totals, totals.data(), 3 * sizeof(float), cudaMemcpyHostToDevice);
}
