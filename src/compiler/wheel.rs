//! The pinned wheels that contain the compiler and its headers: the version that pip is asked for, the file's
//! hash, and which of its files are kept.
//!
//! The wheels are under NVIDIA's licence, so they are fetched from the package index and never bundled.

/// One wheel of the Python package index.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<'a> {
    pub project: &'a str,
    pub version: &'a str,
    pub file: &'a str,
    /// Size of the file, for the progress bar.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: &'a str,
    /// The files that are kept: a prefix of the path in the wheel, and its replacement.
    pub unpack: &'a [(&'a str, &'a str)],
}

/// Wheels that are installed together, in a folder of their own.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// Name of the folder. It contains the version, so a new release never mixes with an old one.
    pub folder: &'a str,
    /// Name shown to people.
    pub title: &'a str,
    pub wheels: &'a [Wheel<'a>],
    /// Files that must exist if the installation is complete; their sizes are recorded and checked each time.
    pub proof: &'a [&'a str],
    /// Symbolic links to create: name and target.
    pub links: &'a [(&'a str, &'a str)],
}

/// The packages for one kind of machine.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Values of pip's `--platform`.
    pub pip_platform: &'static str,
    pub compiler: Package<'static>,
    pub headers: Package<'static>,
}

const RUNTIME: &[(&str, &str)] = &[("nvidia/cuda_runtime/include/", "include/")];
const NVCC: &[(&str, &str)] = &[("nvidia/cuda_nvcc/include/", "include/")];
const CCCL: &[(&str, &str)] = &[("nvidia/cuda_cccl/include/", "include/")];
const HEADER_PROOF: &[&str] = &[
    "include/cuda_fp16.h",
    "include/mma.h",
    "include/crt/mma.h",
    "include/cooperative_groups.h",
    "include/nv/target",
];

/// The files kept of the compiler's wheel, and the corresponding fields of [`Package`].
struct Libraries {
    unpack: &'static [(&'static str, &'static str)],
    proof: &'static [&'static str],
    links: &'static [(&'static str, &'static str)],
}

const LINUX: Libraries = Libraries {
    unpack: &[
        ("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "lib/libnvrtc.so.12"),
        ("nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9", "lib/libnvrtc-builtins.so.12.9"),
    ],
    proof: &["lib/libnvrtc.so.12", "lib/libnvrtc-builtins.so.12.9"],
    // The name without a version is what cudarc asks the loader for first.
    links: &[("lib/libnvrtc.so", "libnvrtc.so.12")],
};

const WINDOWS: Libraries = Libraries {
    unpack: &[
        ("nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll", "lib/nvrtc64_120_0.dll"),
        ("nvidia/cuda_nvrtc/bin/nvrtc-builtins64_129.dll", "lib/nvrtc-builtins64_129.dll"),
    ],
    proof: &["lib/nvrtc64_120_0.dll", "lib/nvrtc-builtins64_129.dll"],
    links: &[],
};

/// A wheel of the given version: the files to keep, its platform tag, its size in bytes and its hash.
macro_rules! wheel {
    ($project:literal $version:literal, $unpack:expr, ($tag:literal, $bytes:literal, $sha256:literal)) => {
        Wheel {
            project: concat!("nvidia-cuda-", $project, "-cu12"),
            version: $version,
            file: concat!("nvidia_cuda_", $project, "_cu12-", $version, "-py3-none-", $tag, ".whl"),
            bytes: $bytes,
            sha256: $sha256,
            unpack: $unpack,
        }
    };
}

/// The release for one kind of machine, given the wheels for it.
macro_rules! release {
    ($name:ident, $pip_platform:literal, $libraries:ident,
     nvrtc $nvrtc:tt, runtime $runtime:tt, nvcc $nvcc:tt, cccl $cccl:tt) => {
        static $name: Release = Release {
            pip_platform: $pip_platform,
            compiler: Package {
                folder: "nvrtc-12.9.86",
                title: "NVRTC 12.9",
        wheels: &[wheel!("nvrtc" "12.9.86", $libraries.unpack, $nvrtc)],
                proof: $libraries.proof,
                links: $libraries.links,
            },
            headers: Package {
                folder: "headers-12.9",
                title: "CUDA headers 12.9",
                wheels: &[
            wheel!("runtime" "12.9.79", RUNTIME, $runtime),
            wheel!("nvcc" "12.9.86", NVCC, $nvcc),
            wheel!("cccl" "12.9.27", CCCL, $cccl),
                ],
                proof: HEADER_PROOF,
                links: &[],
            },
        };
    };
}

release!(
    LINUX_X86_64,
    "manylinux2014_x86_64",
    LINUX,
    nvrtc(
        "manylinux2010_x86_64.manylinux_2_12_x86_64",
        89568129,
        "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4"
    ),
    runtime(
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        3493179,
        "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3"
    ),
    nvcc(
        "manylinux2010_x86_64.manylinux_2_12_x86_64",
        40546229,
        "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0"
    ),
    cccl(
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        3152243,
        "37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117"
    )
);

release!(
    LINUX_AARCH64,
    "manylinux2014_aarch64",
    LINUX,
    nvrtc(
        "manylinux2014_aarch64.manylinux_2_17_aarch64",
        89000000,
        "096d4de6bda726415dfaf3198d4f5c522b8e70139c97feef5cd2ca6d4cd9cead"
    ),
    runtime(
        "manylinux2014_aarch64.manylinux_2_17_aarch64",
        3500000,
        "83469a846206f2a733db0c42e223589ab62fd2fabac4432d2f8802de4bded0a4"
    ),
    nvcc(
        "manylinux2014_aarch64.manylinux_2_17_aarch64",
        38000000,
        "44e1eca4d08926193a558d2434b1bf83d57b4d5743e0c431c0c83d51da1df62b"
    ),
    cccl(
        "manylinux2014_aarch64.manylinux_2_17_aarch64",
        3150000,
        "d7898b38aa68beaa234d48f0868273702342a196d6e2e9d0ef058dca2390ebea"
    )
);

release!(
    WINDOWS_X86_64,
    "win_amd64",
    WINDOWS,
    nvrtc("win_amd64", 76000000, "72972ebdcf504d69462d3bcd67e7b81edd25d0fb85a2c46d3ea3517666636349"),
    runtime("win_amd64", 3600000, "8e018af8fa02363876860388bd10ccb89eb9ab8fb0aa749aaf58430a9f7c4891"),
    nvcc("win_amd64", 35000000, "8ed7f0b17dea662755395be029376db3b94fed5cbb17c2d35cc866c5b1b84099"),
    cccl("win_amd64", 3150000, "72106f95a9bb3be18472806b4f663ebf0f9248a86d14b4ae3305725b855d9d92")
);

impl Release {
    /// Returns the pinned release for this machine; `None` if NVIDIA publishes no compiler for it.
    pub fn for_this_machine() -> Option<&'static Release> {
        match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => Some(&LINUX_X86_64),
            ("linux", "aarch64") => Some(&LINUX_AARCH64),
            ("windows", "x86_64") => Some(&WINDOWS_X86_64),
            _ => None,
        }
    }
}

