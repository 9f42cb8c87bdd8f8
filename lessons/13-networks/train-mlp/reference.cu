// The training in double, by one thread.

const int INS = 12, HIDDEN = 24, OUTS = 4;

__global__ void all_steps(const float *x, const int *labels, float *w1, float *w2, float *losses,
                          int batch, int steps, int every, double *room) {
    double *a = room, *b = a + INS * HIDDEN, *da = b + HIDDEN * OUTS, *db = da + INS * HIDDEN;
    for (int i = 0; i < INS * HIDDEN; i++) {
        a[i] = w1[i];
    }
    for (int i = 0; i < HIDDEN * OUTS; i++) {
        b[i] = w2[i];
    }
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < INS * HIDDEN; i++) {
            da[i] = 0;
        }
        for (int i = 0; i < HIDDEN * OUTS; i++) {
            db[i] = 0;
        }
        double loss = 0;
        for (int row = 0; row < batch; row++) {
            double h[HIDDEN], y[OUTS], top = -1e30, sum = 0;
            for (int j = 0; j < HIDDEN; j++) {
                h[j] = 0;
                for (int k = 0; k < INS; k++) {
                    h[j] += x[row * INS + k] * a[k * HIDDEN + j];
                }
                h[j] = fmax(h[j], 0.0);
            }
            for (int c = 0; c < OUTS; c++) {
                y[c] = 0;
                for (int j = 0; j < HIDDEN; j++) {
                    y[c] += h[j] * b[j * OUTS + c];
                }
                top = fmax(top, y[c]);
            }
            for (int c = 0; c < OUTS; c++) {
                sum += exp(y[c] - top);
            }
            loss += log(sum) + top - y[labels[row]];
            for (int c = 0; c < OUTS; c++) {
                y[c] = (exp(y[c] - top) / sum - (c == labels[row])) / batch;
            }
            for (int j = 0; j < HIDDEN; j++) {
                double dh = 0;
                for (int c = 0; c < OUTS; c++) {
                    dh += y[c] * b[j * OUTS + c];
                    db[j * OUTS + c] += h[j] * y[c];
                }
                for (int k = 0; k < INS && h[j] > 0; k++) {
                    da[k * HIDDEN + j] += x[row * INS + k] * dh;
                }
            }
        }
        if (step % every == 0) {
            losses[step / every] = (float)(loss / batch);
        }
        for (int i = 0; i < INS * HIDDEN; i++) {
            a[i] -= 0.5 * da[i];
        }
        for (int i = 0; i < HIDDEN * OUTS; i++) {
            b[i] -= 0.5 * db[i];
        }
    }
    for (int i = 0; i < INS * HIDDEN; i++) {
        w1[i] = (float)a[i];
    }
    for (int i = 0; i < HIDDEN * OUTS; i++) {
        w2[i] = (float)b[i];
    }
}

void train(const float *x, const int *labels, float *w1, float *w2, float *losses, int batch,
           int steps, int every) {
    int count = (steps + every - 1) / every;
    double *room;
    float *d_losses;
    cudaMalloc(&room, 2 * (INS * HIDDEN + HIDDEN * OUTS) * sizeof(double));
    cudaMalloc(&d_losses, count * sizeof(float));
    all_steps<<<1, 1>>>(x, labels, w1, w2, d_losses, batch, steps, every, room);
    cudaMemcpy(losses, d_losses, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(room);
    cudaFree(d_losses);
}
