use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker is this binary started again: before anything else, so that it inherits
    // nothing of the command line.
    if let Some(code) = gpulearn::nvrtc::worker::entry().or_else(gpulearn::gpu::worker::entry) {
        return ExitCode::from(code);
    }
    gpulearn::cli::main()
}
