//! NVRTC itself, through cudarc. Used in workers only: cudarc panics if the library is missing, and a source
//! can make the library misbehave.

use super::include::Header;
use super::protocol::{Job, Reply, Source};
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
#[cfg(unix)]
use std::ffi::CStr;
use std::ffi::{CString, c_char};
use std::ptr;

/// Loads the library by its absolute path, and verifies that cudarc uses the same one.
///
/// # Errors
///
/// Fails if one of the libraries can't be loaded, or if cudarc finds another one.
pub fn load(library: &str, builtins: &str) -> Result<(), String> {
    open(builtins)?;
    let version = open(library)?;
    // SAFETY: only looks for the library by its usual names; ours is loaded and is found first.
    if !unsafe { sys::is_culib_present() } {
        return Err(format!("{library} was loaded, but can't be found again by its name"));
    }
    // SAFETY: the symbol is only compared, never called.
    let found = unsafe { sys::culib().get::<*const ()>(b"nvrtcVersion\0").map(|symbol| *symbol) };
    if found.is_ok_and(|found| found == version) {
        Ok(())
    } else {
        Err(format!("a different libnvrtc from {library} was loaded"))
    }
}

/// Opens a library and never closes it; returns the address of its `nvrtcVersion`, null if it has none.
#[cfg(unix)]
fn open(path: &str) -> Result<*const (), String> {
    let name = CString::new(path).map_err(|_| "a path with a NUL byte".to_owned())?;
    // SAFETY: loads a library the user has or that we installed; it is never closed.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        // SAFETY: `dlerror` returns null or a C string that lives until the next call.
        let why = unsafe {
            let text = libc::dlerror();
            if text.is_null() {
                "no reason given".to_owned()
            } else {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
        };
        return Err(format!("cannot load {path}: {why}"));
    }
    // SAFETY: the handle stays open for the life of the process.
    Ok(unsafe { libc::dlsym(handle, c"nvrtcVersion".as_ptr()) }.cast_const().cast())
}

