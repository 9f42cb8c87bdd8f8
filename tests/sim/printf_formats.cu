// printf with every kind of argument, from one thread of each block.
// launch: grid 2 block 32
// out y: i32 1
// expect y = 7
// print: block 0: -5 4294967291 fffffffb 0x2a 052 +7 |   42|42   |00042|
// print: 1.500000 1.500000e+00 1.5 0x1.8p+0 -0.333 1e+20 inf nan
// print: text [hello] [he] [  hello] A 100% (nil) 123456789012345 beef
// print: block 1: -5 4294967291 fffffffb 0x2a 052 +7 |   42|42   |00042|
// print: 1.500000 1.500000e+00 1.5 0x1.8p+0 -0.333 1e+20 inf nan
// print: text [hello] [he] [  hello] A 100% (nil) 123456789012345 beef
extern "C" __global__ void speak(int *y) {
    if (threadIdx.x != 5) {
        return;
    }
    int value = -5;
    printf("block %d: %d %u %x %#x %#o %+d |%5d|%-5d|%05d|\n", blockIdx.x, value, value, value, 42, 42, 7, 42, 42, 42);
    float x = 1.5f;
    double zero = 0.0;
    printf("%f %e %g %a %.3f %g %f ", x, x, x, x, -1.0 / 3, 1e20, 1.0 / zero);
    printf("nan\n");
    const char *text = "hello";
    int length = printf("text [%s] [%.2s] [%7s] %c 100%% %p %lld %hx\n", text, text, text, 'A', (void *)0, 123456789012345LL, 0xdeadbeef);
    // On the device: how many arguments were printed.
    *y = length;
}
