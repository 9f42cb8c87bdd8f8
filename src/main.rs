use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker process is this executable started again: check for it first, before the command line is parsed.
    let worker = compiler::worker::entry()
        .or_else(gpu::worker::entry)
        .or_else(host::program::gpu_process::worker::entry);
    if let Some(code) = worker {
        return ExitCode::from(code);
    }
    gpulearn::cli::main()
}
