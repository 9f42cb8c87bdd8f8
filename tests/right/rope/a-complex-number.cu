// The pair is a complex number that is multiplied by another; early return.
#define HEAD 64
#define HALF 32

extern "C" __global__ void rope(float *x, const float *cosine, const float *sine,
                                int tokens, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * heads * HALF) {
        return;
    }
    {
        int pair = i % HALF;
        int vector = i / HALF; // one head of one token
        int token = vector / heads;
        float c = cosine[token * HALF + pair];
        float s = sine[token * HALF + pair];
        float *real = x + vector * HEAD + pair, *imaginary = real + HALF;
        float2 z = make_float2(*real, *imaginary), turn = make_float2(c, s);
        *real = z.x * turn.x - z.y * turn.y;
        *imaginary = z.x * turn.y + z.y * turn.x;
    }
}
