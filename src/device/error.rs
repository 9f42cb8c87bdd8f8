//! The errors of the CUDA runtime: one row each (`driver_types.h`, `enum cudaError`).

macro_rules! errors {
    ($($variant:ident $number:literal $text:literal;)*) => {
        /// An error of the CUDA runtime, with its name there.
        #[allow(non_camel_case_types, non_upper_case_globals)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum CudaError { $($variant = $number),* }

        impl CudaError {
            pub const ALL: &[CudaError] = &[$(CudaError::$variant),*];
            /// `cudaGetErrorName`.
            pub fn name(self) -> &'static str { match self { $(CudaError::$variant => concat!("cudaError", stringify!($variant))),* } }
            /// `cudaGetErrorString`.
            pub fn text(self) -> &'static str { match self { $(CudaError::$variant => $text),* } }
        }
    };
}

errors! {
    InvalidValue 1 "invalid argument";
    MemoryAllocation 2 "out of memory";
    InitializationError 3 "initialization error";
    InvalidConfiguration 9 "invalid configuration argument";
    NotReady 600 "device not ready";
    IllegalAddress 700 "an illegal memory access was encountered";
    LaunchFailure 719 "unspecified launch failure";
    NotSupported 801 "operation not supported";
    Unknown 999 "unknown error";
}

impl CudaError {
    /// The value of the C enum.
    pub fn number(self) -> i32 {
        self as i32
    }

    /// The error with this number.
    pub fn numbered(number: i32) -> Option<CudaError> {
        CudaError::ALL.iter().copied().find(|e| e.number() == number)
    }

    /// The error with this name, such as `cudaErrorInvalidValue`.
    pub fn named(name: &str) -> Option<CudaError> {
        CudaError::ALL.iter().copied().find(|e| e.name() == name)
    }
}
