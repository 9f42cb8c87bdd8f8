// shared: to every element, add the first element of its block.
//
// As many blocks as it takes to have a thread for each of the n elements.

#define MAX_THREADS 256 // the largest block that is launched here

extern "C" __global__ void shared(const float *in, float *out, int n) {
    // 1. Declare a shared array, tile, with room for MAX_THREADS floats.
    // 2. Store the thread's element in it.
    // 3. Wait until all threads of the block have done so.
    // 4. Add tile's first element to the thread's own, write the sum to out.
}
