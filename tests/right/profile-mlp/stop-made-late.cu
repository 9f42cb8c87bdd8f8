// The second event is made only after the launch.
// profile-mlp: which kernels of a small neural network take the time?

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

struct Step {
    const char *name;
    float ms;
};
const int MOST = 100;
Step steps[MOST];
int step_count = 0;
cudaEvent_t start, stop; // of the step that runs

// train() calls this before each launch …
void begin_step(const char *name) {
    if (step_count < MOST) {
        steps[step_count] = {name, 0};
    }
    CHECK(cudaEventCreate(&start));
    // The GPU itself records the time when it reaches an event, so what the host
    // does meanwhile does not count.
    CHECK(cudaEventRecord(start));
}

// … and this after it.
void end_step() {
    CHECK(cudaGetLastError());
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    if (step_count < MOST) {
        CHECK(cudaEventElapsedTime(&steps[step_count].ms, start, stop));
        step_count++;
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

// Prints each step with its share of the total time, in whole percent, and at the end
// the longest.
void print_profile() {
    float total = 0;
    int longest = 0;
    for (int i = 0; i < step_count; i++) {
        total += steps[i].ms;
        if (steps[i].ms > steps[longest].ms) {
            longest = i;
        }
    }
    for (int i = 0; i < step_count; i++) {
        printf("%s %.0f %%\n", steps[i].name, total > 0 ? 100 * steps[i].ms / total : 0);
    }
    printf("longest: %s\n", steps[longest].name);
}

// The network, defined below: it is right, and you need not read it.
struct Net {
    float *x, *w1, *h, *w2, *y; // data, weights, and what comes out of each layer
    float *dy, *dw2, *dh, *dw1; // the gradients
};
Net make_net(int batch, unsigned seed); // all arrays, in one allocation that begins at x
void train(const Net &net, int batch);  // one round: ten kernels, each a step
void report(const Net &net, int batch); // prints the loss and the size of a gradient

int main(int argc, char **argv) {
    int batch = argc > 1 ? atoi(argv[1]) : 64;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 1;
    Net net = make_net(batch, seed);

    train(net, batch);
    // The first round loaded the kernels and filled the caches: it is a warm-up.
    step_count = 0;
    train(net, batch);
    report(net, batch);
    print_profile();

    CHECK(cudaFree(net.x));
}

// ---- The network ----

const int INPUT = 256, HIDDEN = 64, OUTPUT = 10; // x (batch, INPUT) -> h -> y (batch, OUTPUT)

// c (rows, cols) = a (rows, inner) * b (inner, cols). Element (r, k) of a is at
// r * a_row + k * a_col, and likewise for b: for a transposed matrix, swap the two.
__global__ void matmul(const float *a, int a_row, int a_col, const float *b, int b_row, int b_col,
                       float *c, int rows, int inner, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += a[row * a_row + k * a_col] * b[k * b_row + col * b_col];
        }
        c[row * cols + col] = sum;
    }
}

__global__ void relu(float *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && h[i] < 0) {
        h[i] = 0;
    }
}

// Where relu() produced a zero, the gradient is zero.
__global__ void relu_gradient(const float *h, float *dh, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && h[i] == 0) {
        dh[i] = 0;
    }
}

// The gradient of the loss: softmax of each row of y, minus 1 at the row's class.
__global__ void loss_gradient(const float *y, float *dy, int batch) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < batch) {
        float most = y[row * OUTPUT], sum = 0;
        for (int k = 1; k < OUTPUT; k++) {
            most = fmaxf(most, y[row * OUTPUT + k]);
        }
        for (int k = 0; k < OUTPUT; k++) {
            sum += expf(y[row * OUTPUT + k] - most);
        }
        for (int k = 0; k < OUTPUT; k++) {
            float share = expf(y[row * OUTPUT + k] - most) / sum;
            dy[row * OUTPUT + k] = (share - (k == row % OUTPUT)) / batch;
        }
    }
}

// Subtracts a part of the gradient from the weights.
__global__ void update(float *w, const float *dw, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        w[i] -= 0.1f * dw[i];
    }
}

