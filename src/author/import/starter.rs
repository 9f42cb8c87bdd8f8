//! The starter of an imported lesson: which function is called, and with which arguments.

use anyhow::{Context, Result, bail};
use cpp::Source;
use judge::course::{ElementType, Role};
use std::fs;
use std::path::Path;

/// Name of the host function in other collections.
const SOLVE: &str = "solve";

/// The function to call.
#[derive(Debug)]
pub struct Entry {
    pub name: String,
    /// Whether it is a kernel that the tool launches, instead of a host function.
    pub is_kernel: bool,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// Type of the elements or of the number.
    pub ty: ElementType,
    pub passed: Passed,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Passed {
    /// The address of a buffer.
    Buffer { role: Role },
    /// An integer, assumed to be a size.
    Size,
    /// A floating-point number.
    Number,
}

/// Returns the name of a folder's starter: `starter.cu`, or else the only other `.cu` file.
///
/// # Errors
///
/// Fails if the folder can't be read, or has neither.
pub fn file(folder: &Path) -> Result<String> {
    let entries = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.ends_with(".cu") && !matches!(name.as_str(), "reference.cu" | "solution.cu"))
        .collect();
    names.sort();
    match names.iter().position(|name| name == "starter.cu") {
        Some(at) => Ok(names.swap_remove(at)),
        None if names.len() == 1 => Ok(names.swap_remove(0)),
        None => bail!(
            "{}: a starter.cu is needed; there {}",
            folder.display(),
            if names.is_empty() { "is no .cu file".to_owned() } else { format!("are {}", names.join(", ")) }
        ),
    }
}

impl Entry {
    /// Finds the host function `solve`, or else the only kernel.
    ///
    /// # Errors
    ///
    /// Fails if there is neither, if a parameter can't be passed by a lesson, or if none is a pointer to write through.
    pub fn of(text: &str) -> Result<Entry> {
        let source = Source::new(text);
        let solve = source.functions().unwrap_or_default().iter().find(|f| source.name_of(f) == SOLVE);
        let kernels: Vec<_> = source.kernels().collect();
        let (function, is_kernel) = match (solve, kernels.as_slice()) {
            (Some(solve), _) => (solve, false),
            (None, [kernel]) => (*kernel, true),
            (None, several) => bail!(
                "a host function `{SOLVE}` is needed, or exactly one kernel; there are {} kernels",
                several.len()
            ),
        };
        let text = source.parameters_of(function);
        let mut parameters = Vec::new();
        for declared in text.split(',').map(str::trim).filter(|text| !text.is_empty() && *text != "void") {
            let parameter = Parameter::of(declared);
            parameters
                .push(parameter.with_context(|| format!("the parameter `{}`", declared.escape_debug()))?);
        }
        let is_out = |p: &Parameter| p.passed == Passed::Buffer { role: Role::Out };
        let pointers = parameters.iter().filter(|p| matches!(p.passed, Passed::Buffer { .. })).count();
        let outs = parameters.iter().filter(|p| is_out(p)).count();
        if outs == 0 {
            bail!("`{}` has no pointer to write through: all are const", source.name_of(function));
        }
        if pointers == 1 {
            // The only pointer: the data is changed in place.
            parameters
                .iter_mut()
                .filter(|p| is_out(p))
                .for_each(|p| p.passed = Passed::Buffer { role: Role::InOut });
        } else if outs == pointers {
            // No pointer is const: assume that the last one is the output.
            let last = parameters.iter().rposition(is_out);
            for (place, parameter) in parameters.iter_mut().enumerate() {
                if is_out(parameter) && Some(place) != last {
                    parameter.passed = Passed::Buffer { role: Role::In };
                }
            }
        }
        Ok(Entry { name: source.name_of(function), is_kernel, parameters })
    }
}

