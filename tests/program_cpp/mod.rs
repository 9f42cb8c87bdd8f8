//! The C++ standard library of whole programs. A case is one .cu file here, and beside it what it
//! prints when a C++ compiler with its own standard library builds it (`.out`).

mod run;

use crate::program_headers::compile;
use crate::{compiler, each, plain, request};
use gpulearn::compiler::Request;
use gpulearn::sim::Stop;
use libtest_mimic::Trial;
use std::fs;
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    let mut trials = each("program_cpp", prints_what_it_should);
    trials.extend([
        plain("program_cpp::what_would_throw_ends_the_program", what_would_throw_ends_the_program),
        plain("program_cpp::what_a_handler_would_get_is_lacking", what_a_handler_would_get_is_lacking),
        plain("program_cpp::what_is_not_used_is_not_there", what_is_not_used_is_not_there),
        plain("program_cpp::nvidias_headers_come_too", nvidias_headers_come_too),
    ]);
    trials
}

fn prints_what_it_should(file: &Path) -> Result<(), String> {
    let source = fs::read_to_string(file).unwrap();
    let expected = fs::read_to_string(file.with_extension("out")).unwrap();
    let ran = run::run(&compile(&source)?.ptx);
    let differs = ran.output.lines().zip(expected.lines()).position(|(a, b)| a != b);
    if ran.output == expected && ran.result == Ok(0) {
        return Ok(());
    }
    let line = differs.unwrap_or_else(|| ran.output.lines().count().min(expected.lines().count()));
    Err(format!(
        "line {}: {:?}, not {:?}; ended with {:?}; said {:?}",
        line + 1,
        ran.output.lines().nth(line),
        expected.lines().nth(line),
        ran.result,
        ran.errors
    ))
}

/// What C++ would throw ends the program with the message, and no handler runs.
fn what_would_throw_ends_the_program() {
    for (body, said) in [
        ("std::vector<int> v(3); return v.at(7);", "std::out_of_range: std::vector::at: element 7 of 3"),
        ("return std::stoi(std::string(\"none\"));", "std::invalid_argument: stoi: no number in none"),
        ("throw std::runtime_error(\"out of \" + std::to_string(2));", "exception: out of 2"),
    ] {
        let source = format!(
            "#include <iostream>\n#include <stdexcept>\n#include <vector>\nint main() {{\n{body}\nreturn 0;\n}}\n"
        );
        let ran = run::run(&compile(&source).unwrap_or_else(|said| panic!("{said}")).ptx);
        assert_eq!(ran.errors, format!("terminate called after throwing {said}\n"), "{ran:?}");
        assert!(matches!(ran.result, Err(Stop::Exit(134))), "{ran:?}");
        assert_eq!(ran.output, "");
    }
}

fn what_a_handler_would_get_is_lacking() {
    let source = "#include <iostream>\n#include <stdexcept>\nint main() {\n\
                  try { throw std::logic_error(\"first\"); } catch (const std::exception &e) { std::cout << e.what(); }\n}\n";
    let ran = run::run(&compile(source).unwrap_or_else(|said| panic!("{said}")).ptx);
    let Err(Stop::Unsupported { what, .. }) = &ran.result else { panic!("{ran:?}") };
    assert!(what.starts_with("exceptions") && what.contains("first"), "{what}");
}

/// A header that a program does not use adds no code to it.
fn what_is_not_used_is_not_there() {
    let source = "#include <iostream>\n#include <vector>\n#include <algorithm>\n#include <chrono>\n\
                  #include <string>\n#include <map>\nint main() { return 0; }\n";
    let ptx = compile(source).unwrap().ptx;
    assert_eq!(ptx.matches(".func").count(), 1, "{ptx}");
    assert!(ptx.len() < 4096, "{} bytes", ptx.len());
}

/// NVIDIA's headers beside ours: names that both know do not clash.
fn nvidias_headers_come_too() {
    let source = "#include <bits/stdc++.h>\n#include <cuda_fp16.h>\n#include <mma.h>\n\
                  #include <cooperative_groups.h>\n#include <cuda/std/utility>\n#include <cuda/std/limits>\n\
                  int main() { std::vector<__half> v(3); return int(v.size()) - 3; }\n";
    let compiled = compiler().compile(&Request { program: true, ..request(source, "case.cu") });
    assert!(compiled.is_ok(), "{compiled:?}");
}
