// Virtual functions, abstract classes, destructors through a base.
//> area 4.00
//> area 28.27
//> end circle
//> end shape
//> end square
//> end shape
struct Shape {
    virtual ~Shape() { printf("end shape\n"); }
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    Square(double s) : side(s) {}
    ~Square() override { printf("end square\n"); }
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius;
    Circle(double r) : radius(r) {}
    ~Circle() override { printf("end circle\n"); }
    double area() const override { return 3.14159265 * radius * radius; }
};
__attribute__((noinline)) Shape *make(int n) {
    if (n & 1) return new Circle(n * 3);
    return new Square(n + 2);
}
int main() {
    Shape *shapes[2];
    for (int i = 0; i < 2; i++) shapes[i] = make(i);
    for (Shape *s : shapes) printf("area %.2f\n", s->area());
    for (int i = 1; i >= 0; i--) delete shapes[i];
}
