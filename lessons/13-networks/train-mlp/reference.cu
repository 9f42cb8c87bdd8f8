// The training in double, by one block: a row of the batch for each thread, then a weight
// for each.

const int INS = 12, HIDDEN = 24, OUTS = 4, THREADS = 128;

// What a row of the batch leaves for the gradients: what comes out of the hidden layer, the
// gradients by that and by y, and its loss.
struct Row {
    double h[HIDDEN], dh[HIDDEN], dy[OUTS], loss;
};

__global__ void all_steps(const float *x, const int *labels, float *w1, float *w2, float *losses,
                          int batch, int steps, int every, Row *rows) {
    __shared__ double a[INS * HIDDEN], b[HIDDEN * OUTS];
    int t = threadIdx.x;
    for (int i = t; i < INS * HIDDEN; i += THREADS) {
        a[i] = w1[i];
    }
    for (int i = t; i < HIDDEN * OUTS; i += THREADS) {
        b[i] = w2[i];
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        for (int r = t; r < batch; r += THREADS) {
            Row &row = rows[r];
            double y[OUTS], top = -1e30, sum = 0;
            for (int j = 0; j < HIDDEN; j++) {
                double h = 0;
                for (int k = 0; k < INS; k++) {
                    h += x[r * INS + k] * a[k * HIDDEN + j];
                }
                row.h[j] = fmax(h, 0.0);
            }
            for (int c = 0; c < OUTS; c++) {
                y[c] = 0;
                for (int j = 0; j < HIDDEN; j++) {
                    y[c] += row.h[j] * b[j * OUTS + c];
                }
                top = fmax(top, y[c]);
            }
            for (int c = 0; c < OUTS; c++) {
                sum += exp(y[c] - top);
            }
            row.loss = log(sum) + top - y[labels[r]];
            for (int c = 0; c < OUTS; c++) {
                row.dy[c] = (exp(y[c] - top) / sum - (c == labels[r])) / batch;
            }
            for (int j = 0; j < HIDDEN; j++) {
                double dh = 0;
                for (int c = 0; c < OUTS; c++) {
                    dh += row.dy[c] * b[j * OUTS + c];
                }
                row.dh[j] = row.h[j] > 0 ? dh : 0;
            }
        }
        __syncthreads();
        for (int i = t; i < INS * HIDDEN; i += THREADS) {
            double sum = 0;
            for (int r = 0; r < batch; r++) {
                sum += x[r * INS + i / HIDDEN] * rows[r].dh[i % HIDDEN];
            }
            a[i] -= 0.5 * sum;
        }
        for (int i = t; i < HIDDEN * OUTS; i += THREADS) {
            double sum = 0;
            for (int r = 0; r < batch; r++) {
                sum += rows[r].h[i / OUTS] * rows[r].dy[i % OUTS];
            }
            b[i] -= 0.5 * sum;
        }
        if (step % every == 0 && t == 0) {
            double loss = 0;
            for (int r = 0; r < batch; r++) {
                loss += rows[r].loss;
            }
            losses[step / every] = (float)(loss / batch);
        }
        __syncthreads();
    }
    for (int i = t; i < INS * HIDDEN; i += THREADS) {
        w1[i] = (float)a[i];
    }
    for (int i = t; i < HIDDEN * OUTS; i += THREADS) {
        w2[i] = (float)b[i];
    }
}

void train(const float *x, const int *labels, float *w1, float *w2, float *losses, int batch,
           int steps, int every) {
    int count = (steps + every - 1) / every;
    Row *rows;
    float *d_losses;
    cudaMalloc(&rows, batch * sizeof(Row));
    cudaMalloc(&d_losses, count * sizeof(float));
    all_steps<<<1, THREADS>>>(x, labels, w1, w2, d_losses, batch, steps, every, rows);
    cudaMemcpy(losses, d_losses, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(rows);
    cudaFree(d_losses);
}
