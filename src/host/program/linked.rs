//! Links host code and kernels that were compiled separately into one module.
//!
//! Both come from the same source, so most names are in both modules. Kernels and the variables of a GPU are
//! taken from the kernels' module, functions that the host calls from the host's. What each side needs for
//! itself, such as a function that both call, is kept in two copies, with [`DEVICE`] appended to the name of
//! the kernels' copy. Where the host's copy of a variable has other initial values, such as the addresses of
//! host functions, they become a variable with [`sim::HOST_VALUES`] appended to its name.

use super::module_items::{Item, Kind, is_of_word, items, words};
use cpp::DEVICE;
use sim::HOST_VALUES;
use std::collections::{BTreeMap, BTreeSet};

/// Prefixes of variables that a program cannot look up on a GPU: the compiler's own, virtual tables and what
/// belongs to them, and static local variables.
const PRIVATE: [&str; 5] = ["$", "_ZTV", "_ZTI", "_ZTS", "_ZZ"];

/// Prefix of the labels of function names in the debug information.
const LABEL: &str = "$L__info_string";

/// Returns the PTX of one module with the functions of `host` and the kernels of `kernels`, and all that they
/// need. `None` if the host's module has a kernel that `kernels` lacks.
pub fn linked(host: &str, kernels: &str) -> Option<String> {
    let (host, kernels) = (items(host), items(kernels));
    let entries: BTreeSet<&str> = named(&kernels, Kind::Kernel).collect();
    if !named(&host, Kind::Kernel).all(|name| entries.contains(name)) {
        return None;
    }
    let needed = needed_variables(&host);
    let shared: BTreeSet<&str> = named(&kernels, Kind::Variable).filter(|name| !is_private(name)).collect();
    let of_host = host.iter().filter(|item| match (item.kind, item.name) {
        (Kind::Kernel, _) => false,
        (Kind::Variable, Some(name)) => needed.contains(name) && !shared.contains(name),
        _ => true,
    });
    let of_both = host.iter().filter(|item| {
        item.kind == Kind::Variable
            && item.name.is_some_and(|name| needed.contains(name) && shared.contains(name))
    });

    let functions: BTreeSet<&str> = named(&host, Kind::Function).collect();
    let twice = kernels.iter().filter(|item| match (item.kind, item.name) {
        (Kind::Function, Some(name)) => item.is_defined() && functions.contains(name),
        (Kind::Variable, Some(name)) => is_private(name) && needed.contains(name),
        _ => false,
    });
    let mut files = Files::of(&host);
    let numbers =
        kernels.iter().filter_map(|item| file(item.text)).map(|(n, name)| (n, files.number(name))).collect();
    let renaming = Renaming { twice: twice.filter_map(|item| item.name).collect(), files: numbers };
    let of_kernels = kernels.iter().filter(|item| match (item.kind, item.name) {
        (Kind::Function, Some(name)) => renaming.twice.contains(name) || !functions.contains(name),
        (Kind::Other, _) => item.text.starts_with(".section"),
        _ => true,
    });

    let mut out: Vec<String> = of_host.map(|item| item.text.to_owned()).collect();
    let of_kernels: Vec<String> = of_kernels.map(|item| renaming.of(item.text)).collect();
    let declared: BTreeSet<&str> = of_kernels.iter().map(|text| without_linkage(text)).collect();
    let other_values = of_both.filter(|item| !declared.contains(without_linkage(item.text)));
    out.extend(other_values.filter_map(host_values));
    out.extend(of_kernels);
    out.extend(files.added);
    Some(out.join("\n"))
}

/// Returns the names of all items of a kind.
fn named<'i>(items: &'i [Item], kind: Kind) -> impl Iterator<Item = &'i str> {
    items.iter().filter(move |item| item.kind == kind).filter_map(|item| item.name)
}

