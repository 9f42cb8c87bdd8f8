// <mutex> brings <string>, <stdexcept>, <ctime> and <cstdio> in the usual C++ library.
#include <mutex>

std::mutex guard;

std::string told(const std::exception &error) {
    std::lock_guard<std::mutex> held(guard);
    return std::string("told: ") + error.what();
}

int main() {
    std::time_t now = std::time(nullptr);
    std::clock_t ticks = std::clock();
    std::printf("%d %d %s\n", now > 0, ticks >= 0, told(std::out_of_range("seven")).c_str());
}
