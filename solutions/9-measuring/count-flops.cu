// count-flops: answer before anything runs.
//
// The answers, and how to find them.

// A linear layer, y = x * w with x (8, 32) and w (32, 16): how many
// floating-point operations?
// 8 * 16 elements, each a sum of 32 products: 2 * 8 * 32 * 16.
// answer linear = 8192

// A notebook has x (16384, 32768) and w (32768, 8192). How many TFLOP, 1e12
// operations, is that? Within a twentieth.
// 2 * 16384 * 32768 * 8192 = 8 796 093 022 208.
// answer notebook = 8.8

// A training step computes y, and then the gradients of w and of x (`linear`,
// `grad_w`, `grad_x`). How many times as many operations are the three together
// as `linear` alone?
// dw (D, K) sums over B, dx (B, D) over K: always B * D * K multiply-adds.
// answer training = 3

// Attention with n = 24 places and d = 16 numbers each: the scores are q * k
// transposed, (24, 16) by (16, 24), and the outputs scores * v, (24, 24) by
// (24, 16). How many operations do both products take together?
// 2 * 24 * 16 * 24, and 2 * 24 * 24 * 16.
// answer attention = 36864

// The same with n = 48: how many times as many operations?
// n * n is four times as much, and d stays.
// answer longer = 4

// A convolution: an image of (3, 8, 8), 8 filters of (3, 3, 3), no padding, so
// that the result is (8, 6, 6). How many operations?
// 8 * 6 * 6 elements, each a sum of 27 products.
// answer conv = 15552

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
