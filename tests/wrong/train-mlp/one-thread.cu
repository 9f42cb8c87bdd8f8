#include <cstdio>
#include <cstdlib>
#define CHECK(c) (c)
// The training in float, by one thread.

const int INS = 12, HIDDEN = 24, OUTS = 4;

__global__ void all_steps(const float *x, const int *labels, float *w1, float *w2, float *losses,
                          int batch, int steps, int every, float *room) {
    float *a = room, *b = a + INS * HIDDEN, *da = b + HIDDEN * OUTS, *db = da + INS * HIDDEN;
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
        float loss = 0;
        for (int row = 0; row < batch; row++) {
            float h[HIDDEN], y[OUTS], top = -1e30f, sum = 0;
            for (int j = 0; j < HIDDEN; j++) {
                h[j] = 0;
                for (int k = 0; k < INS; k++) {
                    h[j] += x[row * INS + k] * a[k * HIDDEN + j];
                }
                h[j] = fmaxf(h[j], 0.0f);
            }
            for (int c = 0; c < OUTS; c++) {
                y[c] = 0;
                for (int j = 0; j < HIDDEN; j++) {
                    y[c] += h[j] * b[j * OUTS + c];
                }
                top = fmaxf(top, y[c]);
            }
            for (int c = 0; c < OUTS; c++) {
                sum += expf(y[c] - top);
            }
            loss += logf(sum) + top - y[labels[row]];
            for (int c = 0; c < OUTS; c++) {
                y[c] = (expf(y[c] - top) / sum - (c == labels[row])) / batch;
            }
            for (int j = 0; j < HIDDEN; j++) {
                float dh = 0;
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
            a[i] -= 0.5f * da[i];
        }
        for (int i = 0; i < HIDDEN * OUTS; i++) {
            b[i] -= 0.5f * db[i];
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
           int steps, int every) { //~ too-much-work: global_reads_per_thread
    int count = (steps + every - 1) / every;
    float *room;
    float *d_losses;
    cudaMalloc(&room, 2 * (INS * HIDDEN + HIDDEN * OUTS) * sizeof(float));
    cudaMalloc(&d_losses, count * sizeof(float));
    all_steps<<<1, 1>>>(x, labels, w1, w2, d_losses, batch, steps, every, room);
    cudaMemcpy(losses, d_losses, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(room);
    cudaFree(d_losses);
}

float *array(int n) { float *p; cudaMalloc(&p, n * 4); return p; }
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
