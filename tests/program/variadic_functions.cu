// Functions of the program that take variable arguments: printed, formatted, and read one by one, in host code only.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

// Reads its arguments twice: to measure, and to format.
static std::string formatted(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string text(length + 1, ' ');
    vsnprintf(&text[0], text.size(), format, arguments);
    va_end(arguments);
    text.resize(length);
    return text;
}

struct Point {
    double x, y;
    int weight;
};

// A type per letter, read one by one, from a function that is given the list.
static void list(const char *types, va_list arguments) {
    for (; *types; types++) {
        switch (*types) {
        case 'i': printf(" %d", va_arg(arguments, int)); break;
        case 'l': printf(" %lld", va_arg(arguments, long long)); break;
        case 'd': printf(" %g", va_arg(arguments, double)); break;
        case 's': printf(" %s", va_arg(arguments, const char *)); break;
        case 'p': {
            Point point = va_arg(arguments, Point);
            printf(" (%g, %g) %d", point.x, point.y, point.weight);
            break;
        }
        }
    }
}

static void show(const char *types, ...) {
    va_list arguments;
    va_start(arguments, types);
    list(types, arguments);
    va_end(arguments);
    printf("\n");
}

// Reads the first argument itself, and passes the rest on.
static void tagged(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int tag = va_arg(arguments, int);
    fprintf(stream, "[%d] ", tag);
    vfprintf(stream, format, arguments);
    va_end(arguments);
}

static int parsed(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int read = vsscanf(text, format, arguments);
    va_end(arguments);
    return read;
}

static int largest(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    int found = va_arg(arguments, int);
    for (int n = 1; n < count; n++) {
        int next = va_arg(arguments, int);
        if (next > found) found = next;
    }
    va_end(arguments);
    return found;
}

struct Logger {
    int lines = 0;
    virtual ~Logger() {}
    virtual void log(const char *format, ...) {
        va_list arguments;
        va_start(arguments, format);
        char line[64];
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        printf("%d: %s\n", ++lines, line);
    }
};

struct Loud : Logger {
    void log(const char *format, ...) override {
        va_list arguments;
        va_start(arguments, format);
        vprintf(format, arguments);
        va_end(arguments);
        printf("!\n");
    }
};

typedef void (*Say)(const char *, ...);

static void check(cudaError_t status, const char *format, ...) {
    if (status == cudaSuccess) return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(": %s\n", cudaGetErrorString(status));
}

__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main(int count, char **) {
    say("nothing more\n");
    say("%d %s %.2f %c %lld\n", 3, "three", 3.5f, 'c', 1ll << 40);
    std::string text = formatted("%5d|%-6s|%g", 42, "left", 0.125);
    printf("%s %d\n", text.c_str(), (int)text.size());

    Point point = {1.5, -2, 7};
    show("idlspi", 1, 2.5, 3ll, "four", point, short(6));
    show("");
    tagged(stdout, "%.1f %d %s\n", 9, 0.5, 8, "seven");
    for (int n = 0; n < 3; n++) printf("%d ", largest(n + 1, n, 2, 1));
    printf("\n");
    int width = 0, height = 0;
    float ratio = 0;
    int read = parsed("16x9 is 1.78", "%dx%d is %f", &width, &height, &ratio);
    printf("%d: %d %d %g\n", read, width, height, ratio);

    Logger plain;
    Loud loud;
    Logger *loggers[] = {&plain, &loud};
    for (int n = 0; n < 4; n++) loggers[n % 2]->log("line %d of %g", n, 4.0);
    Say by_address[] = {say, nullptr};
    by_address[count - 1]("by its address: %d\n", 11);
    by_address[count - 1]("without anything\n");

    int host[4] = {1, 2, 3, 4}, *device;
    check(cudaMalloc(&device, sizeof host), "%zu bytes", sizeof host);
    check(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), "to %s", "the device");
    square<<<1, 4>>>(device);
    check(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost), "to %s", "the host");
    say("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    check(cudaSetDevice(99), "device %d", 99);
    cudaGetLastError();
    cudaFree(device);
}
