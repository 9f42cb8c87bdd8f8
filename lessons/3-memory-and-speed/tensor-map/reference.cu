// The four neighbours of each element, straight from global memory, in double.
__global__ void reference(const float *in, float *out, int rows, int columns, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= columns) return;
    double edge = 4.0 * in[y * pitch + x];
    if (x > 0) edge -= in[y * pitch + x - 1];
    if (x + 1 < columns) edge -= in[y * pitch + x + 1];
    if (y > 0) edge -= in[(y - 1) * pitch + x];
    if (y + 1 < rows) edge -= in[(y + 1) * pitch + x];
    out[x * rows + y] = (float)edge;
}

void edges(float *in, float *out, int rows, int columns, int pitch) {
    reference<<<dim3((columns + 127) / 128, rows), 128>>>(in, out, rows, columns, pitch);
}
