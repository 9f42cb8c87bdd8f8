// What read-a-trace asks about.

// Takes `steps` steps, each of which needs the one before.
extern "C" __global__ void nudge(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = 1 - v * 0.125f;
    }
    x[threadIdx.x] = v;
}

// The same with another rule.
extern "C" __global__ void relax(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = v * 0.5f + 1;
    }
    x[threadIdx.x] = v;
}

// And with a third.
extern "C" __global__ void decay(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = v - v * 0.25f;
    }
    x[threadIdx.x] = v;
}
