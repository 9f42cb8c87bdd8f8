// A dense switch with fall-through and a sparse one.
// launch: grid 1 block 64
// in a: i32 64 = i % 11
// out y: i32 128
// expect y[i] = i % 2 == 0 ? (a[i/2] == 0 ? 5 : a[i/2] == 1 ? 11 : a[i/2] == 2 ? 31 : a[i/2] == 3 ? 30 : a[i/2] == 4 ? 47 : a[i/2] == 5 ? 99 : a[i/2] == 6 ? 47 : a[i/2] == 7 ? 700 : -1) : (a[i/2] * 1000 == 3000 ? 1 : a[i/2] * 1000 == 7000 ? 2 : 3)
extern "C" __global__ void choose(const int *a, int *y) {
    int i = threadIdx.x, value = 0;
    switch (a[i]) {
    case 0: value = 5; break;
    case 1: value = 11; break;
    case 2: value = 1; // falls through
    case 3: value += 30; break;
    case 4:
    case 6: value = 47; break;
    case 5: value = 99; break;
    case 7: value = 700; break;
    default: value = -1;
    }
    y[2 * i] = value;
    switch (a[i] * 1000) {
    case 3000: y[2 * i + 1] = 1; break;
    case 7000: y[2 * i + 1] = 2; break;
    default: y[2 * i + 1] = 3;
    }
}
