//! Extracts the kernels of a program, without its host functions, as PTX.
//!
//! The compiler generates machine code for the kernels, for what they reach, and for every variable. A
//! variable that holds the address of a host function (a table of functions that launch kernels) brings in
//! functions that no GPU has. So from the PTX of the whole program the following is kept: the kernels, what
//! their text names, and what that names in turn; and the variables, which the host may look up by name,
//! except those that lead to such functions. The driver compiles the result to machine code.

use super::module_items::{Item, Kind, items, words};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that the driver provides for every kernel.
const OF_THE_DRIVER: [&str; 5] =
    ["vprintf", "malloc", "__cuda_syscall_aligned_malloc", "free", "__assertfail"];
/// Prefix of functions that host code calls where kernels have inline code.
const HOST_MATH: &str = "__gpulearn_host_";

/// Prefix of virtual tables and of what belongs to them, which no program looks up by name.
const VIRTUAL: &str = "_ZT";

/// Returns the PTX of the kernels alone; `None` if there is no kernel, or if kernels reach functions that no
/// GPU has.
pub fn kernels_alone(ptx: &str) -> Option<String> {
    let module = ItemIndex::of(items(ptx));
    let of_kernels = module.reached(
        module.items.iter().enumerate().filter(|(_, item)| item.kind == Kind::Kernel).map(|(n, _)| n),
    );
    if of_kernels.is_empty() || !module.is_whole(&of_kernels) {
        return None;
    }
    Some(module.text_with_variables(of_kernels))
}

/// Returns the PTX of a program's variables alone, which no kernel uses.
pub fn variables_alone(ptx: &str) -> String {
    ItemIndex::of(items(ptx)).text_with_variables(BTreeSet::new())
}

/// A module's items, with their numbers by name.
struct ItemIndex<'a> {
    items: Vec<Item<'a>>,
    numbers: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> ItemIndex<'a> {
    /// Returns the text of these items, of the variables that the host may ask for, and of the module's directives.
    fn text_with_variables(&self, mut kept: BTreeSet<usize>) -> String {
        // Names that begin with a `$` are the compiler's own, among them string literals of host code.
        let may_be_asked_for = |item: &Item| {
            let hidden = |name: &str| name.starts_with('$') || name.starts_with(VIRTUAL);
            item.kind == Kind::Variable && !item.name.is_some_and(hidden)
        };
        for (number, _) in self.items.iter().enumerate().filter(|(_, item)| may_be_asked_for(item)) {
            let its = self.reached([number]);
            if self.is_whole(&its) {
                kept.extend(its);
            }
        }
        let texts = self.items.iter().enumerate();
        let texts = texts.filter(|(number, item)| item.kind == Kind::Other || kept.contains(number));
        texts.map(|(_, item)| item.text).collect::<Vec<_>>().join("\n")
    }

    fn of(items: Vec<Item<'a>>) -> ItemIndex<'a> {
        let mut numbers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, item) in items.iter().enumerate() {
            if let Some(name) = item.name {
                numbers.entry(name).or_default().push(number);
            }
        }
        ItemIndex { items, numbers }
    }

    /// Returns the numbers of these items, of the items that their text names, and so on transitively.
    fn reached(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut open: Vec<usize> = from.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(number) = open.pop() {
            if reached.insert(number) {
                let named =
                    words(self.items[number].text).filter_map(|word| self.numbers.get(word)).flatten();
                open.extend(named.filter(|other| !reached.contains(other)));
            }
        }
        reached
    }

    /// Returns whether every function that these items declare is defined among them or provided by the GPU.
    fn is_whole(&self, numbers: &BTreeSet<usize>) -> bool {
        let its = || numbers.iter().map(|&number| &self.items[number]);
        let defined: BTreeSet<&str> =
            its().filter(|item| item.is_defined()).filter_map(|item| item.name).collect();
        its().filter(|item| item.kind == Kind::Function).filter_map(|item| item.name).all(|name| {
            defined.contains(name) || OF_THE_DRIVER.contains(&name) || name.starts_with(HOST_MATH)
        })
    }
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

    #[test]
    fn variables_without_kernels_are_those_that_no_host_function_is_in() {
        let alone = variables_alone(MODULE);
        assert!(
            alone.contains("count = 5")
                && alone.contains("shared_by_all[8]")
                && alone.contains(".target sm_90")
        );
        assert!(!alone.contains("steps[2]") && !alone.contains(".entry"), "{alone}");
    }
}
