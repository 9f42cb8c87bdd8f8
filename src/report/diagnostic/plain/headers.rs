//! Hints for names of the C++ library and of CUDA's libraries whose header is not included.

use super::{MessageContext, name_at_start};
use compiler::{HeaderLibrary, MessageKind, program_headers};
use cpp::{Library, names};

/// Names in `std`, by the header that declares them.
const NAMES: [(&str, &[&str]); 38] = [
    (
        "algorithm",
        &["sort", "stable_sort", "fill", "fill_n", "copy", "copy_n", "transform", "find", "find_if"],
    ),
    (
        "algorithm",
        &["count", "count_if", "generate", "max_element", "min_element", "equal", "reverse", "all_of"],
    ),
    (
        "algorithm",
        &["any_of", "none_of", "for_each", "unique", "lower_bound", "upper_bound", "shuffle", "clamp"],
    ),
    ("array", &["array"]),
    ("atomic", &["atomic"]),
    ("bitset", &["bitset"]),
    ("chrono", &["chrono"]),
    ("complex", &["complex"]),
    ("condition_variable", &["condition_variable"]),
    ("cstdio", &["printf", "fprintf", "sprintf", "snprintf", "scanf", "puts", "fopen", "fclose", "FILE"]),
    ("cstring", &["memcpy", "memset", "strlen", "strcmp"]),
    ("ctime", &["time", "time_t", "clock", "clock_t", "localtime", "strftime"]),
    ("deque", &["deque"]),
    ("fstream", &["ifstream", "ofstream", "fstream"]),
    ("functional", &["function", "plus", "greater", "hash", "bind", "ref", "cref"]),
    ("future", &["future", "async", "promise", "packaged_task", "launch"]),
    ("iomanip", &["setw", "setprecision", "setfill"]),
    ("iostream", &["cout", "cerr", "cin", "endl", "fixed", "scientific", "boolalpha", "hex", "ostream"]),
    ("list", &["list"]),
    ("map", &["map", "multimap"]),
    ("memory", &["unique_ptr", "shared_ptr", "make_unique", "make_shared"]),
    ("mutex", &["mutex", "lock_guard", "unique_lock", "scoped_lock", "call_once", "once_flag"]),
    ("numeric", &["accumulate", "iota", "inner_product", "partial_sum", "reduce"]),
    ("optional", &["optional", "nullopt"]),
    ("queue", &["queue", "priority_queue"]),
    ("random", &["mt19937", "random_device", "uniform_real_distribution", "uniform_int_distribution"]),
    ("set", &["set", "multiset"]),
    ("sstream", &["stringstream", "ostringstream", "istringstream"]),
    ("stack", &["stack"]),
    ("stdexcept", &["runtime_error", "invalid_argument", "logic_error", "out_of_range"]),
    ("string", &["string", "to_string", "getline", "stoi", "stof", "stod"]),
    ("string_view", &["string_view"]),
    ("thread", &["thread", "this_thread"]),
    ("tuple", &["tuple", "make_tuple", "tie"]),
    ("unordered_map", &["unordered_map"]),
    ("unordered_set", &["unordered_set"]),
    ("variant", &["variant", "visit", "get_if", "holds_alternative"]),
    ("vector", &["vector"]),
];

/// A header of CUB or Thrust that is for host code, in a file of kernels alone.
pub fn of_host_code(here: &MessageContext) -> Option<String> {
    let what = "That header is for programs with host code, and here is only the kernel";
    match here.message.library().filter(|_| !here.program)? {
        HeaderLibrary::Cub => {
            Some(format!("{what}: include the part that it uses, such as <cub/block/block_reduce.cuh>."))
        }
        HeaderLibrary::Thrust => Some(format!("{what}.")),
        HeaderLibrary::Cuda => None,
    }
}

/// A library name in host code without its header.
pub fn not_included(here: &MessageContext) -> Option<String> {
    if here.in_kernel() {
        return None;
    }
    let (name, std) = match here.message.quoted.as_slice() {
        ["std", name, ..] if here.message.kind == MessageKind::NoMemberOfNamespace => (*name, true),
        [name] if here.message.kind == MessageKind::UndefinedName => (*name, false),
        ["std"] | ["chrono"] => (word_behind_std(here)?, true),
        ["::"] if here.before().ends_with("std::") => (here.word(), true),
        _ => return None,
    };
    let (header, _) = NAMES.iter().find(|(_, names)| names.contains(&name))?;
    if here.source.includes(header) {
        let known = header != &"iostream" || std;
        return (!known).then(|| format!("Write std::{name}, or `using namespace std;` above."));
    }
    match std {
        true => Some(not_included_at_top(header)),
        // Without `std::` it may be a name of the learner's own.
        false if ["cout", "cerr", "cin", "endl"].contains(&name) => Some(format!(
            "It is std::{name}, from a header that is not included: #include <{header}> at the top."
        )),
        false => None,
    }
}

