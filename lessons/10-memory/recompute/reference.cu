// What gradient() should do, on the host and in double.
#include <vector>

void gradient(const float *in, float *out, int n, int layers) {
    std::vector<std::vector<double>> x(layers, std::vector<double>(n));
    for (int i = 0; i < n; i++) {
        x[0][i] = in[i];
    }
    for (int l = 0; l + 1 < layers; l++) {
        for (int i = 0; i < n; i++) {
            x[l + 1][i] = x[l][i] - 0.25 * x[l][i] * x[l][(i + 1) % n];
        }
    }
    std::vector<double> dy(n, 1), dx(n);
    for (int l = layers - 1; l >= 0; l--) {
        for (int i = 0; i < n; i++) {
            int left = (i + n - 1) % n, right = (i + 1) % n;
            dx[i] = dy[i] * (1 - 0.25 * x[l][right]) - 0.25 * dy[left] * x[l][left];
        }
        dx.swap(dy);
    }
    for (int i = 0; i < n; i++) {
        out[i] = (float)dy[i];
    }
}
