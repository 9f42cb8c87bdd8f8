//! The samples of `tests/sim` on the GPU: the values that they declare, and the simulator's.

use crate::sim::sample::{Argument, Element, Sample};
use gpulearn::compiler::{Compiled, Request};
use gpulearn::gpu::{self, LaunchRequest};
use gpulearn::judge::on_gpu::Gpu;
use gpulearn::sim::{Arg, Device, Module, Options, Outcome};
use std::path::PathBuf;

/// Units of the last place by which floats may differ: library functions and matrix units leave
/// that much open.
const ULP_BOUND: u64 = 4;

/// What a sample's buffers hold in the end, in the order of its arguments.
type Contents = Vec<Vec<u8>>;

pub fn samples_agree_with_the_simulator() {
    let gpu = super::gpu();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sim");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    files.sort();
    let (mut wrong, mut ran) = (Vec::new(), 0);
    for path in &files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(path).unwrap();
        let sample = Sample::parse(&source).unwrap();
        if let Some(why) = left_out(&sample, &source, &gpu) {
            println!("{name:<32} left out: {why}");
            continue;
        }
        ran += 1;
        match compare(&sample, &name, &source, &gpu) {
            Ok((values, differing, ulp)) => {
                println!("{name:<32} {values:>6} values, {differing} differ, {ulp} ULP");
                if differing > 0 || ulp > ULP_BOUND {
                    wrong.push(name);
                }
            }
            Err(message) => {
                println!("{name:<32} {message}");
                wrong.push(name);
            }
        }
    }
    println!("{ran} samples on {}, {} differ", gpu.name(), wrong.len());
    assert!(ran >= 40 && wrong.is_empty(), "{wrong:?}");
}

/// Samples whose outcome a GPU does not fix, or that only a simulator can end.
fn left_out(sample: &Sample, source: &str, gpu: &Gpu) -> Option<&'static str> {
    if !sample.findings.is_empty() {
        return Some("it has a defect");
    }
    if sample.cooperative {
        return Some("its blocks wait for each other");
    }
    if sample.least_capability > gpu.capability() {
        return Some("the GPU is older");
    }
    let own = ["%smid", "%nsmid", "%clock", "clock64", "%warpid", "%gridid", "%globaltimer", "clock()"];
    own.iter().any(|word| source.contains(word)).then_some("it reads what each machine has its own of")
}

/// Values compared, those that differ (whole numbers) and the largest distance (floats).
fn compare(sample: &Sample, name: &str, source: &str, gpu: &Gpu) -> Result<(usize, usize, u64), String> {
    let options: Vec<&str> = sample.options.iter().map(String::as_str).collect();
    let compiled = gpu.compiler.compile(&Request {
        options: &options,
        resources: true,
        ..Request::new(source, name, gpu.capability())
    });
    let compiled = compiled.map_err(|error| format!("{error:?}"))?;
    let ours = simulated(sample, &compiled, gpu)?;
    let theirs = on_gpu(sample, &compiled, gpu)?;
    let (mut values, mut differing, mut largest) = (0, 0, 0);
    let buffers = sample.arguments.iter().filter_map(|argument| match argument {
        Argument::Buffer(buffer) => Some(buffer),
        Argument::Scalar(_) => None,
    });
    for ((buffer, ours), theirs) in buffers.zip(&ours).zip(&theirs) {
        let size = buffer.element.bytes();
        for (n, (a, b)) in ours.chunks(size).zip(theirs.chunks(size)).enumerate() {
            values += 1;
            // What neither wrote holds each its own poison, and nothing is expected of it.
            let expected = sample.expectations.get(&buffer.name);
            let (a_value, b_value) = (buffer.element.decode(a), buffer.element.decode(b));
            if let Some(expected) = expected
                && !expected.accepts(buffer.element, b_value, expected.value(sample, n)?)
            {
                return Err(format!("{}[{n}] is {b_value} on the GPU, {a_value} here", buffer.name));
            }
            if expected.is_none() && buffer.initial.is_none() {
                continue;
            }
            match ulps(buffer.element, a, b) {
                // Approximate instructions are each machine's own, within what PTX says of them.
                Some(_) if expected.is_some_and(|expected| expected.has_tolerance()) => {}
                Some(ulps) => largest = largest.max(ulps),
                None => differing += usize::from(a != b),
            }
        }
    }
    Ok((values, differing, largest))
}

