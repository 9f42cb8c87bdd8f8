#![doc = include_str!("README.md")]
//!
//! # How it is built
//!
//! PTX is lowered to decoded instructions over 32 lanes. Warps run in lockstep, blocks in parallel on the host,
//! and every access is passed to the observers that are enabled.
//!
//! - `lower`: translates the PTX tree to `code`, decoded instructions; arithmetic comes from `table`, one row per
//!   instruction, whose semantics are in `arith`.
//! - `engine`: executes code over the `lanes` of warps and the spaces of `memory`.
//! - `image`: what texture and surface objects describe, and what a texture fetch makes of texels.
//! - `checks`, `meter`, `advice`, `record`: observers of the engine's events; `record` keeps the run of one block,
//!   to be stepped through forwards and backwards.
//! - `machine`: the GPUs of a machine and their memory.
//! - `host`: the host part of a program, as one thread.
//! - [`kernel_code`], [`compiled`]: the interface to an emitter of machine code, for kernels and for host code.
//! - [`time`]: a model of how long the counted work would take on a GPU.
//! - [`Module`], [`Machine`], [`Device`] (a machine with a single GPU): the interface for callers.

mod advice;
mod arith;
mod checks;
mod class;
mod code;
mod counts;
mod cuda_error;
mod device;
mod dim3;
mod division;
mod engine;
mod evidence;
mod finding;
mod host;
mod image;
pub mod kernel_code;
mod lanes;
mod launch;
mod launch_limit;
mod limits;
mod lower;
mod machine;
mod matrix;
mod mbarrier;
mod memory;
mod memory_name;
mod meter;
mod module;
mod occupancy;
mod operation;
mod printf;
mod progress;
pub mod random;
mod record;
mod run_limit;
mod scalar;
mod table;
mod tensor_map;
pub mod time;
mod wgmma_op;
mod word;

pub use advice::{
    Advice, AdviceReport, BranchSide, Computed, Cost, CostUnit, Details, FloatOp, IndexOp, LineAccess,
    LineWork, NanCause, Observation, Picture, PictureKind, Profile, Reduction, ReductionPass, Split,
};
pub use arith::narrow;
pub use code::{GlobalVariable, HOST_VALUES, Waits};
pub use counts::{
    AtomicTrace, CACHE_BYTES, Class, Contention, Counts, ExtraInstructions, Flops, L2_BYTES, L2Traffic,
    LineTrace, LinesTouched, Pace, Traffic, WaitCounts,
};
pub use cuda_error::CudaError;
pub use device::Device;
pub use evidence::{
    BarrierPosition, BlockScope, BulkOperand, CaptureRule, ClusterMisuse, Distance, Evidence, FreedBy,
    HeldMemory, HostAllocator, HostBlockName, HostRelease, MissingFence, NotABlock, ProductRegister,
    SubmittedWork, TensorMisuse, Untimed, Use, WaitsFor, WarpDifference, WarpOperation, WrittenWhen,
};
pub use finding::{
    Access, AccessKind, Actor, AllocatedBy, Finding, FindingKind, HostPart, MemoryName, PointerParameter,
    Region, SourceLocation, Target,
};
pub use host::compiled;
pub use host::variables::VariableUsage;
pub use host::{
    BulkWork, Call, Environment, Fault, FaultKind, HostAllocation, HostBlock, HostBlockKind, HostLimits,
    HostMemory, HostThread, Stop, mark_at, marked,
};
pub use image::{
    AddressMode, Boundary, ChannelKind, Image, ImageMemory, ImageMisuse, ImageObject, ImageShape, Sampling,
    TexelFormat,
};
pub use launch::{
    Arg, Dim3, ExecutionOrder, LaunchConfig, LaunchError, LaunchRefusal, Options, Outcome, PolledMemory,
    Report, TouchedBuffer,
};
pub use limits::{
    BLOCK_THREADS, CLUSTER_BLOCKS, Extent, LARGE_CLUSTER_BLOCKS, LaunchLimit, PARAM_BYTES, SHARED_BYTES,
    check as check_launch, check_cluster, check_cooperative, check_local, check_opted_in,
};
pub use machine::{BufferInfo, Gpu, KernelLaunch, Machine};
pub use mbarrier::{
    MAX_COUNT as MBARRIER_COUNT, MAX_TX_COUNT as MBARRIER_TX_COUNT, Misuse as MbarrierMisuse,
};
pub use memory::bytes::ByteSet;
pub use memory::global::{Owner, POISON_WORD, PoolNumber};
pub use memory::local::LOCAL_LIMIT_BYTES;
pub use memory::{Address, LOCAL_WINDOW, SHARED_WINDOW, host_part, is_host_pageable};
pub use module::{KernelInfo, LoadError, Module, Unsupported};
pub use occupancy::{BlockNeeds, Limit, Multiprocessor, Occupancy};
pub use operation::{
    Act, CallPurpose, CopySide, CudaAllocation, CudaMemoryKind, CudaStatus, Function, GoneMemory, HandleKind,
    HostMemoryKind, Leakable, NamedDevice, Operation, Place, Pointee, Request, StreamName,
};
pub use printf::{ShortCalls, render as format_printf};
pub use progress::{Progress, Stage};
pub use record::{
    Flow, Frame, RecordRequest, RecordedStep, Recording, Register, Release, State, Stored, Symbols,
};
pub use run_limit::{LimitReached, RunLimit};
pub use tensor_map::{
    MAP_BYTES, MAX_RANK, MapCondition, TensorMap, TensorMapRefusal, TensorMapRequest, TensorType,
};
