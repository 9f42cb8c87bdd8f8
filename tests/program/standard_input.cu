// stdin: 12 3.5 word\nsecond line\n7 true 0x1F\nx,y;rest of it\n5 6
// What is read by C, by C++ and by both in turn.
#include <cstdio>
#include <iostream>
#include <string>

__global__ void twice(int *x) { *x *= 2; }

int main() {
    int n = 0;
    double d = 0;
    std::string word, line;
    std::cin >> n >> d >> word;
    std::cout << n << ' ' << d << ' ' << word << '\n';
    std::getline(std::cin, line);
    std::cout << '[' << line << "]\n";
    char text[32];
    if (fgets(text, sizeof text, stdin)) std::cout << text;
    bool b = false;
    int hex = 0;
    std::cin >> n >> std::boolalpha >> b;
    if (scanf("%x", &hex) == 1) std::cout << n << ' ' << b << ' ' << hex << '\n';
    char first = 0, rest[20];
    std::cin >> first;
    if (scanf(",%19[^;]", rest) == 1) std::cout << first << ' ' << rest << '\n';
    std::cout << char(std::cin.get()) << char(getchar()) << '\n';
    ungetc('R', stdin);
    std::getline(std::cin, line);
    std::cout << line << '\n';
    std::cout << char(std::cin.peek());
    int *x, given, sum = 0;
    cudaMalloc(&x, sizeof(int));
    while (std::cin >> given) {
        cudaMemcpy(x, &given, sizeof given, cudaMemcpyHostToDevice);
        twice<<<1, 1>>>(x);
        cudaMemcpy(&given, x, sizeof given, cudaMemcpyDeviceToHost);
        sum += given;
    }
    cudaFree(x);
    std::cout << ' ' << sum << ' ' << std::cin.eof() << ' ' << (scanf("%d", &n) == EOF) << (feof(stdin) != 0) << '\n';
}