fn is_private(name: &str) -> bool {
    PRIVATE.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns a variable's definition without its linkage directive.
fn without_linkage(text: &str) -> &str {
    [".visible ", ".weak "].iter().find_map(|linkage| text.strip_prefix(linkage)).unwrap_or(text)
}

/// Returns a definition of the host's initial values of a variable; `None` for managed memory, which has no
/// copies.
fn host_values(variable: &Item) -> Option<String> {
    let text = without_linkage(variable.text);
    let name = variable.name.filter(|_| !text.contains(".managed"))?;
    let rest = text.strip_prefix(".const").or_else(|| text.strip_prefix(".global"))?;
    let (before, behind) = rest.split_once(name)?;
    Some(format!(".global{before}{name}{HOST_VALUES}{behind}"))
}

/// Returns the variables that functions name, and those that these variables name in turn.
fn needed_variables<'i>(items: &'i [Item]) -> BTreeSet<&'i str> {
    let variables: BTreeMap<&str, &Item> = items
        .iter()
        .filter(|item| item.kind == Kind::Variable)
        .filter_map(|item| Some((item.name?, item)))
        .collect();
    let mut needed = BTreeSet::new();
    let mut open: Vec<&Item> = items.iter().filter(|item| item.kind == Kind::Function).collect();
    while let Some(item) = open.pop() {
        for (&name, &variable) in words(item.text).filter_map(|word| variables.get_key_value(word)) {
            if needed.insert(name) {
                open.push(variable);
            }
        }
    }
    needed
}

/// Returns the number of a `.file` directive, and the name with whatever follows it.
fn file(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(".file")?.trim_start().split_once(char::is_whitespace)
}

/// The files of the linked module.
struct Files<'i> {
    numbers: BTreeMap<&'i str, u64>,
    /// Directives for files that the host's module lacks.
    added: Vec<String>,
}

