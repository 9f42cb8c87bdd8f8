// A vector as libraries write it: grows by doubling, is sorted and summed through its operators.
template <class T> class Vector {
    T *first = nullptr, *last = nullptr, *room = nullptr;
public:
    ~Vector() { free(first); }
    size_t size() const { return last - first; }
    T &operator[](size_t i) { return first[i]; }
    void push_back(const T &value) {
        if (last == room) {
            size_t count = size(), more = count ? 2 * count : 4;
            T *next = (T *)malloc(more * sizeof(T));
            for (size_t i = 0; i < count; i++) next[i] = first[i];
            free(first);
            first = next;
            last = next + count;
            room = next + more;
        }
        *last++ = value;
    }
};
template <class T> __attribute__((noinline)) void sort(Vector<T> &v, long low, long high) {
    while (low < high) {
        T pivot = v[(low + high) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (pivot < v[j]) j--;
            if (i <= j) {
                T other = v[i];
                v[i++] = v[j];
                v[j--] = other;
            }
        }
        sort(v, low, j);
        low = i;
    }
}
int main(int argc, char **argv) {
    long sum = 0;
    for (int round = 0; round < 20; round++) {
        Vector<int> v;
        unsigned x = 12345 + round;
        for (int i = 0; i < 20000; i++) {
            x = x * 1664525 + 1013904223;
            v.push_back(x >> 8);
        }
        sort(v, 0, (long)v.size() - 1);
        for (size_t i = 1; i < v.size(); i++) sum += v[i - 1] <= v[i];
    }
    return sum == 20 * 19999 ? 0 : 1;
}
