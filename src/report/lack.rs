//! What this tool lacks, in words.

use judge::{Lack, NotOnGpu, NotTimed};

/// Says what is lacking.
pub fn lack(lack: &Lack) -> String {
    match lack {
        Lack::Of(what) => what.clone(),
        Lack::Agreement { gpu, buffer, case } => format!(
            "on {gpu} \"{buffer}\" is right, but on the simulator it is not ({case}): one of the two is wrong, and both are \
             ours to look into"
        ),
        Lack::TimeOfHostThreads => {
            "the time of a program that creates threads on the host: here they run one after the other, each where it is \
             created, so it is not known whether this program is fast enough"
                .into()
        }
    }
}

/// Says why something did not run on the GPU, and where it ran. `program`: it is a whole program.
pub fn not_on_gpu(why: &NotOnGpu, program: bool) -> String {
    let there = if program { "it ran on modelled GPUs" } else { "it ran on the simulator" };
    match why {
        NotOnGpu::TooOld { needed, gpu, capability: (major, minor) } => {
            format!("the lesson needs compute capability {needed}, but {gpu} has {major}.{minor}: {there}")
        }
        NotOnGpu::TooFew { wanted, there } => {
            format!("the lesson needs {wanted} GPUs, but there are {there} here: it ran on modelled ones")
        }
        NotOnGpu::PrintsModelled => {
            format!("what the program prints is compared with a model's figures: {there}")
        }
        NotOnGpu::NoMachineCode { gpu } => format!("the compiler made no machine code for {gpu}: {there}"),
        NotOnGpu::Failed(error) => format!("it ran on the simulator: {error}"),
    }
}

/// Says why a kernel was not timed.
pub fn not_timed(why: &NotTimed) -> String {
    match why {
        NotTimed::NoGpu => "no GPU is used here".into(),
        NotTimed::NotOnGpu { why, program } => not_on_gpu(why, *program),
    }
}
