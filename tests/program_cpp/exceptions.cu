#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

class CudaError : public std::runtime_error {
  public:
    int code;
    CudaError(int c, const std::string &what) : std::runtime_error(what), code(c) {}
};
struct Plain : std::exception {
    const char *what() const noexcept override { return "plain"; }
};

int checked(int x) {
    if (x < 0) throw std::invalid_argument("negative");
    if (x == 0) throw CudaError(1, "zero");
    return x * 2;
}

int main() {
    int sum = 0;
    for (int i = 1; i < 4; ++i) {
        try {
            sum += checked(i);
        } catch (const CudaError &e) {
            std::cerr << e.code << e.what();
            return 1;
        } catch (const std::exception &e) {
            std::cerr << "failed: " << e.what() << std::endl;
            break;
        }
    }
    std::cout << sum << '\n';
    std::out_of_range error("kept text");
    const std::logic_error &base = error;
    const std::exception &root = base;
    std::cout << root.what() << ' ' << Plain().what() << ' ' << std::string(CudaError(2, "made").what()) << '\n';
}
