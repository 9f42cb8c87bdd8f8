//! The worker process of a program: this binary again, which runs one program on the GPUs and exits.

use gpu::worker::MARK;

/// First command-line argument of a worker.
pub const ARGUMENT: &str = "__gpu-program";

/// Runs the worker and returns its exit status if this process was started as one; otherwise returns `None`.
/// To be called first thing in `main`.
pub fn entry() -> Option<u8> {
    if std::env::args_os().nth(1)? != ARGUMENT {
        return None;
    }
    std::env::var_os(MARK)?;
    #[cfg(target_os = "linux")]
    return Some(u8::from(here::serve().is_err()));
    #[cfg(not(target_os = "linux"))]
    return Some(1);
}

#[cfg(target_os = "linux")]
mod here {
    use super::super::message::{Frame, Job, Report, Work};
    use crate::device::driver::DriverGpus;
    use crate::program::source::Source;
    use crate::program::{
        Channel, Control, GpuLimits, HostFunction, Input, Program, Settings, Sink, invoke, run,
    };
    use compiler::wire;
    use gpu::direct::Printed;
    use sim::Module;
    use std::fs::File;
    use std::io::{self, Write};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    /// Sends frames to the parent, among them what is printed.
    struct Sender(File);

    impl Sender {
        /// Sends a frame. An error is ignored: if the parent no longer listens, this process is about to be
        /// killed.
        fn send(&mut self, frame: &Frame) {
            let _ = wire::encode(frame).and_then(|bytes| self.0.write_all(&bytes));
        }
    }

    impl Sink for Sender {
        fn write(&mut self, channel: Channel, bytes: &[u8]) {
            self.send(&Frame::Printed(channel, bytes.to_vec()));
        }
    }

    /// Runs the program that the parent sends, reports how it ended, and ends this process.
    ///
    /// # Errors
    ///
    /// The job can't be read, or the standard streams can't be redirected.
    pub fn serve() -> io::Result<()> {
        // The bytes after the job are the program's own standard input, and are left for the program to read.
        let job: Job = wire::decode(io::stdin().lock())?;
        let (answers, printed) = Printed::redirect_stdout()?;
        let mut complaints = Printed::complaints()?;
        let mut sender = Sender(answers);
        let frame = match play(job, printed, &mut complaints, &mut sender) {
            Ok(report) => Frame::Ended(Box::new(report)),
            Err(frame) => frame,
        };
        sender.send(&frame);
        // What remains on the GPU is freed with the process. The contexts are not destroyed first: that would
        // wait for kernels that hang.
        std::process::exit(0);
    }

    fn play(
        job: Job,
        printed: Printed,
        complaints: &mut Printed,
        sender: &mut Sender,
    ) -> Result<Report, Frame> {
        let failed = |said: String| Frame::Failed(gpu::direct::failed("program", said));
        let headers: Vec<_> = job.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let source = Source::new(&job.file_name, &job.source).with_headers(&headers);
        let tree = ptx::parse(&job.ptx).map_err(|error| failed(error.to_string()))?;
        // NCCL's communicators find each other through sockets, even within a process.
        let needs_sockets =
            tree.functions.iter().any(|function| cpp::Library::of(function.name) == Some(cpp::Library::Nccl));
        let module =
            Module::load_of(&tree, &source.own_files()).map_err(|error| failed(error.to_string()))?;
        let functions = HostFunction::all(&tree);
        let program = Program {
            module: Arc::new(module),
            ptx: job.ptx.into(),
            source,
            functions,
            registers: job.registers,
            cubin: Vec::new().into(),
            diagnostics: Vec::new(),
        };
        let managed = program.module.variables().iter().any(|variable| variable.managed);
        let mut gpus = DriverGpus::open(job.cubin, managed, job.devices, printed).map_err(Frame::Failed)?;
        sender.send(&Frame::Begun);
        let deadline = job.limit.and_then(|limit| Instant::now().checked_add(limit));
        gpus.begin(deadline);
        let cancelled = AtomicBool::new(false);
        let settings = Settings {
            arguments: &job.arguments,
            input: job.input.map_or(Input::Own, |bytes| Input::Bytes(bytes.into())),
            readable: job.readable,
            host: job.host,
            compile: job.compile.filter(|_| !needs_sockets && compiler::no_processes().is_ok()),
            output_bytes: job.output_bytes,
            // These limits concern only the simulator, and the driver reads CUDA_LAUNCH_BLOCKING by itself.
            gpus: GpuLimits::default(),
            launch_blocking: false,
            control: Control { cancelled: &cancelled, deadline },
        };
        let (ran, returned, left) = match &job.work {
            Work::Main => (run(&program, &mut gpus, &settings, sender), true, Vec::new()),
            Work::Calls(buffers, calls) => {
                let done = invoke(&program, &mut gpus, &settings, sender, buffers, calls);
                (done.ran, done.returned, done.left)
            }
        };
        let said = complaints.take();
        if !said.is_empty() {
            sender.write(Channel::Stderr, &said[..said.len().min(MAX_COMPLAINT_BYTES)]);
        }
        Ok(Report { ran, lost: gpus.lost(), returned, left })
    }

    /// Most bytes forwarded of what the driver writes to standard error.
    const MAX_COMPLAINT_BYTES: usize = 64 << 10;
}
