// What count-flops asks about.

// c (rows, cols) = a (rows, inner) * b (inner, cols): a thread for each element
// of c. Element (r, k) of a is at r * a_row + k * a_col, and likewise for b: for a
// transposed matrix, swap the two.
extern "C" __global__ void matmul(const float *a, int a_row, int a_col, const float *b,
                                  int b_row, int b_col, float *c, int rows, int inner,
                                  int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols, col = i % cols;
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += a[row * a_row + k * a_col] * b[k * b_row + col * b_col];
        }
        c[row * cols + col] = sum;
    }
}

// out (outputs, size - 2, size - 2): from each place of an image (inputs, size,
// size), with weights (outputs, inputs, 3, 3). A thread for each element of out.
extern "C" __global__ void conv(const float *image, const float *weights, float *out,
                                int inputs, int outputs, int size) {
    int side = size - 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int output = i / (side * side), y = i / side % side, x = i % side;
    if (output < outputs) {
        float sum = 0;
        for (int input = 0; input < inputs; input++) {
            for (int dy = 0; dy < 3; dy++) {
                for (int dx = 0; dx < 3; dx++) {
                    sum += image[(input * size + y + dy) * size + x + dx] *
                           weights[((output * inputs + input) * 3 + dy) * 3 + dx];
                }
            }
        }
        out[i] = sum;
    }
}
