// throw() after a function says that it throws nothing.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

class Missing : public std::exception {
    std::string text;

  public:
    Missing(const char *what) : text(what) {}
    ~Missing() throw() {}
    const char *what() const throw() { return text.c_str(); }
};

int three() throw();
int three() throw() { return 3; }

int main() {
    Missing missing("no such file");
    std::fstream unopened;
    printf("%s, %d, %d\n", missing.what(), three(), unopened.is_open());
}