/// CUDA's headers for host code, and the text that declares what a program has with each.
const OF_LIBRARIES: [(&str, &str); 12] = [
    ("cublas_v2.h", "cublas_v2.h"),
    ("cudnn.h", "cudnn.h"),
    ("cufft.h", "cufft.h"),
    ("curand_kernel.h", "curand_kernel.h"),
    ("curand.h", "curand.h"),
    ("nccl.h", "nccl.h"),
    ("cuda.h", "cuda.h"),
    ("cuda.h", "gpulearn/tensor_map.h"),
    ("cuda_profiler_api.h", "cuda_profiler_api.h"),
    ("nvtx3/nvToolsExt.h", "nvToolsExt.h"),
    ("helper_cuda.h", "helper_cuda.h"),
    ("helper_timer.h", "helper_timer.h"),
];

/// A name of one of CUDA's libraries, in a program that does not include its header.
pub fn library_not_included(here: &MessageContext) -> Option<String> {
    let header = match (here.message.kind, here.message.quoted.as_slice()) {
        (MessageKind::UndefinedName, [name]) if here.program => header_that_declares(name)?.to_owned(),
        (MessageKind::NoMemberOfNamespace, ["thrust", name]) if here.program => header_of_thrust(name)?,
        (MessageKind::NoNamespace, _) => {
            return of_namespace(here.word(), here);
        }
        _ => return None,
    };
    (!here.source.includes(&header)).then(|| not_included_at_top(&header))
}

/// Returns the header of a library that declares a name, as far as the name itself shows that it is a library's.
fn header_that_declares(name: &str) -> Option<&'static str> {
    const OF_SAMPLES: [&str; 4] = ["checkCudaErrors", "getLastCudaError", "findCudaDevice", "sdkCreateTimer"];
    let of_driver =
        || name.strip_prefix("CU").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_theirs = Library::of_name(name).is_some()
        || of_driver()
        || name.starts_with("nvtxRange")
        || OF_SAMPLES.contains(&name);
    let declares = |within: &str| {
        program_headers().any(|(header, text)| header == within && names(text).any(|word| word == name))
    };
    OF_LIBRARIES.iter().find(|(_, within)| is_theirs && declares(within)).map(|(header, _)| *header)
}

/// Returns the header of Thrust that is called like one of its functions or types, if it is one that the tool has.
fn header_of_thrust(name: &str) -> Option<String> {
    let header = format!("thrust/{name}.h");
    program_headers().any(|(known, text)| known == header && !text.starts_with("#error")).then_some(header)
}

/// A namespace that no header included declares.
fn of_namespace(name: &str, here: &MessageContext) -> Option<String> {
    let member = here.rest()[name.len()..].trim_start().strip_prefix("::").map_or("", name_at_start);
    let header = match name {
        "cooperative_groups" => "cooperative_groups.h".to_owned(),
        "nvcuda" => "mma.h".to_owned(),
        "cg" if !here.source.includes("cooperative_groups.h") => {
            return Some(
                "Two lines are missing at the top: #include <cooperative_groups.h> and \
                 namespace cg = cooperative_groups;"
                    .into(),
            );
        }
        "cg" => return Some("A line is missing at the top: namespace cg = cooperative_groups;".into()),
        "wmma" if !here.source.includes("mma.h") => {
            return Some(
                "Two lines are missing at the top: #include <mma.h> and using namespace nvcuda;".into(),
            );
        }
        "wmma" => return Some("It is nvcuda::wmma: using namespace nvcuda; at the top.".into()),
        "thrust" if here.program => match header_of_thrust(member) {
            Some(header) => header,
            None => {
                return Some(
                    "No header of Thrust is included: there is one for each container and algorithm, as in \
                     #include <thrust/device_vector.h> and #include <thrust/reduce.h>."
                        .into(),
                );
            }
        },
        "cub" if here.program => "cub/cub.cuh".to_owned(),
        "cub" => match member {
            "BlockReduce" => "cub/block/block_reduce.cuh".to_owned(),
            "BlockScan" => "cub/block/block_scan.cuh".to_owned(),
            "WarpReduce" => "cub/warp/warp_reduce.cuh".to_owned(),
            _ => return None,
        },
        "cuda" => match member {
            "barrier" => "cuda/barrier".to_owned(),
            "pipeline" | "pipeline_shared_state" | "make_pipeline" => "cuda/pipeline".to_owned(),
            "atomic" | "atomic_ref" => "cuda/atomic".to_owned(),
            _ => return None,
        },
        _ => return None,
    };
    Some(not_included_at_top(&header))
}

fn not_included_at_top(header: &str) -> String {
    format!("Its header is not included: #include <{header}> at the top.")
}

/// Returns the name after the first `std::` in the line.
fn word_behind_std<'t>(here: &MessageContext<'t>) -> Option<&'t str> {
    here.text.split_once("std::").map(|(_, rest)| name_at_start(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;

    #[test]
    fn a_name_of_the_library_is_told_its_header() {
        for (header, names) in NAMES {
            let is_here = program_headers().any(|(name, text)| name == header && !text.starts_with("#error"));
            assert!(is_here, "{header}");
            for name in names {
                let message = format!("namespace \"std\" has no member \"{name}\"");
                let diagnostic = compiler::Diagnostic::error("a.cu", (1, 6), message.clone());
                let text = format!("std::{name} x;");
                let said = super::super::plain(&message, &diagnostic, &Source::new(&text), true);
                let wanted = format!("Its header is not included: #include <{header}> at the top.");
                assert_eq!(said, Some(wanted), "{name}");
            }
        }
    }
}
