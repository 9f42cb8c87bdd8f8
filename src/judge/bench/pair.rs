//! Times a file with two kernels, `slow` and `fast`, whose head states how they are launched:
//!
//! ```text
//! //! floats: 4194304 1 4194304      elements of the buffers a, b and c
//! //! slow: grid 64 256 block 32 8
//! //! fast: grid 64 64 block 32 8
//! //! n: 2048
//! ```
//!
//! Both kernels must take `(const float *a, const float *b, float *c, int n)`. They are timed, but not judged.

use super::measured::{Measured, NotMeasured, sampled};
use super::sampling::Settings;
use crate::backend::Program;
use crate::on_gpu::{Gpu, OnGpu};
use crate::{Caller, Failure, Parameter, Signature, Wanted, fitting};
use gpu::LaunchRequest;
use sim::{Arg, Dim3, LaunchConfig};

/// The launch parameters stated in a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    floats: [u64; 3],
    n: i32,
    /// Grid and block (x, y) of each kernel.
    shapes: [[u32; 4]; 2],
}

pub const KERNELS: [&str; 2] = ["slow", "fast"];
/// The parameters of both kernels, and their declaration for messages.
const TAKES: [Parameter; 4] = {
    let pointer = Parameter { bytes: 8, float: false };
    [pointer, pointer, pointer, Parameter { bytes: 4, float: false }]
};
const DECLARED: &str = "(const float *a, const float *b, float *c, int n)";
/// Largest number of elements of one buffer.
const MAX_FLOATS: u64 = 1 << 30;

impl Pair {
    /// Parses the head of a file; `None` if it has none or it is incomplete.
    pub fn of(source: &str) -> Option<Pair> {
        let value = |key: &str| {
            let head = source.lines().map_while(|line| line.strip_prefix("//!"));
            head.filter_map(|line| line.trim().split_once(": ")).find(|(k, _)| *k == key).map(|(_, v)| v)
        };
        let numbers = |key: &str| {
            let words = value(key)?.split_whitespace();
            Some(words.filter_map(|word| word.parse::<u64>().ok()).collect::<Vec<_>>())
        };
        let floats: [u64; 3] = numbers("floats")?.try_into().ok()?;
        if floats.iter().any(|count| !(1..=MAX_FLOATS).contains(count)) {
            return None;
        }
        let shape = |key: &str| {
            let found = numbers(key)?.into_iter().map(|n| u32::try_from(n).ok());
            found.collect::<Option<Vec<u32>>>()?.try_into().ok()
        };
        let n = i32::try_from(*numbers("n")?.first()?).ok()?;
        Some(Pair { floats, n, shapes: [shape(KERNELS[0])?, shape(KERNELS[1])?] })
    }

