// Virtual calls over a linked list of objects.
struct Shape {
    Shape *next;
    virtual double area() const = 0;
};
struct Square : Shape { double s; double area() const override { return s * s; } };
struct Circle : Shape { double r; double area() const override { return 3.14 * r * r; } };
int main(int argc, char **argv) {
    Shape *list = nullptr;
    for (int i = 0; i < 1000; i++) {
        Shape *made;
        if (i % 3) { auto *q = new Square; q->s = i; made = q; }
        else { auto *c = new Circle; c->r = i; made = c; }
        made->next = list;
        list = made;
    }
    double sum = 0;
    for (int round = 0; round < 2000; round++)
        for (Shape *s = list; s; s = s->next) sum += s->area();
    return (int)(sum / 1e12);
}
