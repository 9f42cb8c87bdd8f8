//! Hints for names of the C++ library whose header is not included.

use super::{MessageContext, name_at_start};
use compiler::{HeaderLibrary, MessageKind};

/// Names in `std`, by the header that declares them.
const NAMES: [(&str, &[&str]); 24] = [
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
    ("cstring", &["memcpy", "memset", "strlen", "strcmp"]),
    ("deque", &["deque"]),
    ("functional", &["function", "plus", "greater", "hash"]),
    ("iomanip", &["setw", "setprecision", "setfill"]),
    ("iostream", &["cout", "cerr", "cin", "endl", "fixed", "scientific", "boolalpha", "hex", "ostream"]),
    ("list", &["list"]),
    ("map", &["map", "multimap"]),
    ("memory", &["unique_ptr", "shared_ptr", "make_unique", "make_shared"]),
    ("numeric", &["accumulate", "iota", "inner_product", "partial_sum", "reduce"]),
    ("optional", &["optional"]),
    ("random", &["mt19937", "random_device", "uniform_real_distribution", "uniform_int_distribution"]),
    ("sstream", &["stringstream", "ostringstream", "istringstream"]),
    ("stdexcept", &["runtime_error", "invalid_argument", "logic_error", "out_of_range"]),
    ("string", &["string", "to_string", "getline", "stoi", "stof", "stod"]),
    ("tuple", &["tuple", "make_tuple", "tie"]),
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
    let line = format!("#include <{header}>");
    if here.code.contains(&line) {
        let known = header != &"iostream" || std;
        return (!known).then(|| format!("Write std::{name}, or `using namespace std;` above."));
    }
    match std {
        true => Some(format!("Its header is not included: {line} at the top.")),
        // Without `std::` it may be a name of the learner's own.
        false if ["cout", "cerr", "cin", "endl"].contains(&name) => {
            Some(format!("It is std::{name}, from a header that is not included: {line} at the top."))
        }
        false => None,
    }
}

/// Returns the name after the first `std::` in the line.
fn word_behind_std<'t>(here: &MessageContext<'t>) -> Option<&'t str> {
    here.text.split_once("std::").map(|(_, rest)| name_at_start(rest))
}
