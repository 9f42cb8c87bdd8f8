//! Local arrays of host functions, and numbers whose address is taken, with the sizes that their declarations tell: the
//! compiler's output has only the variables of a function all together.

use super::tokens::Tokens;
use super::types::{NumberType, vector_bytes};
use super::words::is_no_type;
use super::{Scope, Source, Space};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::str::from_utf8;

/// Maximum number of names that are looked up, and of brackets that are opened, for one size: text nests without limit.
const LOOK_UPS: usize = 16;
const POINTER_BYTES: u64 = 8;

/// An array in a host function, or a single number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalArray {
    pub name: String,
    pub is_array: bool,
    /// Size of the whole array, in bytes; `None` if its declaration alone does not tell.
    pub bytes: Option<u64>,
    /// The bytes of the text in which the name means this array.
    pub visible: Range<usize>,
}

/// The names of a text.
struct Names<'t> {
    /// For each name, the tokens that are it, in order.
    places: HashMap<&'t [u8], Vec<usize>>,
    /// Those whose address is taken.
    addressed: HashSet<&'t [u8]>,
}

impl Source<'_> {
    /// Returns the local arrays of host functions, and the numbers that have their address taken, in order.
    pub fn local_arrays(&self) -> Vec<LocalArray> {
        let tokens = self.tokens();
        let addressed = tokens.all(b"&").map(|at| tokens.word(at + 1)).collect();
        let mut names = Names { addressed, places: HashMap::new() };
        for at in (0..tokens.count()).filter(|at| tokens.is_name(*at)) {
            names.places.entry(tokens.word(at)).or_default().push(at);
        }
        let begins = |at: &usize| *at > 0 && matches!(tokens.word(at - 1), b";" | b"{" | b"}");
        let is_of_host = |at: &usize| self.scope(*at) == Scope::Function(Space::Host);
        let starts = (0..tokens.count()).filter(begins).filter(is_of_host);
        starts.flat_map(|start| self.declared_arrays(start, &names)).collect()
    }

    /// Returns the arrays that the statement at a token declares, and those of the numbers whose address is taken.
    fn declared_arrays(&self, start: usize, names: &Names) -> Vec<LocalArray> {
        let tokens = self.tokens();
        let mut words = Vec::new();
        let mut at = start;
        while tokens.is_name(at) {
            if tokens.is(at + 1, b":") && tokens.is(at + 2, b":") {
                at += 3;
                continue;
            }
            if !tokens.is_name(at + 1) && !tokens.is(at + 1, b"*") {
                break;
            }
            words.extend(from_utf8(tokens.word(at)));
            at += 1;
        }
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "const").collect();
        if words.is_empty() || words.iter().any(|word| is_no_type(word.as_bytes())) {
            return Vec::new();
        }
        let each =
            NumberType::of(&words).map(|its| its.bytes).or_else(|| vector_bytes(&words)).map(u64::from);
        let mut found = Vec::new();
        loop {
            let is_pointer = tokens.is(at, b"*");
            while tokens.is(at, b"*") {
                at += 1;
            }
            let name = at;
            at += 1;
            let mut bytes = if is_pointer { Some(POINTER_BYTES) } else { each };
            while tokens.is(at, b"[") {
                let Some(close) = tokens.partner(at) else { return found };
                let extent = || self.constant_value(tokens.text(at + 1..close), &mut LOOK_UPS.clone());
                bytes = bytes.and_then(|bytes| bytes.checked_mul(extent()?));
                at = close + 1;
            }
            let is_array = at > name + 1;
            let is_number = || {
                let ends = matches!(tokens.word(at), b"=" | b";" | b"," | b"{");
                each.is_some() && !is_pointer && ends && names.addressed.contains(tokens.word(name))
            };
            if (is_array || is_number())
                && let Ok(its) = from_utf8(tokens.word(name))
            {
                let bytes = bytes.filter(|bytes| *bytes > 0);
                let visible = self.visible(name, names);
                found.push(LocalArray { name: its.into(), is_array, bytes, visible });
            }
            while !matches!(tokens.word(at), b"" | b";" | b"," | b"}") {
                at = match tokens.word(at) {
                    b"(" | b"[" | b"{" => tokens.partner(at).unwrap_or(at) + 1,
                    _ => at + 1,
                };
            }
            if !tokens.is(at, b",") || !(tokens.is_name(at + 1) || tokens.is(at + 1, b"*")) {
                return found;
            }
            at += 1;
        }
    }

    /// Returns where a declared name means what is declared there: to the end of its block, or to where something else
    /// seems to be given that name.
    fn visible(&self, name: usize, names: &Names) -> Range<usize> {
        let tokens = self.tokens();
        let end = self.block_end(name);
        let places = names.places.get(tokens.word(name)).map_or(&[][..], Vec::as_slice);
        let later = places[places.partition_point(|at| *at <= name)..].iter().copied();
        let other = later.take_while(|at| *at < end).find(|&at| names_anew(tokens, at));
        tokens.start(name)..tokens.start(other.unwrap_or(end))
    }

    /// Returns the value of an expression of whole numbers and of constants that are defined once; `None` where it is
    /// not certain.
    fn constant_value(&self, text: &[u8], look_ups: &mut usize) -> Option<u64> {
        let tokens = Tokens::of(text.to_vec());
        let mut at = 0;
        let value = self.sum(&tokens, &mut at, look_ups)?;
        (at == tokens.count()).then_some(value)
    }

    fn sum(&self, tokens: &Tokens, at: &mut usize, look_ups: &mut usize) -> Option<u64> {
        let mut value = self.product(tokens, at, look_ups)?;
        loop {
            let is_added = tokens.is(*at, b"+");
            if !is_added && !tokens.is(*at, b"-") {
                return Some(value);
            }
            *at += 1;
            let other = self.product(tokens, at, look_ups)?;
            value = if is_added { value.checked_add(other)? } else { value.checked_sub(other)? };
        }
    }

    fn product(&self, tokens: &Tokens, at: &mut usize, look_ups: &mut usize) -> Option<u64> {
        let mut value = self.factor(tokens, at, look_ups)?;
        loop {
            let multiplied = tokens.is(*at, b"*");
            if !multiplied && !tokens.is(*at, b"/") {
                return Some(value);
            }
            *at += 1;
            let other = self.factor(tokens, at, look_ups)?;
            value = if multiplied { value.checked_mul(other)? } else { value.checked_div(other)? };
        }
    }

    fn factor(&self, tokens: &Tokens, at: &mut usize, look_ups: &mut usize) -> Option<u64> {
        let here = *at;
        *at += 1;
        if tokens.is(here, b"(") {
            *look_ups = look_ups.checked_sub(1)?;
            let value = self.sum(tokens, at, look_ups)?;
            *at += 1;
            return tokens.is(*at - 1, b")").then_some(value);
        }
        if tokens.is_name(here) {
            *look_ups = look_ups.checked_sub(1)?;
            let text = self.only_constant(from_utf8(tokens.word(here)).ok()?)?;
            return self.constant_value(text.as_bytes(), look_ups);
        }
        let digits = from_utf8(tokens.word(here)).ok()?.trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            // An octal number has a zero in front.
            None if digits.len() > 1 && digits.starts_with('0') => None,
            None => digits.parse().ok(),
        }
    }

    /// Returns the text of a constant of that name if nothing else seems to have the name, here or on the command line.
    fn only_constant(&self, name: &str) -> Option<&str> {
        let tokens = self.tokens();
        let of_macros = self.macros().texts(name.as_bytes()).len();
        let of_others = tokens.all(name.as_bytes()).filter(|&at| names_anew(tokens, at)).count();
        let may_be_given = |line: &str| {
            let mut words = super::names(line.trim_start().strip_prefix('#').unwrap_or_default());
            words.next().is_some_and(|word| word.starts_with("if") || word == "elif")
                && words.any(|word| word == name)
        };
        let is_only = of_macros + of_others == 1 && !self.text().lines().any(may_be_given);
        self.constant(name).filter(|_| is_only)
    }
}

