// A picture in characters, by a kernel that calls a device function with complex numbers.
#include <cstdio>

struct Complex {
    float re, im;
    __device__ Complex(float re, float im) : re(re), im(im) {}
    __device__ Complex operator*(const Complex &o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    __device__ Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
    __device__ float magnitude2() const { return re * re + im * im; }
};

__device__ int escape(Complex c) {
    Complex z(0, 0);
    for (int i = 0; i < 50; i++) {
        if (z.magnitude2() > 4) return i;
        z = z * z + c;
    }
    return 50;
}

__global__ void draw(char *image, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = escape(Complex(-2.0f + 2.6f * (x + 0.37f) / w, -1.13f + 2.3f * (y + 0.41f) / h));
    image[y * (w + 1) + x] = n >= 50 ? '@' : n > 12 ? 'o' : n > 6 ? '.' : ' ';
    if (x == 0) image[y * (w + 1) + w] = '\n';
}

int main() {
    const int w = 60, h = 20;
    char *d, host[h * (w + 1) + 1];
    cudaMalloc(&d, sizeof host);
    cudaMemset(d, 0, sizeof host);
    draw<<<dim3(4, 3), dim3(16, 8)>>>(d, w, h);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    fputs(host, stdout);
    cudaFree(d);
    return 0;
}
