// What answer_all() should give.
#include <vector>

void answer_all(const float *d_x, const int *sizes, float *answers, int requests) {
    std::vector<float> x(3000);
    cudaMemcpy(x.data(), d_x, 3000 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int r = 0; r < requests; r++) {
        double sum = 0;
        for (int i = 0; i < sizes[r]; i++) {
            sum += (double)x[i] * x[i];
        }
        answers[r] = (float)sum;
    }
}
