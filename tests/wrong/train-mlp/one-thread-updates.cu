// One thread updates all weights.
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

const int INS = 12, HIDDEN = 24, OUTS = 4;

// ---- The kernels: given, and right ----

// y (rows, outs) = x (rows, ins) × w (ins, outs)
__global__ void forward(const float *x, const float *w, float *y, int rows, int ins, int outs) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < outs) {
        float sum = 0;
        for (int k = 0; k < ins; k++) {
            sum += x[row * ins + k] * w[k * outs + col];
        }
        y[row * outs + col] = sum;
    }
}

// dw (ins, outs) = x transposed × dy, with x (rows, ins) and dy (rows, outs)
__global__ void backward_weights(const float *x, const float *dy, float *dw, int rows, int ins,
                                 int outs) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < ins && col < outs) {
        float sum = 0;
        for (int k = 0; k < rows; k++) {
            sum += x[k * ins + row] * dy[k * outs + col];
        }
        dw[row * outs + col] = sum;
    }
}

// dx (rows, ins) = dy (rows, outs) × w transposed, with w (ins, outs)
__global__ void backward_input(const float *dy, const float *w, float *dx, int rows, int ins,
                               int outs) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < ins) {
        float sum = 0;
        for (int k = 0; k < outs; k++) {
            sum += dy[row * outs + k] * w[col * outs + k];
        }
        dx[row * ins + col] = sum;
    }
}

// Negative elements of h become 0.
__global__ void relu(float *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        h[i] = fmaxf(h[i], 0);
    }
}

// dh becomes 0 where relu made h 0: nothing flows back from there.
__global__ void relu_gradient(const float *h, float *dh, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && h[i] == 0) {
        dh[i] = 0;
    }
}

// Each row of y (rows, OUTS) becomes its gradient; row_losses has the losses. A
// thread for each row.
__global__ void cross_entropy(float *y, const int *labels, float *row_losses, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        y += row * OUTS;
        float top = y[0], sum = 0;
        for (int c = 1; c < OUTS; c++) {
            top = fmaxf(top, y[c]);
        }
        for (int c = 0; c < OUTS; c++) {
            sum += expf(y[c] - top);
        }
        row_losses[row] = logf(sum) + top - y[labels[row]];
        for (int c = 0; c < OUTS; c++) {
            y[c] = (expf(y[c] - top) / sum - (c == labels[row] ? 1 : 0)) / rows;
        }
    }
}

// *loss = the mean of row_losses. One thread: there are few rows.
__global__ void mean(const float *row_losses, float *loss, int rows) {
    float sum = 0;
    for (int row = 0; row < rows; row++) {
        sum += row_losses[row];
    }
    *loss = sum / rows;
}

// One step of the weights, against their gradient.
__global__ void update(float *w, const float *dw, int n) {
    for (int i = 0; i < n; i++) {
        w[i] -= 0.5f * dw[i];
    }
}

// Blocks for n elements with 256 threads, and for a matrix with TILE threads.
const dim3 TILE(16, 16);

int blocks(int n) {
    return (n + 255) / 256;
}

dim3 tiles(int rows, int cols) {
    return dim3((cols + 15) / 16, (rows + 15) / 16);
}

float *array(int n) {
    float *made;
    CHECK(cudaMalloc(&made, n * sizeof(float)));
    return made;
}

// ---- The training ----

// Trains for some steps. x, labels, w1 and w2 are in device memory, losses is on the
// host: losses[i] is the loss in step i * every, before its update.
void train(const float *x, const int *labels, float *w1, float *w2, float *losses, int batch,
           int steps, int every) { //~ too-much-work: global_writes_per_thread
    float *h, *dh, *dw1, *dw2, *row_losses, *loss;
    float *y; // and then its gradient
    CHECK(cudaMalloc(&h, batch * HIDDEN * sizeof(float)));
    CHECK(cudaMalloc(&dh, batch * HIDDEN * sizeof(float)));
    CHECK(cudaMalloc(&y, batch * OUTS * sizeof(float)));
    CHECK(cudaMalloc(&dw1, INS * HIDDEN * sizeof(float)));
    CHECK(cudaMalloc(&dw2, HIDDEN * OUTS * sizeof(float)));
    CHECK(cudaMalloc(&row_losses, batch * sizeof(float)));
    CHECK(cudaMalloc(&loss, sizeof(float)));

    for (int step = 0; step < steps; step++) {
        // Forwards.
        forward<<<tiles(batch, HIDDEN), TILE>>>(x, w1, h, batch, INS, HIDDEN);
        relu<<<blocks(batch * HIDDEN), 256>>>(h, batch * HIDDEN);
        forward<<<tiles(batch, OUTS), TILE>>>(h, w2, y, batch, HIDDEN, OUTS);
        // From here on, y holds its own gradient.
        cross_entropy<<<blocks(batch), 256>>>(y, labels, row_losses, batch);
        // The only thing that the host looks at. The copy waits for all work so far,
        // so it is not done in every step.
        if (step % every == 0) {
            mean<<<1, 1>>>(row_losses, loss, batch);
            CHECK(cudaMemcpy(&losses[step / every], loss, sizeof(float), cudaMemcpyDeviceToHost));
        }
        // Backwards: last layer first, with the weights that were used forwards.
        backward_weights<<<tiles(HIDDEN, OUTS), TILE>>>(h, y, dw2, batch, HIDDEN, OUTS);
        backward_input<<<tiles(batch, HIDDEN), TILE>>>(y, w2, dh, batch, HIDDEN, OUTS);
        relu_gradient<<<blocks(batch * HIDDEN), 256>>>(h, dh, batch * HIDDEN);
        backward_weights<<<tiles(INS, HIDDEN), TILE>>>(x, dh, dw1, batch, INS, HIDDEN);
        // Nobody needs the old weights any more.
        update<<<1, 1>>>(w1, dw1, INS * HIDDEN);
        update<<<1, 1>>>(w2, dw2, HIDDEN * OUTS);
        CHECK(cudaGetLastError());
    }

    for (float *made : {h, dh, y, dw1, dw2, row_losses, loss}) {
        CHECK(cudaFree(made));
    }
}

int main() {
    // Two rows of each label; each label has three inputs of its own.
    const int batch = 8, steps = 60, every = 10;
    float x[batch * INS] = {}, w1[INS * HIDDEN], w2[HIDDEN * OUTS], losses[steps / every] = {};
    int labels[batch];
    for (int row = 0; row < batch; row++) {
        labels[row] = row % OUTS;
        for (int k = 0; k < 3; k++) {
            x[row * INS + 3 * labels[row] + k] = 1;
        }
    }
    for (int i = 0; i < INS * HIDDEN; i++) {
        w1[i] = (i * 37 % 101 - 50) / 100.0f;
    }
    for (int i = 0; i < HIDDEN * OUTS; i++) {
        w2[i] = (i * 53 % 103 - 51) / 100.0f;
    }
    float *d_x = array(batch * INS), *d_w1 = array(INS * HIDDEN), *d_w2 = array(HIDDEN * OUTS);
    int *d_labels;
    CHECK(cudaMalloc(&d_labels, sizeof(labels)));
    CHECK(cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_labels, labels, sizeof(labels), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_w1, w1, sizeof(w1), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_w2, w2, sizeof(w2), cudaMemcpyHostToDevice));
    train(d_x, d_labels, d_w1, d_w2, losses, batch, steps, every);
    for (int i = 0; i < steps / every; i++) {
        printf("step %2d: loss %.4f\n", i * every, losses[i]);
    }
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_labels));
    CHECK(cudaFree(d_w1));
    CHECK(cudaFree(d_w2));
}
