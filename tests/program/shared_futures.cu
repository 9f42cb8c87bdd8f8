// Several ask for one result.
#include <cstdio>
#include <future>
#include <string>

int main() {
    std::shared_future<std::string> name = std::async([] { return std::string("result"); }).share();
    std::shared_future<std::string> other = name;
    std::future<void> nothing = std::async(std::launch::deferred, [] { puts("asked for"); });
    std::shared_future<void> done = std::move(nothing);
    done.wait();
    done.get();
    printf("%s %s %d\n", name.get().c_str(), other.get().c_str(), (int)nothing.valid());
}
