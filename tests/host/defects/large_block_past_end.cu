//> 7
int main() {
    const int n = 1 << 20;
    double *a = new double[n];
    volatile int i = n;
#ifdef FIXED
    a[i - 1] = 7;
#else
    a[i + 5000] = 7; //~ H001
#endif
    printf("%d\n", (int)a[n - 1]);
    delete[] a;
}
