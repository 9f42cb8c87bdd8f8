//! Finds declarations that are lost in a compiler's output: shared arrays with their extents, and constants.

use super::{Source, Tokens};
use std::str::from_utf8;

/// Maximum number of declarations of one name inspected; `LONGEST_TYPE`: of tokens before a constant's name.
const MAX_ARRAYS: usize = 64;
const LONGEST_TYPE: usize = 64;

/// A declaration of an array in shared memory or at module scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredArray<'a> {
    /// Whether it is like `extern __shared__ float s[]`, whose size is given at the launch.
    pub is_extern: bool,
    /// Text before the first name: the element type and its qualifiers.
    pub ty: &'a str,
    /// Text between each pair of its brackets, slowest dimension first.
    pub extents: Vec<&'a str>,
}

/// What a declaration makes of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    Pointer,
    /// A `std::vector`, or a reference to one.
    Vector,
    Other,
}

impl Tokens {
    /// Returns what a name at a token is declared as there; `None` if nothing shows that it is declared.
    pub fn declared(&self, name: usize) -> Option<Declared> {
        const QUALIFIERS: [&[u8]; 4] = [b"const", b"volatile", b"__restrict__", b"__restrict"];
        let is_qualifier = |at: usize| QUALIFIERS.contains(&self.word(at));
        let mut before = name.checked_sub(1)?;
        while before > 0 && is_qualifier(before) {
            before -= 1;
        }
        // A further name of a declaration: `b` in `float *a, b`.
        let is_next = |at: usize| {
            let mut statement = (0..at).rev().take_while(|at| !matches!(self.word(*at), b";" | b"{" | b"}"));
            self.is(at, b",") && !statement.any(|at| self.is(at, b"("))
        };
        let is_first = |at: usize| self.may_be_type(at) && !self.is_value(at);
        match self.word(before) {
            b"*" => {
                let at = (0..before).rev().find(|at| !self.is(*at, b"*") && !is_qualifier(*at))?;
                (is_first(at) || is_next(at)).then_some(Declared::Pointer)
            }
            _ if self.is_vector(before) => Some(Declared::Vector),
            _ => (self.may_be_type(before) || is_next(before)).then_some(Declared::Other),
        }
    }

    /// Returns whether a word that may end a type is an operand: `a` in `x = a * b`.
    fn is_value(&self, word: usize) -> bool {
        let mut first = word;
        while first > 0 && self.is_name(first - 1) {
            first -= 1;
        }
        !matches!(self.before(first, 1), b"" | b";" | b"{" | b"}" | b"(" | b"," | b":" | b">")
            || self.is(first, b"return")
    }

    /// Returns whether a type that ends at a token is a `std::vector`, or a reference to one.
    fn is_vector(&self, end: usize) -> bool {
        let Some(close) = (0..=end).rev().find(|at| !self.is(*at, b"&")) else { return false };
        let open = self.is(close, b">").then(|| self.opening_angle(close)).flatten();
        open.is_some_and(|open| self.before(open, 1) == b"vector")
    }
}

/// How a variable that is declared without a value is set.
enum Set {
    Assigned,
    /// Its address is passed to a call, which may set it.
    Passed,
}

