// What rotate() should do, in double precision.

__device__ double at(const float *in, int j, int i, int height, int width) {
    bool inside = 0 <= j && j < height && 0 <= i && i < width;
    return inside ? in[j * width + i] : 0;
}

__global__ void turn(const float *in, float *out, int height, int width, double cosine, double sine) {
    for (int p = threadIdx.x; p < height * width; p += blockDim.x) {
        int y = p / width, x = p % width;
        double u = x + 0.5 - 0.5 * width, v = y + 0.5 - 0.5 * height;
        double s = cosine * u + sine * v + 0.5 * width - 0.5;
        double t = cosine * v - sine * u + 0.5 * height - 0.5;
        int i = (int)floor(s), j = (int)floor(t);
        double a = s - i, b = t - j;
        double above = (1 - a) * at(in, j, i, height, width) + a * at(in, j, i + 1, height, width);
        double below =
            (1 - a) * at(in, j + 1, i, height, width) + a * at(in, j + 1, i + 1, height, width);
        out[p] = (1 - b) * above + b * below;
    }
}

void rotate(const float *in, float *out, int height, int width, int degrees) {
    double angle = degrees * 3.14159265f / 180;
    turn<<<1, 256>>>(in, out, height, width, cos(angle), sin(angle));
    cudaGetLastError();
    cudaDeviceSynchronize();
}
