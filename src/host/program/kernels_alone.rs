//! The kernels of a program without its host functions, as PTX.
//!
//! The compiler makes machine code of the kernels and of what they reach, and of every variable: one that
//! holds the address of a host function (a table of functions that launch) brings in what no GPU has. Of
//! the whole program's PTX, then, the kernels are kept, what their text names, and what that names; and
//! variables that hold no function's address, which the host may ask for by name. The driver makes
//! machine code of the rest.

use super::module_items::{Item, Kind, items, words};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that the driver has for every kernel.
const OF_THE_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];
/// What begins the names of functions that host code calls where kernels have code in place.
const HOST_MATH: &str = "__gpulearn_host_";

/// `None` where there is no kernel, or where kernels reach what no GPU has.
pub fn kernels_alone(ptx: &str) -> Option<String> {
    let items = items(ptx);
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, item) in items.iter().enumerate() {
        if let Some(name) = item.name {
            named.entry(name).or_default().push(number);
        }
    }
    let functions: BTreeSet<&str> =
        items.iter().filter(|item| item.kind == Kind::Function).filter_map(|item| item.name).collect();
    let is_plain = |item: &Item| words(item.text).all(|word| !functions.contains(word));
    let roots = items.iter().enumerate().filter(|(_, item)| match item.kind {
        Kind::Kernel => true,
        // What is named with a `$` is the compiler's own, texts of the host among it.
        Kind::Variable => is_plain(item) && !item.name.is_some_and(|name| name.starts_with('$')),
        Kind::Function | Kind::Other => false,
    });
    let mut open: Vec<usize> = roots.map(|(number, _)| number).collect();
    let mut kept = BTreeSet::new();
    while let Some(number) = open.pop() {
        if kept.insert(number) {
            let reached = words(items[number].text).filter_map(|word| named.get(word)).flatten();
            open.extend(reached.filter(|other| !kept.contains(other)));
        }
    }
    let kept_items = || kept.iter().map(|&number| &items[number]);
    let defined: BTreeSet<&str> =
        kept_items().filter(|item| item.is_defined()).filter_map(|item| item.name).collect();
    let lacks = |item: &Item| {
        item.kind == Kind::Function
            && item.name.is_some_and(|name| {
                !defined.contains(name) && !OF_THE_DRIVER.contains(&name) && !name.starts_with(HOST_MATH)
            })
    };
    if !kept_items().any(|item| item.kind == Kind::Kernel) || kept_items().any(lacks) {
        return None;
    }
    let texts = items.iter().enumerate();
    let texts = texts.filter(|(number, item)| item.kind == Kind::Other || kept.contains(number));
    Some(texts.map(|(_, item)| item.text).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"//
// Generated
.version 8.8
.target sm_90
.address_size 64
	// .globl	add
.extern .func  (.param .b64 func_retval0) __cudaCDP2GetParameterBufferV2
(
	.param .b64 p
)
;
.extern .func  (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
.func run_add(.param .b64 x);
.global .align 4 .u32 count = 5;
.global .align 8 .u64 steps[2] = {run_add, run_add};
.global .align 8 .u64 of_kernels[1] = {helper};
.global .attribute(.managed) .align 4 .b8 shared_by_all[8];
.global .align 1 .b8 $str[6] = {47, 47, 123, 34, 10, 0};
.func run_add(.param .b64 x)
{
	.reg .b64 %rd<2>;
	call.uni (retval0), __cudaCDP2GetParameterBufferV2, (x);
	ret;
}
.func (.param .b32 r) helper(.param .b32 x)
{
	{ // call vprintf }
	call.uni (retval0), vprintf, ($str);
	}
	ret;
}
.visible .entry add(
	.param .u64 add_param_0
)
{
	.loc	1 5 6
	ld.global.u64 %rd1, [of_kernels];
	ret;
}
	.file	1 "a {\" ;.cu"
.section .debug_str
{
info_string0: .b8 97
}
"#;

    #[test]
    fn kernels_and_what_they_name_are_kept() {
        let found = kernels_alone(MODULE).unwrap();
        for kept in [
            ".version 8.8\n.target sm_90\n.address_size 64",
            ".global .align 4 .u32 count = 5;",
            "of_kernels[1] = {helper};",
            "shared_by_all[8];",
            ".entry add(",
            "helper(.param .b32 x)\n{",
            "vprintf (.param",
            "$str[6] =",
            ".file\t1 \"a {\\\" ;.cu\"",
        ] {
            assert!(found.contains(kept), "{kept} is not in\n{found}");
        }
        for left in ["steps", "run_add", "__cudaCDP2"] {
            assert!(!found.contains(left), "{left} is in\n{found}");
        }
        let module = ptx::parse(&found).unwrap();
        assert_eq!(module.functions.iter().filter(|function| function.entry).count(), 1);
    }

    #[test]
    fn what_no_gpu_has_is_not_made() {
        assert_eq!(kernels_alone(".version 8.8\n.target sm_90\n.func f()\n{\nret;\n}\n"), None);
        let launches = MODULE.replace("[of_kernels]", "[steps]");
        assert_eq!(kernels_alone(&launches), None, "a kernel reaches a function that launches");
    }

    #[test]
    fn broken_text_is_no_matter() {
        for end in (0..MODULE.len()).filter(|end| MODULE.is_char_boundary(*end)) {
            let _ = kernels_alone(&MODULE[..end]);
        }
        let _ = kernels_alone(".entry é(\"");
        let _ = kernels_alone("/* .entry");
    }
}
