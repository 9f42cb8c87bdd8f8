//! Determines the scope of a token.

use super::Source;
use super::functions::Space;
use std::ops::Range;

/// The kind of scope that contains a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Namespace,
    Class,
    /// A function, a lambda, or a block within one. If they are nested, the one marked as running on the
    /// device determines the space.
    Function(Space),
}

impl Source<'_> {
    /// Returns the scope of a token.
    pub fn scope(&self, token: usize) -> Scope {
        let tokens = self.tokens();
        let mut found = Scope::Namespace;
        for at in self.braces_around(token) {
            let head = self.declaration_start(at)..at;
            let has = |word: &[u8]| head.clone().any(|at| tokens.is(at, word));
            if self.opens_namespace(at) {
                continue;
            }
            let is_class = self.is_class(head.clone());
            if is_class && found == Scope::Namespace {
                return Scope::Class;
            }
            found = match (has(b"__global__"), has(b"__device__"), has(b"__host__")) {
                (true, ..) => return Scope::Function(Space::Kernel),
                (_, true, false) => return Scope::Function(Space::Device),
                (_, true, true) => Scope::Function(Space::Both),
                _ if is_class || found == Scope::Function(Space::Both) => found,
                _ => Scope::Function(Space::Host),
            };
        }
        found
    }

    /// Returns the opening braces of the blocks that contain a token, innermost first.
    pub fn braces_around(&self, token: usize) -> impl Iterator<Item = usize> + '_ {
        let tokens = self.tokens();
        tokens.brackets_around(token).filter(|at| tokens.is(*at, b"{"))
    }

    /// Returns whether a line is in a lambda of a member function that captures `this`, by its name or with `=`.
    pub fn captures_this(&self, line: u32) -> bool {
        let tokens = self.tokens();
        let Some(at) = tokens.of_lines(line..line + 1).next() else { return false };
        let braces: Vec<usize> = self.braces_around(at).collect();
        let captures = |open: usize| {
            let of = |close: usize| open + 1..close;
            let Some(close) = tokens.partner(open).filter(|_| tokens.may_begin_lambda(open)) else {
                return false;
            };
            let this = of(close).find(|&at| tokens.is(at, b"this"));
            this.map_or(tokens.is(open + 1, b"="), |this| !tokens.is(this - 1, b"*"))
        };
        braces.iter().any(|&brace| self.scope(brace) == Scope::Class)
            && braces.iter().any(|&brace| (self.declaration_start(brace)..brace).any(captures))
    }

    /// Returns whether a brace opens a namespace, or an `extern "C" {` block, whose literal is not a token.
    pub fn opens_namespace(&self, brace: usize) -> bool {
        let tokens = self.tokens();
        let head = self.declaration_start(brace)..brace;
        head.clone().any(|at| tokens.is(at, b"namespace"))
            || head.len() == 1 && tokens.is(head.start, b"extern")
    }

    /// Returns the first token of the declaration or statement that contains a token.
    pub fn declaration_start(&self, token: usize) -> usize {
        self.starts().get(token).copied().unwrap_or(token)
    }

    /// Returns for each token what [`Source::declaration_start`] does.
    pub(super) fn declaration_starts(&self) -> Vec<usize> {
        let tokens = self.tokens();
        let mut starts: Vec<usize> = Vec::with_capacity(tokens.count() + 1);
        for at in 0..=tokens.count() {
            let before = at.checked_sub(1);
            let start = before.and_then(|before| match tokens.word(before) {
                // A comma behind a brace follows an initialiser, `int a[] = {1}, b`.
                b";" | b"{" => None,
                b"}" if !tokens.is(at, b",") => None,
                b")" | b"]" | b"}" => Some(tokens.partner(before).unwrap_or(before)),
                _ => Some(before),
            });
            starts.push(start.map_or(at, |before| starts[before]));
        }
        starts
    }

    /// Returns the token that closes the block that contains a token; the number of tokens if none does.
    pub fn block_end(&self, token: usize) -> usize {
        let tokens = self.tokens();
        let open = self.braces_around(token).next();
        open.and_then(|open| tokens.partner(open)).unwrap_or(tokens.count())
    }

    /// Returns whether the tokens before a `{` begin a class: `struct alignas(8) A`, not
    /// `template <class T> struct A f()`.
    fn is_class(&self, head: Range<usize>) -> bool {
        let tokens = self.tokens();
        let of_template = if tokens.is(head.start, b"template") {
            tokens.after_template_arguments(head.start + 1)
        } else {
            None
        };
        let head = of_template.unwrap_or(head.start)..head.end;
        let has_parameters = |at: usize| {
            tokens.is(at, b"(")
                && !matches!(tokens.word(at - 1), b"alignas" | b"__align__" | b"__attribute__")
        };
        head.clone().any(|at| matches!(tokens.word(at), b"class" | b"struct" | b"union"))
            && !head.clone().skip(1).any(has_parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_that_of_the_function_or_class_around() {
        use Scope::{Class, Function, Namespace};
        for (text, scope) in [
            ("int x;", Namespace),
            ("namespace a { extern \"C\" { int x; } }", Namespace),
            ("struct S { int x; };", Class),
            ("template <class T> struct alignas(8) S : B<T> { int x; };", Class),
            ("int main() { for (;;) { int x; } }", Function(Space::Host)),
            ("struct S { void f() { int x; } };", Function(Space::Host)),
            ("template <class T> struct A f(T a) { int x; }", Function(Space::Host)),
            ("__global__ void k(int *p) { if (p) { int x; } }", Function(Space::Kernel)),
            ("extern \"C\" __global__ void k(int *p) { int x; }", Function(Space::Kernel)),
            ("extern \"C\" void f() { int x; }", Function(Space::Host)),
            ("struct S { __device__ void f() { int x; } };", Function(Space::Device)),
            ("__host__ __device__ void f() { int x; }", Function(Space::Both)),
            ("__host__ __device__ void f() { auto g = [] { int x; }; }", Function(Space::Both)),
            ("int main() { auto g = [=] __device__ (int i) { int x; }; }", Function(Space::Device)),
            ("int main() { struct S { int x; }; }", Class),
        ] {
            let source = Source::new(text);
            let at = (0..source.tokens().count()).find(|&at| source.tokens().is(at, b"x")).unwrap();
            assert_eq!(source.scope(at), scope, "{text}");
        }
    }

    #[test]
    fn a_lambda_captures_this_in_a_member_function() {
        let captures = |head: &str, list: &str| {
            Source::new(&format!(
                "{head} void run() {{ apply(1, [{list}] __device__ (int i) {{\nreturn i * k;\n}}); }} }}"
            ))
            .captures_this(2)
        };
        assert!(captures("struct S { int k;", "=") && captures("struct S {", "this, n"));
        assert!(!captures("struct S { int k;", "=, *this") && !captures("struct S {", "k"));
        assert!(!captures("namespace s {", "="));
    }

    #[test]
    fn a_declaration_begins_behind_what_is_over() {
        let source = Source::new("void f() { g(); int a = h({1}), x[3]; { y; } z; }");
        let at = |word: &[u8]| (0..source.tokens().count()).find(|&at| source.tokens().is(at, word)).unwrap();
        assert_eq!(source.declaration_start(at(b"x")), at(b"int"));
        assert_eq!(source.block_end(at(b"x")), source.tokens().count() - 1);
        assert_eq!(source.block_end(at(b"y")), at(b"z") - 1);
    }
}
