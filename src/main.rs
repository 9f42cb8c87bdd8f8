use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker is this binary started again: before anything else, so that it inherits
    // nothing of the command line.
    let worker = compiler::worker::entry()
        .or_else(gpu::worker::entry)
        .or_else(host::program::gpu_process::worker::entry);
    if let Some(code) = worker {
        return ExitCode::from(code);
    }
    gpulearn::cli::main()
}
