// Managed variables lie outside the thread's own memory.
//> 3 4 12
__managed__ int values[4] = {0, 0, 0, 0};
__global__ void kernel() { values[0] = 1; }
__attribute__((noinline)) int at(const int *p) { return *p; }
int main() {
    for (int i = 0; i < 4; i++) values[i] = i + 1;
    printf("%d %d %d\n", at(&values[2]), values[3], (values[1] + values[3]) * 2);
}
