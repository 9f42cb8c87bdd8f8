// {kernel}: out[i] is twice in[i], for i from 0 to n - 1.
//
// Blocks of 32 threads, as many as it takes to have a thread for each element.

extern "C" __global__ void {kernel}(const float *in, float *out, int n) {
    // Write here what one thread does.
}
