//! NVIDIA's numerical libraries, where they are installed: cuBLAS, cuDNN, cuFFT and NCCL.
//!
//! They are opened by file name, starting with the release that matches the driver, and called through the
//! few functions that are needed, which are the same in releases 12 and 13.

mod blas;
mod dnn;
mod fft;
mod nccl;

pub use blas::Cublas;
pub use dnn::Dnn;
pub use fft::Fft;
pub use nccl::Nccl;

use super::{Result, failed, refused};
use compiler::environment;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

/// One of the supported libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    Blas,
    Dnn,
    Fft,
    Nccl,
}

impl Name {
    /// Returns the library's usual name.
    pub fn title(self) -> &'static str {
        match self {
            Name::Blas => "cuBLAS",
            Name::Dnn => "cuDNN",
            Name::Fft => "cuFFT",
            Name::Nccl => "NCCL",
        }
    }

    /// Returns the name of the function that describes a status in words, if there is one.
    fn words(self) -> Option<&'static CStr> {
        match self {
            Name::Blas => Some(c"cublasGetStatusString"),
            Name::Dnn => Some(c"cudnnGetErrorString"),
            Name::Fft => None,
            Name::Nccl => Some(c"ncclGetErrorString"),
        }
    }

    /// Returns the library's file names for drivers of a CUDA release, best first.
    fn files(self, cuda: u32) -> &'static [&'static str] {
        match self {
            Name::Blas if cuda >= 13 => &["libcublas.so.13", "libcublas.so.12"],
            Name::Blas => &["libcublas.so.12"],
            Name::Dnn => &["libcudnn.so.9"],
            Name::Fft if cuda >= 13 => &["libcufft.so.12", "libcufft.so.11"],
            Name::Fft => &["libcufft.so.11"],
            Name::Nccl => &["libnccl.so.2"],
        }
    }
}

/// An open library.
pub struct Shared {
    handle: *mut c_void,
    name: Name,
}

impl Shared {
    /// Opens a library and never closes it: from where the loader searches, otherwise from CUDA toolkits and
    /// from the packages of a Python environment.
    ///
    /// # Errors
    ///
    /// Fails if it is in none of these places.
    pub fn open(name: Name, cuda: u32) -> Result<Shared> {
        let files = name.files(cuda);
        let plain = files.iter().map(PathBuf::from);
        let folders = folders();
        let placed = files.iter().flat_map(|file| folders.iter().map(move |folder| folder.join(file)));
        for path in plain.chain(placed.filter(|path| path.is_file())) {
            let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { continue };
            // SAFETY: loads a library by the name that NVIDIA gives it; never closed.
            let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
            if !handle.is_null() {
                return Ok(Shared { handle, name });
            }
        }
        let said = format!(
            "{} is not installed: there is no {} where the loader looks, in a CUDA toolkit or in GPULEARN_LIBRARIES",
            name.title(),
            files.join(" or ")
        );
        Err(failed(name.title(), said))
    }

    /// Returns a function of the library.
    pub(crate) fn symbol(&self, name: &CStr) -> Result<*mut c_void> {
        // SAFETY: the library is open, the name ends in NUL.
        let found = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if found.is_null() {
            let name = name.to_string_lossy().into_owned();
            return Err(failed(&name, format!("{} lacks it", self.name.title())));
        }
        Ok(found)
    }

    /// Checks the status of a call of the library, which is 0 on success.
    fn check(&self, call: &CStr, status: c_int) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        type Words = unsafe extern "C" fn(c_int) -> *const c_char;
        let symbol = self.name.words().and_then(|name| self.symbol(name).ok());
        // SAFETY: the function has that type in the header of each library, and returns a constant string or
        // null.
        let words = symbol.and_then(|symbol| unsafe {
            let words = std::mem::transmute::<*mut c_void, Words>(symbol)(status);
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
        });
        let said = words.unwrap_or_else(|| format!("status {status}"));
        Err(failed(&call.to_string_lossy(), said))
    }
}

/// Returns folders to search for libraries, in addition to those of the loader.
fn folders() -> Vec<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut found: Vec<PathBuf> = environment::value(environment::LIBRARIES)
        .map(|value| std::env::split_paths(&value).filter(|path| path.is_absolute()).collect())
        .unwrap_or_default();
    for root in [named("CUDA_PATH"), named("CUDA_HOME"), Some("/usr/local/cuda".into())].into_iter().flatten()
    {
        found.extend(["lib64", "targets/x86_64-linux/lib"].map(|below| root.join(below)));
    }
    // Wheels unpack to lib/python3.X/site-packages/nvidia/<package>/lib.
    let pythons = named("VIRTUAL_ENV").map(|root| children(&root.join("lib"))).unwrap_or_default();
    for packages in pythons.into_iter().map(|python| python.join("site-packages/nvidia")) {
        found.extend(children(&packages).into_iter().map(|package| package.join("lib")));
    }
    found
}

/// Returns the numbers of a call as the library takes them; fails with CUDA's error for an invalid value.
fn small<N: TryInto<c_int>, const COUNT: usize>(numbers: [N; COUNT]) -> Result<[c_int; COUNT]> {
    let mut out = [0; COUNT];
    for (small, number) in out.iter_mut().zip(numbers) {
        *small = number.try_into().map_err(|_| invalid("a number is too large"))?;
    }
    Ok(out)
}

fn invalid(said: &str) -> super::Failed {
    refused("a library", 1, said)
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Calls a function of a library by its C type, which precedes the arguments; the result says whether it succeeded.
/// If the name is computed, all functions that it may name have that type.
macro_rules! call {
    ($shared:expr, $name:expr, ($($type:ty),*); $($argument:expr),*) => {{
        let name: &CStr = $name;
        let symbol = $shared.symbol(name)?;
        // SAFETY: the type is that of NVIDIA's header; pointers lead to live values, handles are alive.
        let status = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> i32>(symbol)($($argument),*)
        };
        $shared.check(name, status)
    }};
}
use call;

/// The handle of a library on each device where it was used.
#[derive(Default)]
struct Handles(HashMap<u32, usize>);

impl Handles {
    /// Returns the handle of a device, whose context is current; `create` makes it.
    fn of(&mut self, shared: &Shared, device: u32, create: &'static CStr) -> Result<*mut c_void> {
        if let Some(handle) = self.0.get(&device) {
            return Ok(*handle as *mut c_void);
        }
        let mut handle: *mut c_void = ptr::null_mut();
        call!(shared, create, (*mut *mut c_void); &mut handle)?;
        self.0.insert(device, handle as usize);
        Ok(handle)
    }
}
