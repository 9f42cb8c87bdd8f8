// Vector types, loads and stores of 16 bytes, copies of large structs, alignment.
//> 10.0 26.0
//> 6 22 38
//> 1
struct alignas(16) Block { int a[12]; };
__attribute__((noinline)) void fill(float4 *v, int n) {
    for (int i = 0; i < n; i++) v[i] = make_float4(i * 4 + 1, i * 4 + 2, i * 4 + 3, i * 4 + 4);
}
__attribute__((noinline)) float total(const float4 *v) { float4 x = *v; return x.x + x.y + x.z + x.w; }
int main() {
    float4 *v = (float4 *)malloc(2 * sizeof(float4));
    fill(v, 2);
    printf("%.1f %.1f\n", total(v), total(v + 1));
    Block b, c;
    for (int i = 0; i < 12; i++) b.a[i] = i;
    c = b;
    for (int i = 0; i < 12; i += 4) printf("%d%s", c.a[i] + c.a[i + 1] + c.a[i + 2] + c.a[i + 3], i == 8 ? "\n" : " ");
    printf("%d\n", (int)((size_t)&c % 16 == 0));
    free(v);
}