    /// Returns the initial bytes of a buffer: numbers from 0 to 1, the same as on the simulator.
    fn values(&self, buffer: usize) -> Vec<u8> {
        let value = |i: u64| (i.wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f32 / 65536.0;
        (0..self.floats[buffer]).flat_map(|i| value(i).to_le_bytes()).collect()
    }
}

/// Returns the symbols of both kernels, or what is wrong with one of them.
fn symbols(signatures: &[Signature]) -> Result<[String; 2], Box<Failure>> {
    let symbol = |name: &str| {
        let wanted = Wanted { by: Caller::Pair, declaration: format!("{name}{DECLARED}") };
        fitting(name, &TAKES, &|_| None, &wanted, signatures)
            .map_err(|missing| Box::new(Failure::MissingKernel(missing)))
    };
    Ok([symbol(KERNELS[0])?, symbol(KERNELS[1])?])
}

/// Times both kernels, the slow one first.
///
/// # Errors
///
/// Fails if the source does not compile or lacks a kernel of the pair, if a launch fails, or if the GPU cannot be used.
pub fn measure_pair(
    pair: &Pair,
    source: &str,
    file_name: &str,
    gpu: &Gpu,
    settings: &Settings,
) -> Result<[Measured; 2], NotMeasured> {
    let program = OnGpu::load(source, file_name, gpu)?;
    let symbols = symbols(program.signatures()).map_err(NotMeasured::Wrong)?;
    let mut session = program.session();
    let mut args = Vec::new();
    for buffer in 0..3 {
        let values = pair.values(buffer);
        let address = session.allocate(values.len() as u64)?;
        session.write(address, &values)?;
        args.push(Arg::from(address));
    }
    args.push(pair.n.into());
    let mut timed = |which: usize| {
        let [gx, gy, bx, by] = pair.shapes[which];
        let (grid, block) = (Dim3::new(gx, gy, 1), Dim3::new(bx, by, 1));
        let config = LaunchConfig { grid, block, dynamic_shared_bytes: 0 };
        let launch = LaunchRequest { symbol: symbols[which].clone(), config, args: args.clone() };
        // Both run with flushed caches, however short they are, to be comparable with the time model.
        let settings = Settings { short_ns: 0.0, ..*settings };
        sampled(&mut session, vec![launch], gpu, &settings)
    };
    Ok([timed(0)?, timed(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Misfit;

    #[test]
    fn kernels_that_take_something_else_are_refused() {
        let kernel = |name: &str, sizes: &[u64]| {
            let parameters = sizes.iter().map(|&bytes| Parameter { bytes, float: false });
            Signature::new(name, parameters.collect())
        };
        let fast = kernel("_Z4fastPKfS0_Pfi", &[8, 8, 8, 4]);
        let pair = |slow| symbols(&[slow, fast.clone()]);
        let other_type = |place, sizes| Misfit::Type { place, signature: kernel("slow", sizes).describe() };
        assert_eq!(
            pair(kernel("slow", &[8, 8, 8, 4])).unwrap(),
            ["slow".to_owned(), "_Z4fastPKfS0_Pfi".to_owned()]
        );
        for (slow, misfit) in [
            (kernel("slow", &[8, 8, 8]), Misfit::Count(3)),
            (kernel("slow", &[8, 8, 8, 4, 8]), Misfit::Count(5)),
            (kernel("slow", &[8, 8, 8, 8]), other_type(4, &[8, 8, 8, 8])),
            (kernel("slow", &[8, 4, 8, 4]), other_type(2, &[8, 4, 8, 4])),
            (kernel("other", &[8, 8, 8, 4]), Misfit::Absent),
        ] {
            let Failure::MissingKernel(missing) = *pair(slow).unwrap_err() else { panic!("{misfit:?}") };
            assert_eq!(missing.why, misfit);
            assert_eq!(missing.wanted.declaration, "slow(const float *a, const float *b, float *c, int n)");
        }
        let float = Parameter { bytes: 4, float: true };
        let floats = Signature::new("slow", vec![TAKES[0], TAKES[1], TAKES[2], float]);
        assert!(pair(floats).is_err(), "a float is no int");
    }

    #[test]
    fn a_head_is_whole_or_none() {
        let head = "//! Prose: of no use.\n//! floats: 64 1 32\n//! slow: grid 2 1 block 32 1\n\
            //! fast: grid 1 1 block 64 1\n//! n: 64\n";
        let pair = Pair::of(head).unwrap();
        assert_eq!((pair.floats, pair.n, pair.shapes), ([64, 1, 32], 64, [[2, 1, 32, 1], [1, 1, 64, 1]]));
        assert_eq!(pair.values(2).len(), 128);
        for broken in ["floats", "slow", "n"] {
            assert_eq!(Pair::of(&head.replace(broken, "x")), None);
        }
        assert_eq!(Pair::of(&head.replace("64 1 32", "64 0 32")), None);
        assert_eq!(Pair::of(&head.replace("64 1 32", "64 1 99999999999")), None);
    }
}