#[cfg(windows)]
fn open(path: &str) -> Result<*const (), String> {
    unsafe extern "system" {
        fn LoadLibraryW(path: *const u16) -> *mut std::ffi::c_void;
        fn GetProcAddress(module: *mut std::ffi::c_void, name: *const c_char) -> *const ();
    }
    let wide: Vec<u16> = path.encode_utf16().chain([0]).collect();
    // SAFETY: the path ends in NUL; the module is never freed.
    let module = unsafe { LoadLibraryW(wide.as_ptr()) };
    if module.is_null() {
        return Err(format!("cannot load {path}: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: the module is loaded, the name ends in NUL.
    Ok(unsafe { GetProcAddress(module, c"nvrtcVersion".as_ptr()) })
}

/// Compiles a trivial kernel for `target`, so that the compiler's first-use initialisation is done.
///
/// # Errors
///
/// Fails if the compiler does not compile it.
pub fn warm_up(target: &str) -> Result<(), String> {
    let program = NvrtcProgram::new(b"__global__ void k() {}", "warm-up.cu", &[])?;
    match program.compile(&[format!("--gpu-architecture={target}")])? {
        Outcome::Compiled => Ok(()),
        _ => Err(format!("the compiler does not compile an empty kernel: {}", program.log_text())),
    }
}

/// Compiles a source, passing the headers that came with it and those of the toolkit.
///
/// # Errors
///
/// Fails if the compiler refuses an option or fails itself; what it says about the source is in the reply.
pub fn compile(job: &Job, source: &Source, toolkit: &[Header]) -> Result<Reply, String> {
    // The compiler rejects a header name that occurs twice.
    let others = toolkit.iter().filter(|header| source.headers.iter().all(|its| its.name != header.name));
    let in_memory: Vec<&Header> = source.headers.iter().chain(others).collect();
    let program = NvrtcProgram::new(&source.text, &source.name, &in_memory)?;
    let outcome = match program.compile(&[job.options.as_slice(), &job.optimiser].concat()) {
        // A release without access to its optimiser. A program object whose options were rejected cannot be
        // compiled again.
        Err(Refusal::Option(_)) if !job.optimiser.is_empty() => {
            let without = Job { optimiser: Vec::new(), ..job.clone() };
            return compile(&without, source, toolkit);
        }
        other => other?,
    };
    let mut log = program.log()?;
    log.truncate(usize::try_from(job.log_bytes).unwrap_or(usize::MAX));
    match outcome {
        Outcome::OutOfMemory => Ok(Reply::OutOfMemory),
        Outcome::Rejected => Ok(Reply::Rejected { log }),
        Outcome::Compiled => {
            let cubin = if job.cubin { program.cubin(job.ptx_bytes)? } else { Ok(Vec::new()) };
            match (program.ptx(job.ptx_bytes)?, cubin) {
                (Ok(ptx), Ok(cubin)) => Ok(Reply::Compiled { ptx, cubin, log }),
                (Err(bytes), _) => Ok(Reply::TooLarge { what: "PTX".into(), bytes }),
                (_, Err(bytes)) => Ok(Reply::TooLarge { what: "machine code".into(), bytes }),
            }
        }
    }
}

enum Outcome {
    Compiled,
    Rejected,
    OutOfMemory,
}

/// Why a compilation did not start.
enum Refusal {
    /// The compiler does not know an option.
    Option(String),
    Other(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Other(why)
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        let (Refusal::Option(why) | Refusal::Other(why)) = refusal;
        why
    }
}

struct NvrtcProgram(nvrtcProgram);

impl NvrtcProgram {
    fn new(text: &[u8], name: &str, in_memory: &[&Header]) -> Result<NvrtcProgram, String> {
        let string =
            |bytes: &[u8]| CString::new(bytes).map_err(|_| "a NUL byte in the source or a header".to_owned());
        let (text, name) = (string(text)?, string(name.as_bytes())?);
        let names = in_memory.iter().map(|its| string(its.name.as_bytes())).collect::<Result<Vec<_>, _>>()?;
        let texts = in_memory.iter().map(|its| string(&its.text)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let texts: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let count = i32::try_from(names.len()).map_err(|_| "too many headers".to_owned())?;
        let mut program = ptr::null_mut();
        // SAFETY: all strings end in NUL and outlive the call, which copies them.
        let result = unsafe {
            sys::nvrtcCreateProgram(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                count,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        ok(result, "nvrtcCreateProgram")?;
        Ok(NvrtcProgram(program))
    }

    fn compile(&self, options: &[String]) -> Result<Outcome, Refusal> {
        let options = options
            .iter()
            .map(|option| CString::new(option.as_str()).map_err(|_| "a NUL byte in an option".to_owned()))
            .collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).map_err(|_| "too many options".to_owned())?;
        // SAFETY: the program is alive, the options outlive the call.
        match unsafe { sys::nvrtcCompileProgram(self.0, count, pointers.as_ptr()) } {
            nvrtcResult::NVRTC_SUCCESS => Ok(Outcome::Compiled),
            nvrtcResult::NVRTC_ERROR_COMPILATION => Ok(Outcome::Rejected),
            nvrtcResult::NVRTC_ERROR_OUT_OF_MEMORY => Ok(Outcome::OutOfMemory),
            result => {
                let why = format!("nvrtcCompileProgram: {result:?}: {}", self.log_text());
                Err(match result {
                    nvrtcResult::NVRTC_ERROR_INVALID_OPTION => Refusal::Option(why),
                    _ => Refusal::Other(why),
                })
            }
        }
    }

    fn log(&self) -> Result<Vec<u8>, String> {
        // SAFETY: the program is alive; each call writes what the one before announced.
        let log = unsafe { self.output(sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog, u64::MAX) }?;
        Ok(without_nul(log.unwrap_or_default()))
    }

    fn log_text(&self) -> String {
        self.log().map(|log| String::from_utf8_lossy(&log).trim().to_owned()).unwrap_or_default()
    }

    fn ptx(&self, most: u64) -> Result<Result<Vec<u8>, u64>, String> {
        // SAFETY: as above.
        let ptx = unsafe { self.output(sys::nvrtcGetPTXSize, sys::nvrtcGetPTX, most) }?;
        Ok(ptx.map(without_nul))
    }

    fn cubin(&self, most: u64) -> Result<Result<Vec<u8>, u64>, String> {
        // SAFETY: as above.
        unsafe { self.output(sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN, most) }
    }

    /// Returns the output of a pair of calls, or its size in bytes if that exceeds `most`.
    ///
    /// # Safety
    ///
    /// `get` writes as many bytes as `size` reports.
    unsafe fn output(
        &self,
        size: unsafe fn(nvrtcProgram, *mut usize) -> nvrtcResult,
        get: unsafe fn(nvrtcProgram, *mut c_char) -> nvrtcResult,
        most: u64,
    ) -> Result<Result<Vec<u8>, u64>, String> {
        let mut bytes = 0usize;
        // SAFETY: by the caller's contract.
        ok(unsafe { size(self.0, &mut bytes) }, "size of an output")?;
        if bytes as u64 > most {
            return Ok(Err(bytes as u64));
        }
        let mut out = vec![0u8; bytes];
        if bytes > 0 {
            // SAFETY: by the caller's contract; the buffer has the size that was reported.
            ok(unsafe { get(self.0, out.as_mut_ptr().cast()) }, "an output")?;
        }
        Ok(Ok(out))
    }
}

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        // SAFETY: created by nvrtcCreateProgram and not used any more. A failure leaks, which is harmless.
        unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

/// Removes the NUL that terminates texts in C.
fn without_nul(mut text: Vec<u8>) -> Vec<u8> {
    if text.last() == Some(&0) {
        text.pop();
    }
    text
}

fn ok(result: nvrtcResult, what: &str) -> Result<(), String> {
    match result {
        nvrtcResult::NVRTC_SUCCESS => Ok(()),
        result => Err(format!("{what}: {result:?}")),
    }
}
