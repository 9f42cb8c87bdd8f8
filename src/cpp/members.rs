//! The member functions that classes declare, with or without a body.

use super::functions::{Function, Heads};
use super::{Scope, Source};

/// A member function.
#[derive(Debug)]
pub struct Member {
    /// The token of the name of its class.
    pub class: usize,
    pub function: Function,
    /// Whether the compiler writes its body (`= default`), or none exists (`= delete`).
    pub is_implicit: bool,
}

impl Source<'_> {
    /// Returns the member functions of the named classes of the source, in order. Operators and conversions are left
    /// out.
    pub fn members(&self) -> Vec<Member> {
        let tokens = self.tokens();
        let mut found = Vec::new();
        let opens = |at: &usize| matches!(tokens.word(*at), b"{" | b";" | b"(" | b"=");
        let is_class =
            |at: &usize| matches!(tokens.word(at - 1), b"struct" | b"class") && tokens.is_name(*at);
        // A later class never has an earlier brace, so that each token is passed once.
        let mut open = 0;
        for class in (1..tokens.count()).filter(is_class) {
            open = (open.max(class)..tokens.count()).find(opens).unwrap_or(tokens.count());
            if let Some(close) = tokens.partner(open).filter(|_| tokens.is(open, b"{")) {
                self.members_of(class, open..close, &mut found);
            }
        }
        found
    }

    /// Returns whether a class is declared inside a function.
    pub fn is_local(&self, class: usize) -> bool {
        matches!(self.scope(class), Scope::Function(_))
    }

    fn members_of(&self, class: usize, body: std::ops::Range<usize>, found: &mut Vec<Member>) {
        let tokens = self.tokens();
        let heads = Heads { tokens, macros: self.macros() };
        let mut head = body.start + 1;
        // Whether the current declaration's parameters, or its initialiser, have been seen.
        let mut is_known = false;
        let mut at = head;
        while at < body.end {
            let close = tokens.partner(at).filter(|close| *close > at);
            match tokens.word(at) {
                b";" => (head, is_known) = (at + 1, false),
                b":" if matches!(tokens.before(at, 1), b"public" | b"private" | b"protected") => {
                    head = at + 1
                }
                b"=" | b"operator" => is_known = true,
                b"(" if !is_known && at > head && tokens.is_name(at - 1) => {
                    let (name, Some(close)) = (at - 1, close) else { return };
                    if !ATTRIBUTES.contains(&tokens.word(name)) {
                        is_known = true;
                        let function = heads.function(head, name, at..close, None, false);
                        let is_implicit = tokens.is(close + 1, b"=") && !tokens.is(close + 2, b"0");
                        found.push(Member { class, function, is_implicit });
                    }
                    at = close;
                }
                b"(" | b"[" => at = close.unwrap_or(body.end),
                // A body, or an initialiser in the list of a constructor, which another one or the body follows.
                b"{" => {
                    at = close.unwrap_or(body.end);
                    if !matches!(tokens.word(at + 1), b"," | b"{") {
                        (head, is_known) = (at + 1, false);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Words with parentheses that are not functions.
const ATTRIBUTES: [&[u8]; 7] =
    [b"explicit", b"noexcept", b"alignas", b"__align__", b"__attribute__", b"decltype", b"__launch_bounds__"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;

    #[test]
    fn members_are_found_with_their_classes() {
        let source = Source::new(
            "#define HD __host__ __device__\nstruct P : Q { int a = f(1), b[g(2)]; P(int n) : a(n), b{n} {}\n\
             HD explicit(true) P(); public: static float one() { return h(2); } P(const P &) = default;\n\
             P operator+(const P &o) const; virtual int pure(int) = 0; struct In { __device__ void f(); }; };\n\
             struct A; void g(struct A a); struct A make() { return A(1); }",
        );
        let word = |at: usize| source.tokens().text_of(at);
        let all = source.members();
        let found: Vec<_> = (all.iter())
            .map(|its| (word(its.class), word(its.function.name), its.function.space, its.is_implicit))
            .collect();
        let of_p = |name: &str, space, implicit| ("P".to_owned(), name.to_owned(), space, implicit);
        assert_eq!(
            found,
            [
                of_p("P", Space::Host, false),
                of_p("P", Space::Both, false),
                of_p("one", Space::Host, false),
                of_p("P", Space::Host, true),
                of_p("pure", Space::Host, false),
                ("In".to_owned(), "f".to_owned(), Space::Device, false),
            ]
        );
    }
}
