// Strings in constant memory, bytes compared in loops, a hash per thread.
// launch: grid 1 block 8
// out y: u32 16
// expect y[i] = i % 2 == 0 ? (i/2 % 4 == 0 ? 5 : i/2 % 4 == 1 ? 4 : i/2 % 4 == 2 ? 0 : 7) : (i/2 % 4 == 0 ? 0x4f9f2cab : i/2 % 4 == 1 ? 0x4db211e5 : i/2 % 4 == 2 ? 0x811c9dc5 : 0x39b7e988)
__constant__ const char *words[4] = {"hello", "true", "", "warp 32"};
extern "C" __global__ void text(unsigned *y) {
    int i = threadIdx.x;
    const char *word = words[i % 4];
    unsigned length = 0, hash = 2166136261u;
    while (word[length]) {
        hash = (hash ^ (unsigned char)word[length]) * 16777619u;
        length++;
    }
    y[2 * i] = length;
    y[2 * i + 1] = hash;
}
