//! Whether programs can go to a GPU at all: their kernels have machine code of their own, without the
//! host's functions. No GPU is needed to see that.

use crate::{compiler, files};
use gpulearn::compiler::{Request, kernel_parameters};
use gpulearn::host::program::compile;
use std::path::PathBuf;

/// What machine code begins with, an ELF file; PTX begins otherwise, and the driver makes code of it.
const MACHINE_CODE: &[u8] = b"\x7fELF";

/// Programs whose variables hold what no GPU has.
const BY_WAY_OF_PTX: [&str; 4] = [
    "api/function_pointer_never_set.cu",
    "api/function_pointer_never_set_fixed.cu",
    "readers_beside_a_kernel.cu",
    "tables_of_functions.cu",
];

/// A kernel of it calls a function that nothing defines: no GPU would load it.
const NOT_WHOLE: &str = "device_function_not_defined.cu";

pub fn kernels_of_every_program_go_to_a_gpu_without_its_host_functions() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/program");
    let programs =
        files("program").into_iter().filter(|path| path.extension().is_some_and(|end| end == "cu"));
    let (mut by_way_of_ptx, mut seen, mut from_headers) = (Vec::new(), 0, false);
    for path in programs {
        let source = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let file = path.file_name().unwrap().to_str().unwrap();
        let Ok(program) = compile(compiler(), &Request::new(&source, file, (9, 0))) else { continue };
        if program.module.kernels().is_empty() {
            continue;
        }
        if name == NOT_WHOLE {
            assert!(program.cubin.is_empty(), "{name} is whole");
            continue;
        }
        seen += 1;
        from_headers |= !source.contains("__global__");
        assert!(!program.cubin.is_empty(), "{name} has nothing for a GPU");
        if !program.cubin.starts_with(MACHINE_CODE) {
            let text = program.cubin.strip_suffix(b"\0").expect("PTX for the driver ends in NUL");
            let text = std::str::from_utf8(text).unwrap();
            let module = gpulearn::ptx::parse(text).unwrap();
            assert!(module.functions.iter().any(|function| function.entry), "{name} lost its kernels");
            by_way_of_ptx.push(name);
            continue;
        }
        // What the driver is handed for a launch is laid out by the program's PTX.
        let takes = kernel_parameters(&program.cubin).unwrap();
        for number in 0.. {
            let Some(kernel) = program.module.kernel(number) else { break };
            let Some(takes) = takes.get(&*kernel.name) else { continue };
            let laid_out: Vec<u32> = kernel.params.iter().map(|(bytes, _)| *bytes).collect();
            assert_eq!(*takes, laid_out, "{name}: {}", kernel.name);
        }
    }
    assert!(seen > 80, "only {seen} programs have kernels");
    assert!(from_headers, "no program has kernels of headers alone");
    assert_eq!(by_way_of_ptx, BY_WAY_OF_PTX);
}
