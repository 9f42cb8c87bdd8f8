//! Finds similar texts by winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document
//! Fingerprinting", SIGMOD 2003) over tokens, in which all names are the same token. Similarity is a reason for a
//! person to look; no mark depends on it.

use cpp::Source;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Tokens per hashed piece, and hashes per window: a passage that two texts share is always found from 19 tokens
/// on, and never if it is shorter than 12.
const TOKENS: usize = 12;
const WINDOW: usize = 8;

/// Words that are not treated as names: changing one changes the program.
const KEPT: &[&str] = &[
    "__constant__",
    "__device__",
    "__global__",
    "__shared__",
    "__syncthreads",
    "blockDim",
    "blockIdx",
    "break",
    "char",
    "const",
    "continue",
    "do",
    "double",
    "else",
    "float",
    "for",
    "gridDim",
    "if",
    "int",
    "long",
    "return",
    "short",
    "sizeof",
    "struct",
    "switch",
    "template",
    "threadIdx",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// The fingerprint of a text: hashes of pieces, with the lines (first, last) where each occurs first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(BTreeMap<u64, (u32, u32)>);

impl Fingerprint {
    /// Removes the pieces of another fingerprint.
    pub fn without(mut self, other: &Fingerprint) -> Fingerprint {
        self.0.retain(|hash, _| !other.0.contains_key(hash));
        self
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Computes the fingerprint of a source.
pub fn fingerprint(source: &str) -> Fingerprint {
    let source = Source::new(source);
    let tokens = source.tokens();
    let words: Vec<(u64, u32)> = (0..tokens.count())
        .map(|at| {
            let word = tokens.word(at);
            let name = tokens.is_name(at) && !KEPT.iter().any(|kept| kept.as_bytes() == word);
            let mut hash = DefaultHasher::new();
            if name { b"\0".as_slice() } else { word }.hash(&mut hash);
            (hash.finish(), tokens.line(at))
        })
        .collect();
    let pieces: Vec<(u64, (u32, u32))> = words
        .windows(TOKENS)
        .map(|piece| {
            let mut hash = DefaultHasher::new();
            piece.iter().for_each(|(word, _)| word.hash(&mut hash));
            (hash.finish(), (piece[0].1, piece[TOKENS - 1].1))
        })
        .collect();
    let mut chosen = BTreeMap::new();
    // The smallest hash of each window; of equal ones, the rightmost.
    for window in pieces.windows(WINDOW.min(pieces.len()).max(1)) {
        if let Some((hash, lines)) = window.iter().rev().min_by_key(|(hash, _)| *hash) {
            chosen.entry(*hash).or_insert(*lines);
        }
    }
    Fingerprint(chosen)
}

/// One text of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Index of the text.
    pub text: usize,
    /// Ranges of its lines that the other text has, too: first and last, in order.
    pub lines: Vec<(u32, u32)>,
}

/// Two similar texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub sides: [Side; 2],
    pub shared: usize,
    /// Share of the smaller fingerprint that is common to both, in per cent.
    pub percent: u32,
}

/// Returns the pairs that share most, at most `most` of them. Pieces that occur in more than half of the texts, and
/// in at least three, are common style and do not count.
pub fn pairs(texts: &[Fingerprint], most: usize) -> Vec<Pair> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (n, text) in texts.iter().enumerate() {
        for hash in text.0.keys() {
            places.entry(*hash).or_default().push(n);
        }
    }
    let common = (texts.len() / 2).max(2);
    places.retain(|_, texts| (2..=common).contains(&texts.len()));
    let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
    for texts in places.values() {
        for (n, a) in texts.iter().enumerate() {
            for b in &texts[n + 1..] {
                *shared.entry((*a, *b)).or_default() += 1;
            }
        }
    }
    let mut all: Vec<(u32, usize, (usize, usize))> = shared
        .into_iter()
        .map(|((a, b), count)| {
            let smaller = texts[a].len().min(texts[b].len()).max(1);
            ((count * 100 / smaller) as u32, count, (a, b))
        })
        .collect();
    all.sort_by_key(|(percent, count, pair)| (std::cmp::Reverse(*percent), std::cmp::Reverse(*count), *pair));
    all.truncate(most);
    all.into_iter()
        .map(|(percent, shared, (a, b))| {
            let side = |text: usize, other: usize| {
                let both = texts[text]
                    .0
                    .iter()
                    .filter(|(hash, _)| places.contains_key(hash) && texts[other].0.contains_key(hash));
                Side { text, lines: joined(both.map(|(_, lines)| *lines).collect()) }
            };
            Pair { sides: [side(a, b), side(b, a)], shared, percent }
        })
        .collect()
}

/// Merges line ranges that overlap or touch.
fn joined(lines: BTreeSet<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (first, last) in lines {
        match all.last_mut() {
            Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
            _ => all.push((first, last)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTER: &str = "extern \"C\" __global__ void sum(const float *in, float *out, int n) {\n    __shared__ float s[256];\n    // here\n}\n";

    fn text(body: &str) -> Fingerprint {
        let source = STARTER.replace("    // here\n", body);
        fingerprint(&source).without(&fingerprint(STARTER))
    }

    const TREE: &str = "int i = blockIdx.x * blockDim.x + threadIdx.x;
        s[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) out[blockIdx.x] = s[0];\n";
    const SHUFFLES: &str = "float v = 0;
        for (int k = threadIdx.x; k < n; k += blockDim.x * gridDim.x) v += in[k];
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
        if ((threadIdx.x & 31) == 0) atomicAdd(out, v);\n";

    #[test]
    fn other_names_and_comments_hide_nothing() {
        let copied = TREE
            .replace("half", "stride")
            .replace(" i ", " gid ")
            .replace("[i]", "[gid]")
            .replace("__syncthreads();", "/* wait */ __syncthreads ( ) ;");
        let all = [text(TREE), text(SHUFFLES), text(&copied)];
        let pairs = pairs(&all, 10);
        assert_eq!((pairs[0].sides[0].text, pairs[0].sides[1].text, pairs[0].percent), (0, 2, 100));
        assert!(pairs.iter().skip(1).all(|pair| pair.percent < 20), "{pairs:?}");
        assert!(!pairs[0].sides[0].lines.is_empty());
    }

    #[test]
    fn what_everybody_was_given_is_nobody_s() {
        let all = vec![text("    out[0] = 1;\n"), text("    out[0] = 2 + 3;\n")];
        assert!(pairs(&all, 10).iter().all(|pair| pair.shared <= 2), "{:?}", pairs(&all, 10));
        assert!(pairs(&vec![fingerprint(STARTER).without(&fingerprint(STARTER)); 2], 10).is_empty());
    }
}