/// Distance of two floats in values of their type; `None` for whole numbers.
fn ulps(element: Element, a: &[u8], b: &[u8]) -> Option<u64> {
    let float = matches!(element, Element::F16 | Element::Bf16 | Element::F32 | Element::F64);
    let place = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let (raw, sign) = (u64::from_le_bytes(wide), 1u64 << (8 * bytes.len() - 1));
        if raw & sign == 0 { i128::from(raw) } else { -i128::from(raw & !sign) }
    };
    let nan = |bytes: &[u8]| element.decode(bytes).float().is_nan();
    let distance = || match (nan(a), nan(b)) {
        (true, true) => 0,
        (false, false) => u64::try_from((place(a) - place(b)).unsigned_abs()).unwrap_or(u64::MAX),
        _ => u64::MAX,
    };
    float.then(distance)
}

fn simulated(sample: &Sample, compiled: &Compiled, gpu: &Gpu) -> Result<Contents, String> {
    let module = Module::parse(&compiled.ptx).map_err(|error| error.to_string())?;
    let (major, minor) = gpu.capability();
    let mut device = Device::new(major, minor);
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for argument in &sample.arguments {
        match argument {
            Argument::Scalar(bytes) => args.push(Arg(bytes.clone())),
            Argument::Buffer(buffer) => {
                let bytes = buffer.count * buffer.element.bytes();
                let address = device.allocate(&buffer.name, bytes as u64).map_err(|e| e.to_string())?;
                if let Some(values) = &buffer.initial {
                    let raw: Vec<u8> = values.iter().flat_map(|&v| buffer.element.encode(v)).collect();
                    device.write(address, &raw);
                }
                buffers.push((address, bytes));
                args.push(address.into());
            }
        }
    }
    let kernels = module.kernels();
    let kernel = kernels.first().ok_or("no kernel")?;
    let options = Options { checks: false, ..Options::default() };
    let report = device.launch(&module, kernel, sample.launch, &args, &options).map_err(|e| e.to_string())?;
    if report.outcome != Outcome::Completed {
        return Err(format!("{:?}", report.outcome));
    }
    let content = |(address, bytes)| {
        let mut raw = vec![0; bytes];
        device.read(address, &mut raw);
        raw
    };
    Ok(buffers.into_iter().map(content).collect())
}

fn on_gpu(sample: &Sample, compiled: &Compiled, gpu: &Gpu) -> Result<Contents, String> {
    let failed = |gpu_error: gpu::GpuError| gpu_error.to_string();
    let mut session = gpu.open(&compiled.cubin).map_err(|error| format!("{error:#}"))?;
    let (mut args, mut addresses) = (Vec::new(), Vec::new());
    for argument in &sample.arguments {
        match argument {
            Argument::Scalar(bytes) => args.push(Arg(bytes.clone())),
            Argument::Buffer(buffer) => {
                let bytes = (buffer.count * buffer.element.bytes()) as u64;
                let address = session.allocate(bytes).map_err(failed)?;
                if let Some(values) = &buffer.initial {
                    let raw: Vec<u8> = values.iter().flat_map(|&v| buffer.element.encode(v)).collect();
                    session.write(address, &raw).map_err(failed)?;
                }
                addresses.push((address, bytes as usize));
                args.push(address.into());
            }
        }
    }
    let symbol = compiled.resources.first().ok_or("no kernel")?.name.clone();
    let launch = LaunchRequest { symbol, config: sample.launch, args };
    let ran = session.launch(launch).map_err(|not_run| format!("{not_run:?}"))?;
    if let Some(stray) = ran.strays.first() {
        return Err(format!("{stray:?}"));
    }
    let printed = String::from_utf8_lossy(&ran.output);
    // What different warps print comes in any order, in the middle of a line too.
    let sorted = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    if sorted(&printed) != sorted(&sample.printed) {
        return Err(format!("prints {printed:?}, not {:?}", sample.printed));
    }
    let content = |(address, bytes)| {
        let mut content = vec![0; bytes];
        session.read(address, &mut content).map_err(failed).map(|()| content)
    };
    addresses.into_iter().map(content).collect()
}
