//! What a program's file says of itself.
//!
//! ```text
//! // args: 3 0x10 -4        what main is given behind its name
//! // stdin: 3 4\nx            its standard input, where it has one; `\n` ends a line
//! // exit: 25               what it ends with; `stopped` where a finding ends it; 0 where nothing
//!                           is said; `unsupported` where the eager schedule can't do it
//! // devices: 2             GPUs of the machine
//! // launch-blocking: 1     CUDA_LAUNCH_BLOCKING is set
//! // as: t4                 which GPU is modelled; h100 where nothing is said
//! // as: t4 h100            a machine of different ones, in place of `devices`
//! // modelled: REASON       why it is not run on a GPU of this machine (`selftest --programs`)
//! x = *d_x; //~ A005        a finding of this code names this line
//! //~ A009 at 0             a finding that names no line of the file
//! ```

use gpulearn::host::device::model::Model;
use std::sync::Arc;

pub struct Case {
    pub arguments: Vec<String>,
    /// What it reads.
    pub input: String,
    pub exit: String,
    /// The GPUs of the machine.
    pub gpus: Vec<Arc<Model>>,
    /// Every launch is waited for.
    pub launch_blocking: bool,
    /// Line and code of the findings, in order.
    pub marks: Vec<(u32, String)>,
}

impl Case {
    /// The compute capability to compile for, which all GPUs have.
    pub fn capability(&self) -> (u32, u32) {
        self.gpus.iter().map(|gpu| gpu.capability()).min().unwrap_or_default()
    }

    pub fn parse(source: &str) -> Result<Case, String> {
        let mut case = Case {
            arguments: Vec::new(),
            input: String::new(),
            exit: "0".to_string(),
            gpus: Vec::new(),
            launch_blocking: false,
            marks: Vec::new(),
        };
        let (mut devices, mut names) = (1, "h100");
        for line in source.lines().take_while(|line| line.starts_with("//")) {
            let Some((key, value)) = line.trim_start_matches('/').trim().split_once(": ") else { continue };
            match key {
                "args" => case.arguments = value.split_whitespace().map(str::to_string).collect(),
                "stdin" => case.input = value.replace("\\n", "\n"),
                "exit" => case.exit = value.trim().to_string(),
                "devices" => devices = value.trim().parse().map_err(|_| format!("devices: {value}"))?,
                "launch-blocking" => case.launch_blocking = value.trim() == "1",
                "as" => names = value,
                _ => {}
            }
        }
        let model = |name| Model::named(name).map(Arc::new).map_err(|error| error.to_string());
        case.gpus = names.split_whitespace().map(model).collect::<Result<_, _>>()?;
        if let [gpu] = &case.gpus[..] {
            case.gpus = vec![Arc::clone(gpu); devices];
        }
        for (number, line) in (1..).zip(source.lines()) {
            let Some((_, codes)) = line.split_once("//~") else { continue };
            let (codes, number) = match codes.split_once(" at ") {
                Some((codes, at)) => (codes, at.trim().parse().map_err(|_| format!("line {number}: {at}"))?),
                None => (codes, number),
            };
            case.marks.extend(codes.split_whitespace().map(|code| (number, code.to_string())));
        }
        case.marks.sort();
        Ok(case)
    }
}
