//! What is said about calls between host and device code.

use super::Subject;
use cpp::{Function, Source, Space};

/// Returns the subject and the message for a kernel that is called like a function.
pub fn kernel_called(kernel: String) -> (Subject, String) {
    let said = format!(
        "a kernel is launched, not called: \"{kernel}\" needs <<<blocks, threads>>> before its arguments"
    );
    (Subject::KernelCalled { kernel }, said)
}

/// Returns the subject and the message where `caller`, device code, calls a host function first declared at
/// this line.
pub fn host_function_called(function: String, caller: &str, declared: u32) -> (Subject, String) {
    let said =
        format!("\"{function}\" is a host function, but {caller} calls it: line {declared} lacks __device__");
    (Subject::HostFunctionCalled { function, declared }, said)
}

/// Returns the subject and the message where `caller`, host code, calls a device function first declared at
/// this line.
pub fn device_function_called(function: String, caller: &str, declared: u32) -> (Subject, String) {
    let said = format!(
        "\"{function}\" is a device function, but \"{caller}\", on the host, calls it: line {declared} lacks \
         __host__"
    );
    (Subject::DeviceFunctionCalled { function, declared }, said)
}

/// Describes a device function or kernel, with its name.
pub fn on_device(source: &Source, function: &Function) -> String {
    let what = if function.space == Space::Kernel { "the kernel" } else { "the device function" };
    format!("{what} \"{}\"", source.name_of(function))
}