// Numbers from -0.5 to 0.5.
__global__ void fill(float *x, unsigned seed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = (i + seed) * 2654435761u;
        bits = (bits ^ bits >> 15) * 2246822519u;
        x[i] = (bits >> 8) / 16777216.0f - 0.5f;
    }
}

dim3 tiles(int rows, int cols) {
    return dim3((cols + 15) / 16, (rows + 15) / 16);
}

int blocks(int n) {
    return (n + 255) / 256;
}

// One round of training: forward, backward, and the update of the weights. Ten
// kernels, each a step of the profile.
void train(const Net &net, int batch) {
    const int I = INPUT, H = HIDDEN, O = OUTPUT;
    dim3 tile(16, 16);
    begin_step("forward_1");
    matmul<<<tiles(batch, H), tile>>>(net.x, I, 1, net.w1, H, 1, net.h, batch, I, H);
    end_step();
    begin_step("relu");
    relu<<<blocks(batch * H), 256>>>(net.h, batch * H);
    end_step();
    begin_step("forward_2");
    matmul<<<tiles(batch, O), tile>>>(net.h, H, 1, net.w2, O, 1, net.y, batch, H, O);
    end_step();
    begin_step("loss_gradient");
    loss_gradient<<<blocks(batch), 256>>>(net.y, net.dy, batch);
    end_step();
    begin_step("gradient_w2");
    matmul<<<tiles(H, O), tile>>>(net.h, 1, H, net.dy, O, 1, net.dw2, H, batch, O);
    end_step();
    begin_step("gradient_h");
    matmul<<<tiles(batch, H), tile>>>(net.dy, O, 1, net.w2, 1, O, net.dh, batch, O, H);
    end_step();
    begin_step("relu_gradient");
    relu_gradient<<<blocks(batch * H), 256>>>(net.h, net.dh, batch * H);
    end_step();
    begin_step("gradient_w1");
    matmul<<<tiles(I, H), tile>>>(net.x, 1, I, net.dh, H, 1, net.dw1, I, batch, H);
    end_step();
    begin_step("update_w2");
    update<<<blocks(H * O), 256>>>(net.w2, net.dw2, H * O);
    end_step();
    begin_step("update_w1");
    update<<<blocks(I * H), 256>>>(net.w1, net.dw1, I * H);
    end_step();
}

// The results of the last round: the loss, and how large the gradient of w1 is (the
// root of the mean of its squares).
void report(const Net &net, int batch) {
    std::vector<float> y(batch * OUTPUT), dw1(INPUT * HIDDEN);
    CHECK(cudaMemcpy(y.data(), net.y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(dw1.data(), net.dw1, dw1.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double loss = 0, squares = 0;
    for (int row = 0; row < batch; row++) {
        double sum = 0;
        for (int k = 0; k < OUTPUT; k++) {
            sum += exp(y[row * OUTPUT + k]);
        }
        loss += log(sum) - y[row * OUTPUT + row % OUTPUT];
    }
    for (float d : dw1) {
        squares += d * d;
    }
    printf("loss %.4f\n", loss / batch);
    printf("gradient %.6f\n", sqrt(squares / dw1.size()));
}

// All arrays one after the other in a single allocation, filled with numbers.
Net make_net(int batch, unsigned seed) {
    const int sizes[] = {batch * INPUT,   INPUT * HIDDEN, batch * HIDDEN,
                         HIDDEN * OUTPUT, batch * OUTPUT, batch * OUTPUT,
                         HIDDEN * OUTPUT, batch * HIDDEN, INPUT * HIDDEN};
    int all = 0;
    for (int size : sizes) {
        all += size;
    }
    float *memory;
    CHECK(cudaMalloc(&memory, all * sizeof(float)));
    fill<<<blocks(all), 256>>>(memory, seed, all);
    CHECK(cudaGetLastError());
    float *parts[9], *next = memory;
    for (int i = 0; i < 9; i++) {
        parts[i] = next;
        next += sizes[i];
    }
    return {parts[0], parts[1], parts[2], parts[3], parts[4],
            parts[5], parts[6], parts[7], parts[8]};
}