impl Wheel<'_> {
    /// Returns where a file of the wheel goes in the package's folder; `None` if it is not kept.
    pub fn destination(&self, path_in_wheel: &str) -> Option<String> {
        self.unpack.iter().find_map(|(from, to)| {
            let rest = path_in_wheel.strip_prefix(from)?;
            // A prefix that is not a folder names one file.
            let kept =
                if from.ends_with('/') { !rest.is_empty() && !rest.ends_with('/') } else { rest.is_empty() };
            (kept && !rest.ends_with("__init__.py")).then(|| format!("{to}{rest}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const ALL: [&Release; 3] = [&LINUX_X86_64, &LINUX_AARCH64, &WINDOWS_X86_64];

    #[test]
    fn the_table_is_well_formed() {
        let mut hashes = HashSet::new();
        for release in ALL {
            for wheel in release.compiler.wheels.iter().chain(release.headers.wheels) {
                assert!(hashes.insert(wheel.sha256), "{} is there twice", wheel.sha256);
                assert_eq!(wheel.sha256.len(), 64);
                assert!(wheel.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
                let stem = wheel.project.replace('-', "_");
                assert!(
                    wheel.file.starts_with(&format!("{stem}-{}-py3-none-", wheel.version)),
                    "{}",
                    wheel.file
                );
                assert!(wheel.file.ends_with(".whl"));
                assert!(
                    wheel.file.contains(release.pip_platform.rsplit_once('_').map_or("", |(_, arch)| arch))
                );
            }
        }
    }

    #[test]
    fn only_what_is_needed_is_kept() {
        let nvrtc = &LINUX_X86_64.compiler.wheels[0];
        assert_eq!(
            nvrtc.destination("nvidia/cuda_nvrtc/lib/libnvrtc.so.12").as_deref(),
            Some("lib/libnvrtc.so.12")
        );
        assert_eq!(nvrtc.destination("nvidia/cuda_nvrtc/lib/libnvrtc.alt.so.12"), None);
        let nvcc = &LINUX_X86_64.headers.wheels[1];
        assert_eq!(nvcc.destination("nvidia/cuda_nvcc/bin/ptxas"), None);
        assert_eq!(
            nvcc.destination("nvidia/cuda_nvcc/include/crt/mma.h").as_deref(),
            Some("include/crt/mma.h")
        );
        assert_eq!(nvcc.destination("nvidia/cuda_nvcc/include/"), None);
        assert_eq!(nvcc.destination("nvidia/cuda_nvcc/include/__init__.py"), None);
    }
}