impl Parameter {
    fn of(declared: &str) -> Result<Parameter> {
        let pointer = declared.contains(['*', '[']);
        let constant =
            declared.split(['*', '[']).next().unwrap_or_default().split_whitespace().any(|w| w == "const");
        let plain = declared.replace(['*', '&'], " ").replace("[]", " ");
        let words: Vec<&str> = plain
            .split_whitespace()
            .filter(|word| {
                !matches!(*word, "const" | "__restrict__" | "restrict" | "__restrict" | "volatile")
            })
            .collect();
        let Some((name, ty)) = words.split_last().filter(|(_, ty)| !ty.is_empty()) else {
            bail!("a type and a name are needed");
        };
        let ty = ty.join(" ");
        let Some(known) = element(&ty) else {
            bail!(
                "the type `{}` is not one of lesson.toml's: f16 bf16 f32 f64 i8 u8 i32 u32 i64 u64",
                ty.escape_debug()
            );
        };
        if !judge::course::is_identifier(name) {
            bail!("\"{}\" is not a name", name.escape_debug());
        }
        let passed = match (pointer, known) {
            (true, _) => Passed::Buffer { role: if constant { Role::In } else { Role::Out } },
            (false, ElementType::F32 | ElementType::F64) => Passed::Number,
            (false, ElementType::F16 | ElementType::Bf16) => {
                bail!("a 16-bit number can't be passed: use float")
            }
            (false, _) => Passed::Size,
        };
        Ok(Parameter { name: (*name).to_owned(), ty: known, passed })
    }
}

/// Returns the type of elements, or of a number, by its name in C++.
pub fn element(ty: &str) -> Option<ElementType> {
    Some(match ty {
        "half" | "__half" => ElementType::F16,
        "__nv_bfloat16" | "nv_bfloat16" => ElementType::Bf16,
        "float" => ElementType::F32,
        "double" => ElementType::F64,
        "char" | "signed char" | "int8_t" => ElementType::I8,
        "unsigned char" | "uint8_t" => ElementType::U8,
        "int" | "int32_t" | "signed" | "signed int" => ElementType::I32,
        "unsigned" | "unsigned int" | "uint32_t" => ElementType::U32,
        "long" | "long int" | "signed long" => ElementType::I64,
        "long long" | "long long int" | "signed long long" | "int64_t" => ElementType::I64,
        "unsigned long" | "unsigned long int" | "uint64_t" | "size_t" => ElementType::U64,
        "unsigned long long" | "unsigned long long int" => ElementType::U64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_starter_says_what_is_called_and_with_what() {
        let entry = Entry::of(
            "#include <cuda_runtime.h>\n__global__ void k(const float* A, float* C) {}\n\
             // A and C are device pointers\n\
             extern \"C\" void solve(const float* A, const int *__restrict__ B, float* C, int N, float alpha) {\n}\n",
        )
        .unwrap();
        assert_eq!((entry.name.as_str(), entry.is_kernel), ("solve", false));
        let passed: Vec<_> = entry.parameters.iter().map(|p| (p.name.as_str(), p.ty, &p.passed)).collect();
        let (read, written) = (&Passed::Buffer { role: Role::In }, &Passed::Buffer { role: Role::Out });
        assert_eq!(
            passed,
            [
                ("A", ElementType::F32, read),
                ("B", ElementType::I32, read),
                ("C", ElementType::F32, written),
                ("N", ElementType::I32, &Passed::Size),
                ("alpha", ElementType::F32, &Passed::Number),
            ]
        );
        let kernel = Entry::of("__global__ void turn(float *x, int n) {}").unwrap();
        assert!(kernel.is_kernel && kernel.parameters[0].passed == Passed::Buffer { role: Role::InOut });
        for (text, wanted) in [
            ("int x;", "a host function `solve` is needed"),
            ("void solve(const float *a, int n) {}", "all are const"),
            ("void solve(float3 *a, float *b) {}", "the type `float3`"),
        ] {
            let said = format!("{:#}", Entry::of(text).unwrap_err());
            assert!(said.contains(wanted), "{said}");
        }
    }
}
