//! Texts of the corpus, damaged at random from a fixed seed: whatever comes of it, the parser must
//! return, and what it reads must survive printing.

use gpulearn::ptx;

const MUTANTS: usize = 4000;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Pieces that open, close or bend the grammar.
const SPLINTERS: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "%",
    "<",
    "\"",
    "/*",
    "//",
    ".reg .b32 ",
    ".5",
    "0x",
    "-9223372036854775808",
    "WARP_SZ",
    "é",
    ".callprototype",
];

/// xorshift64*
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}

/// Splits at the borders of words, numbers, blanks and marks.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let wordy = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end =
            if wordy(first) { rest.find(|c| !wordy(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// `corpus`: one list of tokens a text.
pub fn mutant(corpus: &[Vec<&str>], random: &mut Random) -> String {
    let mut tokens = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(tokens.len());
        let other = &corpus[random.below(corpus.len())];
        let donor = random.below(other.len());
        match random.below(6) {
            0 if tokens.len() > 1 => drop(tokens.remove(at)),
            0 | 1 => tokens.insert(at, tokens[at]),
            2 => tokens[at] = other[donor],
            3 => tokens.insert(at, SPLINTERS[random.below(SPLINTERS.len())]),
            4 => {
                let end = (donor + random.below(30)).min(other.len());
                tokens.splice(at..at, other[donor..end].iter().copied());
            }
            _ => tokens.truncate(at.max(1)),
        }
    }
    let mut bytes = tokens.concat().into_bytes();
    if random.below(3) == 0 {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let texts = super::files("pass");
    let corpus: Vec<Vec<&str>> = texts.iter().map(|(_, text)| tokens(text)).collect();
    let mut random = Random(SEED);
    let mut read = 0;
    for _ in 0..MUTANTS {
        let text = mutant(&corpus, &mut random);
        let Ok(module) = ptx::parse(&text) else { continue };
        read += 1;
        let printed = module.to_string();
        let again = ptx::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}\nfrom\n{text}"));
        assert_eq!(again.to_string(), printed, "from\n{text}");
    }
    // The printer is tried on mutants too, so some must get through.
    assert!(read > MUTANTS / 50, "only {read} of {MUTANTS} mutants were read");
}

/// Twice the text takes about twice the time: no construct makes the parser start over.
#[test]
fn time_grows_with_the_text() {
    for piece in ["/*", "{", "(", "[", "a:", "a|", "-", "0x", ".5", "%1", "\"", "mov a, -1%3;", "a b"] {
        let text = format!(".version 8.0\n.target sm_80\n.func f() {{ {}", piece.repeat(400_000));
        let start = std::time::Instant::now();
        let _ = ptx::parse(&text);
        assert!(start.elapsed().as_secs() < 5, "{piece} repeated takes {:?}", start.elapsed());
    }
}
