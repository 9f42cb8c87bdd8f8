//! The names that a source uses: single ones, and families that CUDA gives one meaning.

use super::blank::uncommented;
use super::source::Source;
use super::words::{names, uses};

/// A family of names with one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Functions that allocate memory of CUDA: `cudaMalloc`, `cudaMallocManaged`.
    Allocation,
    /// Atomic functions: `atomicAdd`, `atomicCAS_block`.
    Atomic,
    /// Requests of asynchronous copies: `memcpy_async`, and `async` in PTX.
    AsyncCopy,
    /// Waits for threads of other warps: `__syncthreads`, and those of groups and barrier objects.
    BlockWait,
    /// Requests of bulk copies in PTX.
    BulkCopy,
    /// Functions that copy or set memory: `cudaMemcpyAsync`.
    Copy,
    /// Functions that free memory of CUDA: `cudaFreeAsync`.
    Free,
    /// Types of half precision, and their conversions: `__half2`, `__float2half`.
    Half,
    /// The same for bfloat16.
    BFloat16,
    /// Launches by a function: `cudaLaunchKernel`.
    LaunchCall,
    /// Operations of a warp that take a mask: `__shfl_sync`, `__ballot_sync`.
    Masked,
    /// Operations on matrix fragments.
    Matrix,
    /// Functions of the libraries that compute on a GPU: `cublasSgemm`.
    Computing,
    /// Functions that exchange values between lanes: `__shfl_sync`.
    Shuffle,
    /// Waits for asynchronous copies: `__pipeline_wait_prior`.
    WaitForCopies,
    /// What shows that a code is about lanes and warps: `lane`, `__syncwarp`, `warp_sum`, `volatile`.
    Warp,
}

impl Family {
    /// Returns whether a name is one of the family.
    pub fn has(self, name: &str) -> bool {
        let of = |start: &str| {
            name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
        };
        let ends =
            |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
        let part = |what: &str| name.split('_').any(|part| part == what);
        match self {
            Family::Allocation => of("cudaMalloc"),
            Family::Atomic => of("atomic"),
            Family::AsyncCopy => part("async"),
            Family::BlockWait => name.starts_with("__syncthreads") || !name.starts_with("__") && ends("sync"),
            Family::BulkCopy => part("bulk"),
            Family::Copy => of("cudaMemcpy") || of("cudaMemset"),
            Family::Free => of("cudaFree"),
            Family::Half => of("half") || of("__half") || name.ends_with("2half"),
            Family::BFloat16 => of("nv_bfloat16") || of("__nv_bfloat16") || name.contains("2bfloat16"),
            Family::LaunchCall => of("cudaLaunch"),
            Family::Masked => name.starts_with("__") && name.ends_with("_sync"),
            Family::Matrix => matches!(name, "mma_sync" | "load_matrix_sync" | "store_matrix_sync"),
            Family::Computing => Library::of(name).is_some_and(Library::computes),
            Family::Shuffle => of("__shfl"),
            Family::WaitForCopies => ends("wait_prior") || ends("wait_group") || ends("wait_all"),
            Family::Warp => matches!(name, "lane" | "__syncwarp" | "volatile") || name.starts_with("warp"),
        }
    }
}

/// A library of CUDA, as its names tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Runtime,
    Driver,
    Cublas,
    Cudnn,
    Cufft,
    Curand,
    Cusparse,
    Cusolver,
    Nccl,
    Cub,
}

impl Library {
    /// How the names of calls, and of constants, begin.
    const STARTS: [(&'static str, &'static str, Library); 9] = [
        ("cuda", "CUDA_", Library::Runtime),
        ("cu", "CU_", Library::Driver),
        ("cublas", "CUBLAS_", Library::Cublas),
        ("cudnn", "CUDNN_", Library::Cudnn),
        ("cufft", "CUFFT_", Library::Cufft),
        ("curand", "CURAND_", Library::Curand),
        ("cusparse", "CUSPARSE_", Library::Cusparse),
        ("cusolver", "CUSOLVER_", Library::Cusolver),
        ("nccl", "NCCL_", Library::Nccl),
    ];

    /// Returns the library that declares a call; `None` for those of other libraries and of the program.
    pub fn of(name: &str) -> Option<Library> {
        let is_of =
            |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let of_namespace = || name.starts_with("cub::").then_some(Library::Cub);
        Self::STARTS
            .iter()
            .find(|(call, ..)| is_of(call))
            .map(|(_, _, library)| *library)
            .or_else(of_namespace)
    }