/// Returns whether a name at a token seems to be declared there: it follows a type.
fn names_anew(tokens: &Tokens, at: usize) -> bool {
    let Some(mut before) = at.checked_sub(1) else { return false };
    if tokens.may_be_type(before) || tokens.is(before, b">") {
        return true;
    }
    if !matches!(tokens.word(before), b"*" | b"&") {
        return false;
    }
    while before > 0 && matches!(tokens.word(before), b"*" | b"&") {
        before -= 1;
    }
    tokens.may_be_type(before)
        && matches!(tokens.before(before, 1), b"" | b"(" | b"," | b";" | b"{" | b"}" | b"const")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<(String, u64)> {
        let arrays = Source::new(text).local_arrays().into_iter();
        arrays.filter_map(|array| Some((array.name, array.bytes?))).collect()
    }

    #[test]
    fn a_size_comes_from_type_and_extents() {
        for (text, want) in [
            ("int main() { int h[16], *d; }", "h 64"),
            ("int main() { int *d, h[2 * 4], g[1]; float4 v[2][3]; }", "h 32, g 4, v 96"),
            ("int main() { char *names[4]; const unsigned long long n[2] = {1, 2}; }", "names 32, n 16"),
            ("#define N 8\nconst int M = N / 2;\nint main() { double a[M][N - 1]; }", "a 224"),
            ("void f() { if (1) { std::uint8_t b[(3)]; } static char s[0x10]; }", "b 3"),
            ("int main() { auto f = [&] { int a[2] = {1, 2}, b[] = {1}; }; }", "a 8"),
        ] {
            let found = sizes(text).into_iter().map(|(name, bytes)| format!("{name} {bytes}"));
            assert_eq!(found.collect::<Vec<_>>().join(", "), want, "{text}");
        }
    }

    #[test]
    fn a_size_that_is_not_certain_is_not_told() {
        for text in [
            "int h[16];",
            "__global__ void k() { int h[16]; }",
            "struct S { int h[16]; };",
            "int main() { S h[16]; }",
            "int main() { long h[16]; }",
            "int main() { int h[n]; }",
            "int main() { int h[] = {1, 2}; int g[010]; }",
            "#ifndef N\n#define N 4\n#endif\nint main() { int h[N]; }",
            "#define N 4\ntemplate <int N> int f() { int h[N]; }",
            "const int N = 4; void f() { const int N = 8; int h[N]; }",
            "#define N M\n#define M N\nint main() { int h[N]; }",
            "int main() { return h[16]; }",
            "int main() { int (*h)[16]; }",
            &format!("int main() {{ int h[{}2{}]; }}", "(".repeat(100_000), ")".repeat(100_000)),
        ] {
            assert_eq!(sizes(text), [], "{text}");
        }
    }

    #[test]
    fn arrays_of_any_type_are_found() {
        for (text, want) in [
            ("int main() { S h[16]; std::string s[2], t; static long n[N] = {}; v[1] = 2; }", "h s n"),
            ("int main() { struct P p[] = {{1}}; for (;;) { int *q[4]; return q[3]; } }", "p q"),
            ("int main() { std::vector<int> v[2]; auto *p = &v[1]; delete h[1]; f(a[1]); }", ""),
        ] {
            let found = Source::new(text).local_arrays().into_iter().map(|array| array.name);
            assert_eq!(found.collect::<Vec<_>>().join(" "), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_found_where_their_address_is_taken() {
        for (text, want) in [
            ("int main() { short v = 1, w; char c{2}; f(&v, w, &c); }", "v 2, c 1"),
            ("int main() { int *p, n(3); float f(int); auto x = 1; f(&p, &n, &f, &x); }", ""),
            ("void f(int n) { g(&n); } int k; int main() { g(&k); }", ""),
        ] {
            let found = sizes(text).into_iter().map(|(name, bytes)| format!("{name} {bytes}"));
            assert_eq!(found.collect::<Vec<_>>().join(", "), want, "{text}");
        }
    }

    #[test]
    fn a_name_means_the_array_in_its_block_until_it_is_given_away() {
        let visible = |text: &str| {
            let array = Source::new(text).local_arrays().remove(0);
            text[array.visible].to_owned()
        };
        assert_eq!(visible("int main() { { int h[2]; f(h); } g(h); }"), "h[2]; f(h); ");
        assert_eq!(visible("int main() { int h[2]; y = x * h; { int *h; } }"), "h[2]; y = x * h; { int *");
        assert_eq!(visible("int main() { int h[2]; g([](S &h) {}); }"), "h[2]; g([](S &");
    }
}
