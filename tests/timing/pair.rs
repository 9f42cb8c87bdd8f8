//! One file of `pairs`: its head, and what its two kernels count on the simulator.

use gpulearn::device::model::Model;
use gpulearn::nvrtc::{Compiler, Request};
use gpulearn::sim::time::{KernelWork, Modelled, duration};
use gpulearn::sim::{Arg, Device, Dim3, LaunchConfig, Module, Options, Outcome};

#[derive(Debug, Default)]
pub struct Pair {
    /// Elements of the three buffers.
    pub floats: Vec<u64>,
    pub n: i32,
    pub slow: Option<(Dim3, Dim3)>,
    pub fast: Option<(Dim3, Dim3)>,
    /// Models on which the two take about as long.
    pub close: Vec<String>,
    /// By model: microseconds of both.
    measured: Vec<(String, f64, f64)>,
}

pub struct Ran {
    pub slow: Counted,
    pub fast: Counted,
}

/// A kernel's work on each GPU differs only in what is cached.
pub struct Counted {
    pub work: KernelWork,
}

impl Counted {
    pub fn modelled(&self, model: &Model) -> Modelled {
        duration(&model.gpu, &self.work)
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
                "measured" => {
                    let words: Vec<&str> = value.split_whitespace().collect();
                    let [gpu, slow, fast] = words[..] else { return Err(format!("`{line}`: gpu slow fast")) };
                    let time = |t: &str| t.parse::<f64>().map_err(|_| format!("`{t}` is no time"));
                    pair.measured.push((gpu.to_string(), time(slow)?, time(fast)?));
                }
                _ => {}
            }
        }
        let whole = pair.floats.len() == 3 && pair.slow.is_some() && pair.fast.is_some() && pair.n > 0;
        if whole { Ok(pair) } else { Err("it lacks floats, n, slow or fast".into()) }
    }

    /// What a GPU took for both, in microseconds.
    pub fn measured(&self, gpu: &str) -> Option<(f64, f64)> {
        self.measured.iter().find(|(name, ..)| name == gpu).map(|(_, slow, fast)| (*slow, *fast))
    }

    pub fn run(&self, name: &str, source: &str, compiler: &Compiler) -> Ran {
        let request = Request {
            source,
            file_name: name,
            compute_capability: (8, 0),
            headers: &[],
            options: &[],
            resources: true,
            program: false,
        };
        let compiled = compiler.compile(&request).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let module = Module::load(&compiled.ptx).unwrap();
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
            // Numbers from 0 to 1, the same on a GPU that is compared.
            let value = |i: u64| (i.wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f32 / 65536.0;
            let bytes: Vec<u8> = (0..elements).flat_map(|i| value(i).to_le_bytes()).collect();
            device.write(buffer, &bytes);
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