    /// Returns the library that declares a call or a constant.
    pub fn of_name(name: &str) -> Option<Library> {
        let its = Self::STARTS.iter().find(|(_, constant, _)| name.starts_with(constant));
        Library::of(name).or(its.map(|(_, _, library)| *library))
    }

    /// Returns whether it computes, rather than manages memory and work.
    pub fn computes(self) -> bool {
        !matches!(self, Library::Runtime | Library::Driver)
    }
}

/// What a name may be: a name, one of several, or one of a family.
pub trait Wanted {
    /// Returns whether a name is wanted.
    fn is(&self, name: &str) -> bool;
}

impl Wanted for &str {
    fn is(&self, name: &str) -> bool {
        *self == name
    }
}

impl<const N: usize> Wanted for [&str; N] {
    fn is(&self, name: &str) -> bool {
        self.contains(&name)
    }
}

impl Wanted for Family {
    fn is(&self, name: &str) -> bool {
        self.has(name)
    }
}

impl Source<'_> {
    /// Returns whether the code names something.
    pub fn names(&self, wanted: impl Wanted) -> bool {
        names(self.code()).any(|name| wanted.is(name))
    }

    /// Returns the first such name on a line.
    pub fn named_on(&self, line: u32, wanted: impl Wanted) -> Option<&str> {
        names(self.code_line(line)).find(|name| wanted.is(name))
    }

    /// Returns whether a line names something.
    pub fn names_on(&self, line: u32, wanted: impl Wanted) -> bool {
        self.named_on(line, wanted).is_some()
    }

    /// Returns what follows `name(`, for each call of such a function.
    pub fn calls(&self, wanted: impl Wanted) -> impl Iterator<Item = &str> {
        calls(self.code(), wanted)
    }

    /// Returns what follows `name(` on a line, for each call of such a function there.
    pub fn calls_on(&self, line: u32, wanted: impl Wanted) -> impl Iterator<Item = &str> {
        calls(self.code_line(line), wanted)
    }

    /// Returns whether the code names a member of a variable, as in `threadIdx.y`.
    pub fn names_member(&self, variable: &str, member: &str) -> bool {
        uses(self.code(), variable).any(|(_, behind)| {
            behind.strip_prefix('.').and_then(|behind| names(behind).next()) == Some(member)
        })
    }

    /// Returns whether the code launches kernels with `<<<…>>>`.
    pub fn launches_kernels(&self) -> bool {
        self.code().contains("<<<")
    }

    /// Returns whether a line names something in its code or in inline PTX.
    pub fn names_in_ptx(&self, line: u32, wanted: impl Wanted) -> bool {
        names(&uncommented(self.line(line).unwrap_or_default())).any(|name| wanted.is(name))
    }
}

fn calls(text: &str, wanted: impl Wanted) -> impl Iterator<Item = &str> {
    names(text).filter(move |name| wanted.is(name)).filter_map(|name| {
        let end = name.as_ptr() as usize - text.as_ptr() as usize + name.len();
        text[end..].trim_start().strip_prefix('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_a_whole() {
        let source = Source::new("on_behalf(is_asynchronous, \"half\"); // __half\n  atomics();\n");
        assert!(!source.names(Family::Half) && !source.names(Family::Atomic));
        assert!(!source.names_in_ptx(1, Family::AsyncCopy) && !source.launches_kernels());
        let source = Source::new(
            "k<<<1, 2>>>(__float2half(threadIdx.y));\nasm(\"cp.async.ca.shared\");\nmemcpy_async (s, atomicAdd_block(p, 1));",
        );
        assert!(source.launches_kernels() && source.names(Family::Half) && !source.names(Family::BFloat16));
        assert!(source.names_member("threadIdx", "y") && !source.names_member("threadIdx", "z"));
        assert!(source.names_in_ptx(2, Family::AsyncCopy) && !source.names_on(2, Family::AsyncCopy));
        assert!(source.names_on(3, Family::AsyncCopy) && source.calls_on(3, "memcpy_async").count() == 1);
        assert_eq!(source.named_on(3, Family::Atomic), Some("atomicAdd_block"));
    }
}