impl Source<'_> {
    /// Returns the `__shared__` declarations of that name, in order.
    pub fn shared_arrays(&self, name: &str) -> Vec<DeclaredArray<'_>> {
        self.arrays(b"__shared__", name)
    }

    /// Returns the `__device__` and `__constant__` declarations of that name.
    pub fn module_arrays(&self, name: &str) -> Vec<DeclaredArray<'_>> {
        [self.arrays(b"__device__", name), self.arrays(b"__constant__", name)].concat()
    }

    /// Returns the declarations of that name after a word such as `__shared__`.
    fn arrays(&self, qualifier: &[u8], name: &str) -> Vec<DeclaredArray<'_>> {
        let tokens = self.tokens();
        let mut behind = 0;
        let array = |mark: usize| {
            if mark < behind {
                return None;
            }
            let end = tokens.semicolon(mark + 1);
            behind = end;
            let its_name = (mark + 1..end).find(|at| tokens.is(*at, name.as_bytes()))?;
            // The body of a function is not part of its declaration.
            if (mark + 1..its_name).any(|at| tokens.is(at, b"{")) {
                return None;
            }
            let mut words = mark.saturating_sub(1)..its_name;
            let is_extern = words.any(|at| tokens.is(at, b"extern"));
            let ends = |at: &usize| [&b"["[..], b",", b";", b"="].iter().any(|end| tokens.is(at + 1, end));
            let first = (mark + 1..its_name).find(ends).unwrap_or(its_name);
            let ty = if first > mark + 1 { from_utf8(tokens.text(mark + 1..first)).ok()? } else { "" };
            let mut extents = Vec::new();
            let mut at = its_name + 1;
            while tokens.is(at, b"[") {
                let close = tokens.partner(at)?;
                extents.push(from_utf8(tokens.text(at + 1..close)).ok()?);
                at = close + 1;
            }
            Some(DeclaredArray { is_extern, ty, extents })
        };
        tokens.all(qualifier).filter_map(array).take(MAX_ARRAYS).collect()
    }

    /// Returns the type of what each pointer of that name points to (its last name, if it consists of
    /// several), in the order of the declarations. The result may also contain words before `* name` that are
    /// not types, as in a product or after `return`.
    pub fn pointees(&self, name: &str) -> Vec<&str> {
        let tokens = self.tokens();
        let pointee = |at: usize| {
            let mut is_pointer = false;
            let mut before = at.checked_sub(1)?;
            loop {
                match tokens.word(before) {
                    b"*" => is_pointer = true,
                    b"const" | b"__restrict__" | b"__restrict" => {}
                    // One of several, as in `int *a, *name`: the type precedes the first.
                    b"," if is_pointer => return self.first_name(before),
                    word if is_pointer && tokens.is_name(before) => return from_utf8(word).ok(),
                    _ => return None,
                }
                before = before.checked_sub(1)?;
            }
        };
        tokens.all(name.as_bytes()).filter_map(pointee).take(MAX_ARRAYS).collect()
    }

    /// Returns the first name of the statement, or of the contents of brackets, that contains a token,
    /// skipping words such as `const` that are not the type.
    fn first_name(&self, at: usize) -> Option<&str> {
        const ASIDE: [&[u8]; 5] = [b"const", b"volatile", b"static", b"extern", b"struct"];
        let tokens = self.tokens();
        let mut first = at;
        while let Some(before) = first.checked_sub(1) {
            first = match tokens.word(before) {
                b")" | b"]" => tokens.partner(before)?,
                // Braces before a comma enclose a value; a block ends the preceding statement.
                b"}" if tokens.is(first, b",") => tokens.partner(before)?,
                b";" | b"{" | b"}" | b"(" | b"[" => break,
                _ => before,
            };
        }
        let name = (first..at).find(|at| !ASIDE.contains(&tokens.word(*at)))?;
        from_utf8(tokens.word(name)).ok()
    }

    /// Returns the only variable used on a line that was declared above it without a value and not
    /// unconditionally assigned since, with the line of its declaration. `None` if an array used on the line
    /// may be meant as well, or, where the line takes only the variable's address, another variable that a call
    /// was to give its value.
    pub fn unassigned_variable(&self, line: u32) -> Option<(&str, u32)> {
        let tokens = self.tokens();
        let first = self.function_lines(line)?.start;
        let mut found: Option<(&str, u32)> = None;
        let (mut reads_found, mut reads_filled) = (false, false);
        for at in tokens.of_lines(first..line) {
            let array = tokens.is(at + 1, b"[");
            let ends = matches!(tokens.word(at + 1), b"[" | b";" | b",");
            if !(tokens.is_name(at) && ends && self.is_declarator(at)) {
                continue;
            }
            let name = tokens.word(at);
            let mut uses = tokens.of_lines(line..line + 1).filter(|here| tokens.is(*here, name)).peekable();
            let used = uses.peek().is_some();
            let read = uses.any(|here| !self.is_address_passed(here));
            let shared =
                (0..at).rev().take_while(|n| !tokens.is(*n, b";")).any(|n| tokens.is(n, b"__shared__"));
            if !used || shared {
                continue;
            }
            match self.set_between(at, line) {
                _ if array => return None,
                Some(Set::Assigned) => {}
                Some(Set::Passed) => reads_filled |= read,
                None if found.is_some() => return None,
                None => {
                    found = Some((from_utf8(name).ok()?, tokens.line(at)));
                    reads_found = read;
                }
            }
        }
        found.filter(|_| reads_found || !reads_filled)
    }

    /// Returns whether a call is passed the address of the variable of this name.
    fn is_address_passed(&self, name: usize) -> bool {
        let tokens = self.tokens();
        tokens.is(name - 1, b"&") && matches!(tokens.before(name, 2), b"(" | b",")
    }

    /// Returns whether a name is one that its statement declares: it follows a type, or other declarators.
    fn is_declarator(&self, at: usize) -> bool {
        let tokens = self.tokens();
        let Some(before) = at.checked_sub(1) else { return false };
        let first = self.declaration_start(at);
        let is_another = tokens.is(before, b",") && tokens.may_be_type(first) && tokens.is_name(first + 1);
        // Not among the arguments of a call.
        if !is_another && !tokens.may_be_type(before)
            || (first..at).any(|n| tokens.is(n, b"(") && tokens.partner(n).is_none_or(|close| close > at))
        {
            return false;
        }
        if !is_another {
            return true;
        }
        let is_plain = |n: usize| {
            let word = tokens.word(n);
            matches!(word, b"," | b"=" | b"*" | b".") || word.iter().all(u8::is_ascii_alphanumeric)
        };
        (first..at).all(|n| tokens.is_name(n) || is_plain(n))
    }

    /// Returns how a statement between a variable's declaration, given by its name there, and a line sets it
    /// unconditionally, that is, within the same braces.
    fn set_between(&self, declared: usize, line: u32) -> Option<Set> {
        let tokens = self.tokens();
        let mut depth = 0;
        tokens.of_lines(tokens.line(declared)..line).filter(|at| *at > declared).find_map(|at| {
            match tokens.word(at) {
                b"{" => depth += 1,
                b"}" => depth -= 1,
                word if depth == 0 && word == tokens.word(declared) => {
                    let is_set = tokens.is_set(at + 1);
                    if self.is_address_passed(at) {
                        return Some(Set::Passed);
                    }
                    return (is_set && matches!(tokens.word(at - 1), b";" | b"{" | b"}"))
                        .then_some(Set::Assigned);
                }
                _ => {}
            }
            None
        })
    }

    /// Returns the lines of the declaration and of the end of scope of a variable of that name, which was
    /// declared in braces, or as the only statement of an `if` or a loop, that end before a line of the same
    /// function.
    pub fn scope_ended_before(&self, name: &str, line: u32) -> Option<(u32, u32)> {
        let tokens = self.tokens();
        let first = self.function_lines(line)?.start;
        let mut found = tokens.of_lines(first..line).filter(|&at| {
            let before = at.wrapping_sub(1);
            let typed = tokens.may_be_type(before);
            let pointer = tokens.is(before, b"*") && tokens.is_name(before.wrapping_sub(1));
            let ends = matches!(tokens.word(at + 1), b"=" | b";" | b"," | b"[");
            tokens.is(at, name.as_bytes()) && (typed || pointer) && ends
        });
        let at = found.next_back()?;
        if let Some(end) = self.alone_under_a_head(at) {
            return (end < line).then_some((tokens.line(at), end));
        }
        // The surrounding brace, or the parenthesis of a loop's head.
        let mut depth = 0usize;
        let open = (0..at).rev().find(|&n| match tokens.word(n) {
            b"}" | b")" => {
                depth += 1;
                false
            }
            b"{" | b"(" if depth > 0 => {
                depth -= 1;
                false
            }
            b"{" | b"(" => true,
            _ => false,
        })?;
        let end = match tokens.word(open) {
            b"{" => tokens.line(tokens.partner(open)?),
            _ => tokens.line(tokens.statement_end(open.checked_sub(1)?).checked_sub(1)?),
        };
        (end < line || end == line && tokens.is(open, b"{")).then_some((tokens.line(at), end))
    }

    /// Finds an `int` variable or array that is assigned an element of an array of floats without a cast or a
    /// comparison: returns its name, the line of the assignment, and the array.
    pub fn int_of_floats(&self) -> Option<(&str, u32, &str)> {
        const CHANGED: [&[u8]; 7] = [b"<", b">", b"!", b"?", b"&", b"|", b"int"];
        let tokens = self.tokens();
        let of_type = |at: usize, ty: &[u8]| {
            let before = at.wrapping_sub(1);
            let pointer = tokens.is(before, b"*") || tokens.is(before, b"__restrict__");
            let ty_at = if pointer { before.wrapping_sub(1) } else { before };
            tokens.is(ty_at, ty) || tokens.is(ty_at.wrapping_sub(1), ty) && tokens.is(ty_at, b"*")
        };
        let is_declared =
            |name: &[u8], ty: &[u8]| tokens.all(name).any(|at| of_type(at, ty) && !tokens.is(at + 1, b"("));
        let assignment = |at: usize| {
            let name = tokens.word(at);
            let target = if tokens.is(at + 1, b"[") { tokens.partner(at + 1)? + 1 } else { at + 1 };
            let adds = matches!(tokens.word(target), b"+" | b"-") && tokens.is(target + 1, b"=");
            let sets = tokens.is_set(target);
            if !(adds || sets) || !is_declared(name, b"int") || is_declared(name, b"float") {
                return None;
            }
            let end = tokens.semicolon(target);
            // For a conditional expression, the value after the condition.
            let chosen = (target + 1..end).find(|at| tokens.is(*at, b"?"));
            let value = chosen.unwrap_or(target) + 1..end;
            let changed =
                |at: usize| CHANGED.contains(&tokens.word(at)) || tokens.word(at).starts_with(b"floor");
            let float = |at: &usize| {
                tokens.is_name(*at) && tokens.is(at + 1, b"[") && is_declared(tokens.word(*at), b"float")
            };
            let from = value.clone().find(float)?;
            // An element used as an index is not the value.
            let inside = tokens.word(from.wrapping_sub(1)) == b"[";
            (!inside && !value.clone().any(changed)).then_some((name, tokens.line(at), tokens.word(from)))
        };
        let (name, line, of) = (0..tokens.count()).filter(|&at| tokens.is_name(at)).find_map(assignment)?;
        Some((from_utf8(name).ok()?, line, from_utf8(of).ok()?))
    }

    /// Returns the last line of the declaration whose name is at a token, if it is the only statement of an
    /// `if`, an `else` or a loop.
    fn alone_under_a_head(&self, name: usize) -> Option<u32> {
        const STOPS: [&[u8]; 6] = [b";", b"{", b"}", b"(", b")", b"else"];
        let tokens = self.tokens();
        let before = (0..name).rev().find(|&at| STOPS.contains(&tokens.word(at)))?;
        let under = match tokens.word(before) {
            b"else" => true,
            b")" => {
                let head = tokens.partner(before)?.checked_sub(1)?;
                matches!(tokens.word(head), b"if" | b"for" | b"while")
            }
            _ => false,
        };
        under.then(|| tokens.line(tokens.statement_end(before + 1).saturating_sub(1)))
    }

    /// Returns the value in `#define name …`, `constexpr int name = …` or `const int name = …`.
    pub fn constant(&self, name: &str) -> Option<&str> {
        if let Some(text) = self.macros().texts(name.as_bytes()).first() {
            return Some(from_utf8(text).ok()?.trim());
        }
        let tokens = self.tokens();
        let is_constant = |at: usize| {
            let before = (0..at).rev().take(LONGEST_TYPE).map(|n| tokens.word(n));
            let mut its = before.take_while(|word| !matches!(*word, b";" | b"{" | b"}" | b"("));
            let is_initialised = tokens.is_set(at + 1);
            is_initialised && its.any(|word| matches!(word, b"const" | b"constexpr"))
        };
        let at = tokens.all(name.as_bytes()).find(|at| is_constant(*at))?;
        let end = (at + 2..tokens.count()).find(|n| matches!(tokens.word(*n), b";" | b","))?;
        Some(from_utf8(tokens.text(at + 2..end)).ok()?.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_makes_a_name_a_pointer_or_a_vector() {
        use Declared::{Other, Pointer, Vector};
        for (code, declared) in [
            ("float *x", Some(Pointer)),
            ("unsigned long const *x", Some(Pointer)),
            ("; std::size_t *x", Some(Pointer)),
            ("template <class T> T *x", Some(Pointer)),
            ("void f(int n, float *x", Some(Pointer)),
            ("f(); float a, *x", Some(Pointer)),
            ("float *__restrict__ x", Some(Pointer)),
            ("const float *const *x", Some(Pointer)),
            ("int const x", Some(Other)),
            ("float *a, x", Some(Other)),
            ("int x", Some(Other)),
            ("int a; std::vector<int> x", Some(Vector)),
            ("f(const std::vector<std::array<int, 3>> &x", Some(Vector)),
            ("std::array<int, 3> x", None),
            ("y > x", None),
            ("> x", None),
            ("y = a * x", None),
            ("return a * x", None),
            ("y = 3 * x", None),
            ("return x", None),
            ("f(a, x", None),
            ("x", None),
        ] {
            let tokens = Tokens::of(code.into());
            assert_eq!(tokens.declared(tokens.count() - 1), declared, "{code}");
        }
    }

    #[test]
    fn an_int_that_takes_floats_is_found() {
        let found = |body: &str| {
            let text =
                format!("__global__ void f(const float *a, const int *k, float *out) {{\n{body}\n}}\n");
            let source = Source::new(&text);
            source.int_of_floats().map(|(name, line, of)| format!("{name} {line} {of}"))
        };
        assert_eq!(found("int sum = 0;\nsum += a[i] * 2;"), Some("sum 3 a".into()));
        assert_eq!(
            found("__shared__ float s[8];\nint add = t >= 1 ? 0 : 0; int x = s[t];"),
            Some("x 3 s".into())
        );
        assert_eq!(found("__shared__ int s[8];\ns[t] = a[i];"), Some("s 3 a".into()));
        for fine in [
            "float sum = 0; sum += a[i];",
            "int n = k[i];",
            "int n = a[i] > 0;",
            "int n = (int)a[i];",
            "int n = floorf(a[i]);",
            "int i = 0; out[i] = a[i];",
        ] {
            assert_eq!(found(fine), None, "{fine}");
        }
    }

    #[test]
    fn the_variable_that_was_given_no_value_is_the_only_one() {
        let found = |body: &str| {
            let text = format!("void f(int n) {{\n{body}\nuse(x, y);\n}}\n");
            let last = text.lines().count() as u32 - 1;
            Source::new(&text).unassigned_variable(last).map(|(name, line)| format!("{name} {line}"))
        };
        assert_eq!(found("int x;"), Some("x 2".into()));
        assert_eq!(found("int x;\nint y;\ny = 2;"), Some("x 2".into()));
        assert_eq!(found("unsigned int i = 3, x, z;"), Some("x 2".into()));
        assert_eq!(found("g(int(1), x);"), None);
        assert_eq!(found("float *d, y[3];\ncopy(y, d, sizeof y, 1);"), None);
        assert_eq!(found("int x;\nif (n) x = 1;\nfor (;;) { x += 1; x = 2; }"), Some("x 2".into()));
        for unclear in
            ["int x;\nint y;", "int x = 1;", "int x;\nfloat y[2];", "int x; x = 3;", "__shared__ int x;"]
        {
            assert_eq!(found(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn a_variable_that_a_call_was_to_fill_may_have_no_value() {
        let found = |call: &str| {
            let text = format!("void f() {{\nint y;\nfill(&y);\nint x;\n{call}\n}}\n");
            Source::new(&text).unassigned_variable(5).map(|(name, line)| format!("{name} {line}"))
        };
        assert_eq!(found("take(y, &x);"), None);
        assert_eq!(found("take(&y, &x);"), Some("x 4".into()));
        assert_eq!(found("take(y, x);"), Some("x 4".into()));
    }

    #[test]
    fn a_name_ends_with_the_statement_of_an_if() {
        let source = Source::new("void f(int n) {\n    if (n)\n        float v = 1;\n    a = v;\n}\n");
        assert_eq!(source.scope_ended_before("v", 4), Some((3, 3)));
    }

    #[test]
    fn a_variable_ends_with_its_braces() {
        let source = "void f(int n) {
    for (int k = 0; k < n; k++) {
        float sum = 0;
        sum += k;
    }
    a = sum + k;
    float other = 1;
    a = other;
    for (int i = 0; i < n; i++)
        a += i;
    a += i + n;
}
";
        let source = Source::new(source);
        let ended = |name| [6, 8, 11].map(|line| source.scope_ended_before(name, line).map(|(at, _)| at));
        assert_eq!(ended("sum"), [Some(3); 3]);
        assert_eq!(source.scope_ended_before("sum", 6), Some((3, 5)));
        assert_eq!(ended("k"), [Some(2); 3]);
        assert_eq!(source.scope_ended_before("i", 11), Some((9, 10)));
        assert_eq!((ended("other"), ended("n")), ([None; 3], [None; 3]));
    }

    #[test]
    fn shared_arrays_are_found_with_their_extents() {
        let source = "__global__ void f() {
    __shared__ float a[TILE][TILE + PAD], flat[2 * TILE], one;
    extern __shared__ int s[];
}
static __shared__ int a[2];
";
        let cpp = Source::new(source);
        let array = |is_extern, ty, extents: &[&'static str]| DeclaredArray {
            is_extern,
            ty,
            extents: extents.into(),
        };
        assert_eq!(
            cpp.shared_arrays("a"),
            [array(false, "float", &["TILE", "TILE + PAD"]), array(false, "int", &["2"])]
        );
        assert_eq!(cpp.shared_arrays("flat"), [array(false, "float", &["2 * TILE"])]);
        assert_eq!(
            (cpp.shared_arrays("s"), cpp.shared_arrays("one")),
            (vec![array(true, "int", &[""])], vec![array(false, "float", &[])])
        );
        assert_eq!(
            (cpp.shared_arrays("b"), cpp.shared_arrays("float")),
            (vec![], vec![array(false, "", &[])])
        );
    }

    #[test]
    fn arrays_of_a_module_are_no_uses_of_them() {
        let source = "__constant__ float w[3];
__device__ __constant__ int table[N];
__device__ float at(int i) { return w[5]; }
";
        let cpp = Source::new(source);
        let of =
            |name| cpp.module_arrays(name).into_iter().map(|its| (its.ty, its.extents)).collect::<Vec<_>>();
        assert_eq!(of("w"), [("float", vec!["3"])]);
        assert_eq!(of("table")[0], ("__constant__ int", vec!["N"]));
        assert_eq!(of("at").iter().filter(|(_, extents)| !extents.is_empty()).count(), 0);
    }

    #[test]
    fn a_declaration_that_is_not_closed_is_none() {
        assert_eq!(Source::new("__shared__ int open[;").shared_arrays("open"), []);
    }

    #[test]
    fn constants_are_found() {
        let source = "#define TILE 16 // for both\n#define MAX(a) (a)
constexpr int PAD = 1, ROWS = TILE / 4;
const unsigned int WIDE = 8; int plain = 3;\n";
        let cpp = Source::new(source);
        assert_eq!(
            ["TILE", "PAD", "ROWS", "WIDE"].map(|name| cpp.constant(name)),
            [Some("16"), Some("1"), Some("TILE / 4"), Some("8")]
        );
        assert_eq!(["MAX", "none"].map(|name| cpp.constant(name)), [None; 2]);
    }
}
