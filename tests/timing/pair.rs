//! One file of `pairs`: its head, and what its two kernels count on the simulator.

use gpulearn::compiler::{Compiled, Compiler, Request};
use gpulearn::host::device::model::Model;
use gpulearn::sim::time::{KernelWork, Modelled, duration};
use gpulearn::sim::{Arg, Device, Dim3, LaunchConfig, Module, Options, Outcome};
use std::path::PathBuf;
use std::sync::OnceLock;

/// PTX and machine code for a compute capability.
pub fn compile(name: &str, source: &str, compute_capability: (u32, u32), compiler: &Compiler) -> Compiled {
    let request = Request { resources: true, ..Request::new(source, name, compute_capability) };
    compiler.compile(&request).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

/// A pair by its file's name, and what its kernels counted.
pub struct Known {
    pub name: String,
    pub source: String,
    pub pair: Pair,
    pub ran: Ran,
}

/// Every pair, or the one that `GPULEARN_PAIR` names; run once, by the first test that asks.
pub fn all() -> &'static [Known] {
    static ALL: OnceLock<Vec<Known>> = OnceLock::new();
    ALL.get_or_init(|| {
        let chosen = std::env::var("GPULEARN_PAIR").ok();
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/timing/pairs");
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
            .filter(|path| chosen.as_ref().is_none_or(|name| path.file_stem().unwrap() == name.as_str()))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "no pairs found");
        let compiler = super::compiler();
        let known = files.iter().map(|path| {
            let source = std::fs::read_to_string(path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().to_string();
            let pair = Pair::parse(&source).unwrap_or_else(|message| panic!("{name}: {message}"));
            let ran = pair.run(&name, &source, &compiler);
            Known { name, source, pair, ran }
        });
        known.collect()
    })
}

/// The contents of the largest buffer, of which others have the beginning: numbers from 0 to 1, the same on a GPU that
/// is compared.
fn floats() -> &'static [u8] {
    const MOST: u64 = 1 << 24;
    static FLOATS: OnceLock<Vec<u8>> = OnceLock::new();
    FLOATS.get_or_init(|| {
        let mut bytes = vec![0; MOST as usize * 4];
        for (i, four) in (0..MOST).zip(bytes.chunks_exact_mut(4)) {
            let value = (i.wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f32 / 65536.0;
            four.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    })
}

#[derive(Debug, Default)]
pub struct Pair {
    /// Elements of the three buffers.
    pub floats: Vec<u64>,
    pub n: i32,
    pub slow: Option<(Dim3, Dim3)>,
    pub fast: Option<(Dim3, Dim3)>,
    /// Models on which the two take about as long.
    pub close: Vec<String>,
    /// No constant of the model was chosen with it in sight.
    pub held_out: bool,
}

pub struct Ran {
    pub slow: Counted,
    pub fast: Counted,
}

impl Ran {
    pub fn kernel(&self, name: &str) -> &Counted {
        if name == "slow" { &self.slow } else { &self.fast }
    }
}

/// A kernel's work on each GPU differs only in what is cached.
pub struct Counted {
    pub work: KernelWork,
}

impl Counted {
    /// Where caches hold nothing at the start.
    pub fn modelled(&self, model: &Model) -> Modelled {
        duration(&model.gpu, &self.work)
    }

    /// Where the second-level cache holds what it can of a launch before, that did the same: all it
    /// read, or nothing.
    pub fn modelled_again(&self, model: &Model) -> Modelled {
        let counts = &self.work.counts;
        let read = counts.pace.l2.last().map_or(0, |far| far.read_sectors);
        let fits = (read + counts.global_stores.units) * 32 <= model.gpu.l2_effective_bytes;
        duration(
            &model.gpu,
            &KernelWork { cached_bytes: if fits { u64::MAX } else { 0 }, ..self.work.clone() },
        )
    }
}

impl Pair {
    pub fn parse(source: &str) -> Result<Pair, String> {
        let mut pair = Pair::default();
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            let Some((key, value)) = line.trim().split_once(": ") else { continue };
            let numbers = || value.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
            match key {
                "floats" => pair.floats = numbers().collect(),
                "n" => pair.n = value.trim().parse().map_err(|_| format!("`{value}` is no number"))?,
                "slow" | "fast" => {
                    let n: Vec<u32> = numbers().map(|n| n as u32).collect();
                    let [gx, gy, bx, by] = n[..] else { return Err(format!("`{line}`: grid x y block x y")) };
                    let shape = Some((Dim3::new(gx, gy, 1), Dim3::new(bx, by, 1)));
                    *(if key == "slow" { &mut pair.slow } else { &mut pair.fast }) = shape;
                }
                "close" => pair.close = value.split_whitespace().map(str::to_string).collect(),
                "held" => pair.held_out = value.trim() == "out",
                _ => {}
            }
        }
        let whole = pair.floats.len() == 3 && pair.slow.is_some() && pair.fast.is_some() && pair.n > 0;
        if whole { Ok(pair) } else { Err("it lacks floats, n, slow or fast".into()) }
    }

    /// Runs both kernels on the simulator.
    pub fn run(&self, name: &str, source: &str, compiler: &Compiler) -> Ran {
        let compiled = compile(name, source, (8, 0), compiler);
        let module = Module::parse(&compiled.ptx).unwrap();
        let of = |kernel: &str, shape: Option<(Dim3, Dim3)>| {
            let (grid, block) = shape.expect("a shape");
            let resources = compiled.resources.iter().find(|r| r.name == kernel).expect("resources");
            let work = KernelWork {
                counts: self.launch(&module, kernel, grid, block),
                blocks: grid.count(),
                threads: block.count() as u32,
                registers: Some(resources.registers),
                shared_bytes: resources.shared_bytes,
                cached_bytes: 0,
            };
            Counted { work }
        };
        Ran { slow: of("slow", self.slow), fast: of("fast", self.fast) }
    }

    fn launch(&self, module: &Module, kernel: &str, grid: Dim3, block: Dim3) -> gpulearn::sim::Counts {
        let mut device = Device::new(8, 0);
        let mut args: Vec<Arg> = Vec::new();
        for (which, &elements) in self.floats.iter().enumerate() {
            let buffer = device.allocate(["a", "b", "c"][which], elements * 4).unwrap();
            device.write(buffer, &floats()[..elements as usize * 4]);
            args.push(buffer.into());
        }
        args.push(self.n.into());
        let config = LaunchConfig { grid, block, dynamic_shared_bytes: 0 };
        let options = Options { checks: false, ..Options::default() };
        let report = device.launch(module, kernel, config, &args, &options).unwrap();
        assert_eq!(report.outcome, Outcome::Completed, "{kernel}: {:?}", report.findings);
        report.counts
    }
}