impl<'i> Files<'i> {
    fn of(items: &[Item<'i>]) -> Files<'i> {
        let files = items.iter().filter_map(|item| file(item.text));
        let numbers = files.filter_map(|(number, name)| Some((name, number.parse().ok()?))).collect();
        Files { numbers, added: Vec::new() }
    }

    fn number(&mut self, name: &'i str) -> u64 {
        let next = self.numbers.values().max().map_or(1, |last| last + 1);
        *self.numbers.entry(name).or_insert_with(|| {
            self.added.push(format!(".file\t{next} {name}"));
            next
        })
    }
}

/// Names and file numbers of the kernels' module that change.
struct Renaming<'i> {
    twice: BTreeSet<&'i str>,
    files: BTreeMap<&'i str, u64>,
}

impl Renaming<'_> {
    fn of(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 16);
        for line in text.split_inclusive('\n') {
            match line.trim_start().strip_prefix(".loc").filter(|rest| rest.starts_with(char::is_whitespace))
            {
                Some(rest) => self.place(rest, &mut out),
                None => self.names(line, &mut out),
            }
        }
        out
    }

    fn names(&self, line: &str, out: &mut String) {
        let mut rest = line;
        while let Some(start) = rest.find(is_of_word) {
            let (before, word) = rest.split_at(start);
            let (word, behind) = word.split_at(word.find(|c| !is_of_word(c)).unwrap_or(word.len()));
            out.extend([before, word]);
            // A word after a dot belongs to the language.
            if self.twice.contains(word) && !before.ends_with('.') || word.starts_with(LABEL) {
                out.push_str(DEVICE);
            }
            rest = behind;
        }
        out.push_str(rest);
    }

    /// Rewrites `.loc file line column[, function_name label, inlined_at file line column]`; `rest` is what
    /// follows the first word.
    fn place(&self, rest: &str, out: &mut String) {
        out.push_str("\t.loc");
        let mut is_file = true;
        for word in rest.split_whitespace() {
            out.push(' ');
            match self.files.get(word).filter(|_| is_file) {
                Some(number) => out.push_str(&number.to_string()),
                None => self.names(word, out),
            }
            is_file = word == "inlined_at";
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = r#".version 8.8
.target sm_90
.address_size 64
.visible .func (.param .b32 r) _Z4bothi(.param .b32 x);
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .entry add(.param .u64 p)
;
.visible .const .align 4 .b8 coefficients[16];
.visible .global .align 4 .u32 count;
.weak .shared .align 4 .b8 _ZZ3addE1s[128];
.global .align 1 .b8 $str[2] = {104, 0};
.visible .func (.param .b32 r) _Z4bothi(.param .b32 x)
{
	.loc	2 7 1
	call.uni (r), vprintf, ($str, x);
	ret;
}
.visible .entry add(.param .u64 p)
{
	ret;
}
.visible .func main()
{
	.loc	1 9 1, function_name $L__info_string0, inlined_at 1 9 9
	st.global.u32 [count], 1;
	call.uni (r), _Z4bothi, (x);
	call.uni (r), launch, (add);
	ret;
}
	.file	1 "a.cu"
	.file	2 "own.h"
.section	.debug_str
{
$L__info_string0:
.b8 97,0
}
"#;

    const KERNELS: &str = r#".version 8.8
.target sm_90
.address_size 64
.func (.param .b32 r) _Z4bothi(.param .b32 x);
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.const .align 4 .b8 coefficients[16];
.global .align 4 .u32 count = 3;
.global .align 8 .u64 table[1] = {_Z4bothi};
.global .align 1 .b8 $str[3] = {103, 103, 0};
.func (.param .b32 r) _Z4bothi(.param .b32 x)
{
	.loc	1 8 1
	call.uni (r), vprintf, ($str, x);
	ret;
}
.visible .entry add(.param .u64 p)
{
	.shared .align 4 .b8 _ZZ3addE1s[128];
	.loc	2 5 6, function_name $L__info_string0, inlined_at 1 5 5
	ld.global.u64 %rd1, [table];
	ret;
}
	.file	1 "a.cu"
	.file	2 "other.h"
.section	.debug_str
{
$L__info_string0:
.b8 98,0
}
"#;

    #[test]
    fn kernels_keep_what_is_theirs_and_the_host_its_own() {
        let found = linked(HOST, KERNELS).unwrap();
        for kept in [
            ".global .align 4 .u32 count = 3;",
            "table[1] = {_Z4bothi$device};",
            "$str[2] = {104, 0}",
            "$str$device[3] = {103, 103, 0}",
            "_Z4bothi(.param .b32 x)\n{\n\t.loc\t2 7 1\n\tcall.uni (r), vprintf, ($str, x);",
            "_Z4bothi$device(.param .b32 x)\n{\n\t.loc 1 8 1\n\tcall.uni (r), vprintf, ($str$device, x);",
            "\t.loc 3 5 6, function_name $L__info_string0$device, inlined_at 1 5 5\n",
            ".file\t3 \"other.h\"",
            "$L__info_string0:\n.b8 97,0",
            "$L__info_string0$device:\n.b8 98,0",
        ] {
            assert!(found.contains(kept), "{kept} is not in\n{found}");
        }
        for once in
            [".version", "coefficients", "_ZZ3addE1s", ".entry add", "main()", ".file\t1", "vprintf ("]
        {
            assert_eq!(found.matches(once).count(), 1, "{once} in\n{found}");
        }
        let module = ptx::parse(&found).unwrap();
        let kernels: Vec<&str> =
            module.functions.iter().filter(|its| its.entry).map(|its| its.name).collect();
        assert_eq!(kernels, ["add"]);
        assert_eq!(module.files.len(), 3);
    }

    #[test]
    fn a_kernel_that_only_the_host_knows_is_not_lost() {
        assert_eq!(linked(HOST, &KERNELS.replace("add(", "other(")), None);
    }

    #[test]
    fn broken_text_is_no_matter() {
        for end in (0..KERNELS.len()).filter(|end| KERNELS.is_char_boundary(*end)) {
            let _ = linked(HOST, &KERNELS[..end]);
            let _ = linked(&KERNELS[..end], KERNELS);
        }
    }
}
