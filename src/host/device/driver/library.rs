//! Calls of numerical libraries, forwarded to the libraries themselves.

use super::DriverGpus;
use crate::device::ElementType;
use crate::device::library::{
    Blas as BlasCall, Collective, CollectiveKind, Convolution, Fourier, FourierKind, FourierSide, Matrix,
    NCCL_TYPES, Reduce, Scalar, Vector,
};
use crate::device::{CudaError, DeviceId, Failure, Library, Result, Site};
use gpu::Failed;
use gpu::direct::library::{
    Blas, CollectiveCall, ConvolutionCall, Dnn, Fft, Nccl, Operand, Part, ScalarArgument, Shape,
    StridedVector, Transform, Type,
};
use gpu::direct::{Direct, Stream};
use sim::{Access, Act, Actor, Evidence, Finding, FindingKind};
use std::collections::{BTreeMap, HashMap};

/// `cublasComputeType_t`
const COMPUTE_16F: i32 = 64;
const COMPUTE_32F: i32 = 68;
const COMPUTE_64F: i32 = 70;
const COMPUTE_32I: i32 = 72;
const COMPUTE_32F_TF32: i32 = 77;

/// The libraries opened so far, and their state.
#[derive(Default)]
pub struct Libraries {
    blas: Option<Blas>,
    dnn: Option<Dnn>,
    fft: Option<Fft>,
    nccl: Option<Nccl>,
    /// NCCL's communicator handle of each rank, by communicator.
    ranks: HashMap<u32, Vec<usize>>,
    /// Parts of rounds whose other parts have not been enqueued yet.
    waiting: Vec<(Collective, Stream)>,
}

impl Libraries {
    /// Forgets what was created in a device's context, which no longer exists.
    pub fn forget(&mut self, device: DeviceId) {
        self.blas.iter_mut().for_each(|blas| blas.forget(device));
        self.dnn.iter_mut().for_each(|dnn| dnn.forget(device));
        self.fft.iter_mut().for_each(|fft| fft.forget(device));
        self.ranks.clear();
    }
}

fn type_of(element: ElementType) -> Result<Type> {
    Ok(match element {
        ElementType::F16 => Type::F16,
        ElementType::Bf16 => Type::BF16,
        ElementType::F32 => Type::F32,
        ElementType::F64 => Type::F64,
        ElementType::I8 => Type::I8,
        ElementType::U8 => Type::U8,
        ElementType::I32 => Type::I32,
        ElementType::I64 | ElementType::U32 | ElementType::U64 => return Err(CudaError::InvalidValue.into()),
    })
}

fn small(number: u64) -> Result<i32> {
    i32::try_from(number).map_err(|_| CudaError::InvalidValue.into())
}

fn factor(scalar: Scalar) -> ScalarArgument {
    match scalar {
        Scalar::Value(value) => ScalarArgument::Value(value),
        Scalar::At(address, _) => ScalarArgument::At(address.0),
    }
}

fn operand(matrix: &Matrix) -> Result<Operand> {
    Ok(Operand {
        at: matrix.at.0,
        ty: type_of(matrix.element)?,
        rows: small(matrix.rows)?,
        columns: small(matrix.columns)?,
        leading: small(matrix.leading)?,
        stride: matrix.stride,
        transposed: matrix.transposed,
    })
}

fn strided_vector(vector: &Vector) -> Result<StridedVector> {
    let step = i32::try_from(vector.step).map_err(|_| CudaError::InvalidValue)?;
    Ok(StridedVector { at: vector.at.0, ty: type_of(vector.element)?, length: small(vector.length)?, step })
}

fn vectors(x: &Vector, y: &Vector) -> Result<[StridedVector; 2]> {
    Ok([strided_vector(x)?, strided_vector(y)?])
}

fn four(numbers: [u64; 4]) -> Result<[i32; 4]> {
    let [a, b, c, d] = numbers;
    Ok([small(a)?, small(b)?, small(c)?, small(d)?])
}

fn two(numbers: [u64; 2]) -> Result<[i32; 2]> {
    Ok([small(numbers[0])?, small(numbers[1])?])
}

/// `ncclDataType_t`
fn nccl_type(element: ElementType) -> i32 {
    NCCL_TYPES.iter().position(|its| *its == element).map_or(-1, |number| number as i32)
}

/// `ncclRedOp_t`
fn nccl_operation(reduce: Reduce) -> i32 {
    Reduce::ALL.iter().position(|its| *its == reduce).map_or(-1, |number| number as i32)
}

fn share(kind: CollectiveKind) -> CollectiveCall {
    match kind {
        CollectiveKind::AllReduce(op) => CollectiveCall::AllReduce { operation: nccl_operation(op) },
        CollectiveKind::Reduce { op, root } => {
            CollectiveCall::Reduce { operation: nccl_operation(op), root: root.cast_signed() }
        }
        CollectiveKind::Broadcast { root } => CollectiveCall::Broadcast { root: root.cast_signed() },
        CollectiveKind::ReduceScatter(op) => CollectiveCall::ReduceScatter { operation: nccl_operation(op) },
        CollectiveKind::AllGather => CollectiveCall::AllGather,
        CollectiveKind::Send { to } => CollectiveCall::Send { to: to.cast_signed() },
        CollectiveKind::Receive { from } => CollectiveCall::Receive { from: from.cast_signed() },
    }
}

/// Returns the device of each rank of a communicator, as far as the parts tell. A rank without a part is
/// assumed to use the device of the same number, as `ncclCommInitAll` does without a device list.
fn devices(parts: &[(Collective, Stream)], communicator: u32) -> Vec<DeviceId> {
    let its = parts.iter().filter(|(part, _)| part.communicator == communicator);
    let known: BTreeMap<u32, DeviceId> = its.clone().map(|(part, _)| (part.rank, part.device)).collect();
    let ranks = its.map(|(part, _)| part.ranks).max().unwrap_or(0);
    (0..ranks).map(|rank| known.get(&rank).copied().unwrap_or(rank)).collect()
}

/// Returns whether every round that has begun has all its parts.
fn is_complete(parts: &[(Collective, Stream)]) -> bool {
    let mut met: HashMap<_, u32> = HashMap::new();
    parts.iter().for_each(|(part, _)| *met.entry(part.meeting()).or_default() += 1);
    parts.iter().all(|(part, _)| met.get(&part.meeting()) == Some(&part.parts()))
}

impl DriverGpus {
    pub(super) fn call_library(&mut self, library: Library, stream: Stream) -> Result<()> {
        match library {
            Library::Blas(call) => {
                let open = |direct: &Direct| Blas::open(direct.machine().driver.0);
                self.with(
                    |libraries| &mut libraries.blas,
                    open,
                    |gpus, blas| {
                        gpus.ask(|direct| direct.enter(stream.device))?;
                        let done = call_blas(blas, &call, stream)?;
                        gpus.ask(|_| done)
                    },
                )
            }
            Library::Convolution(call) => {
                let call = convolution_call(&call)?;
                self.with(
                    |libraries| &mut libraries.dnn,
                    Dnn::open,
                    |gpus, dnn| gpus.ask(|direct| dnn.convolve(direct, stream, &call)),
                )
            }
            Library::Fourier(call) => {
                let call = transform(&call)?;
                self.with(
                    |libraries| &mut libraries.fft,
                    Fft::open,
                    |gpus, fft| gpus.ask(|direct| fft.transform(direct, stream, &call)),
                )
            }
            Library::Collective(part) => {
                self.libraries.waiting.push((part, stream));
                if is_complete(&self.libraries.waiting) { self.meet_all() } else { Ok(()) }
            }
        }
    }

    /// Uses a library, which is opened on its first use.
    fn with<L>(
        &mut self,
        place: fn(&mut Libraries) -> &mut Option<L>,
        open: impl FnOnce(&Direct) -> Result<L, Failed>,
        work: impl FnOnce(&mut DriverGpus, &mut L) -> Result<()>,
    ) -> Result<()> {
        let mut library = match place(&mut self.libraries).take() {
            Some(library) => library,
            None => open(&self.direct).map_err(|failed| Failure::Environment(failed.gpu_error().into()))?,
        };
        let done = work(self, &mut library);
        *place(&mut self.libraries) = Some(library);
        done
    }

    /// Submits all parts of the completed rounds to NCCL.
    fn meet_all(&mut self) -> Result<()> {
        let parts = std::mem::take(&mut self.libraries.waiting);
        let mut communicators: Vec<u32> = parts.iter().map(|(part, _)| part.communicator).collect();
        communicators.sort_unstable();
        communicators.dedup();
        self.with(
            |libraries| &mut libraries.nccl,
            Nccl::open,
            |gpus, nccl| communicators.into_iter().try_for_each(|number| gpus.meet_one(nccl, number, &parts)),
        )
    }

    fn meet_one(&mut self, nccl: &Nccl, communicator: u32, parts: &[(Collective, Stream)]) -> Result<()> {
        let ranks = match self.libraries.ranks.get(&communicator) {
            Some(ranks) => ranks.clone(),
            None => {
                let devices = devices(parts, communicator);
                let made = self.ask(|direct| nccl.ranks(direct, &devices))?;
                self.libraries.ranks.insert(communicator, made.clone());
                made
            }
        };
        let its = parts.iter().filter(|(part, _)| part.communicator == communicator);
        let its: Vec<Part> = its
            .map(|(part, stream)| Part {
                share: share(part.kind),
                send: part.send.0,
                receive: part.receive.0,
                count: part.count,
                data_type: nccl_type(part.element),
                rank: part.rank as usize,
                stream: *stream,
            })
            .collect();
        self.ask(|direct| nccl.together(direct, &ranks, &its))
    }

    /// Reports a deadlock if parts of an incomplete round are pending: later work would wait for them for
    /// ever.
    pub(super) fn check_rounds_complete(&mut self, site: &Site) -> Result<()> {
        let Some((part, _)) = self.libraries.waiting.first() else { return Ok(()) };
        let act = Act::Collective { rank: part.rank, ranks: part.ranks };
        let at = Access::by(Actor::Operation(act.into()), site.location.clone());
        let evidence = vec![Evidence::OtherRanksMissing];
        self.findings.push(Finding { evidence, ..Finding::new(FindingKind::CollectiveDeadlock, at) });
        Err(Failure::Ended)
    }
}

/// Makes a call of cuBLAS. The outer error: the call cannot be expressed in the library's types; the inner
/// result: what the library returned.
fn call_blas(blas: &mut Blas, call: &BlasCall, stream: Stream) -> Result<Result<(), Failed>> {
    Ok(match call {
        BlasCall::Axpy { alpha, x, y } => blas.axpy(stream, factor(*alpha), vectors(x, y)?),
        BlasCall::Scale { alpha, x } => blas.scale(stream, factor(*alpha), strided_vector(x)?),
        BlasCall::Copy { x, y } => blas.transfer(stream, vectors(x, y)?, false),
        BlasCall::Swap { x, y } => blas.transfer(stream, vectors(x, y)?, true),
        BlasCall::Dot { x, y, result } => blas.dot(stream, vectors(x, y)?, result.0),
        BlasCall::Norm { x, result } => blas.sum(stream, strided_vector(x)?, result.0, false),
        BlasCall::AbsSum { x, result } => blas.sum(stream, strided_vector(x)?, result.0, true),
        BlasCall::AbsMax { x, result, smallest } => {
            blas.extreme(stream, strided_vector(x)?, result.0, *smallest)
        }
        BlasCall::Gemv { alpha, a, x, beta, y } => {
            blas.gemv(stream, [factor(*alpha), factor(*beta)], operand(a)?, vectors(x, y)?)
        }
        BlasCall::Ger { alpha, x, y, a } => blas.ger(stream, factor(*alpha), vectors(x, y)?, operand(a)?),
        BlasCall::Gemm { alpha, a, b, beta, c, inner, batch, compute, tensor_cores } => {
            let kind = match compute {
                ElementType::F16 => COMPUTE_16F,
                ElementType::F64 => COMPUTE_64F,
                ElementType::I32 => COMPUTE_32I,
                _ if a.element == ElementType::F32 && *tensor_cores => COMPUTE_32F_TF32,
                _ => COMPUTE_32F,
            };
            let operands = [operand(a)?, operand(b)?, operand(c)?];
            let factors = [factor(*alpha), factor(*beta)];
            blas.gemm(stream, two([*inner, *batch])?, factors, operands, type_of(*compute)?, kind)
        }
        BlasCall::Geam { alpha, a, beta, b, c } => {
            let operands = [operand(a)?, operand(b)?, operand(c)?];
            blas.geam(stream, [factor(*alpha), factor(*beta)], operands)
        }
    })
}

/// Converts a transform to the arguments of `cufftPlanMany` and its exec call.
fn transform(call: &Fourier) -> Result<Transform> {
    let double = call.element == ElementType::F64;
    let (kind, direction) = match (call.kind, double) {
        (FourierKind::RealToComplex, false) => (0x2a, -1),
        (FourierKind::ComplexToReal, false) => (0x2c, 1),
        (FourierKind::Complex { inverse }, false) => (0x29, if inverse { 1 } else { -1 }),
        (FourierKind::RealToComplex, true) => (0x6a, -1),
        (FourierKind::ComplexToReal, true) => (0x6c, 1),
        (FourierKind::Complex { inverse }, true) => (0x69, if inverse { 1 } else { -1 }),
    };
    // Absent axes come first; the innermost axis is always present.
    let first = call.extents.iter().take(2).take_while(|extent| **extent == 1).count();
    let side = |side: &FourierSide| {
        // The storage extent of the outermost axis is ignored by cuFFT.
        let embed = [call.extents[0], side.embed[0], side.embed[1]];
        let embed = embed[first..].iter().map(|extent| small(*extent)).collect::<Result<_, _>>()?;
        Ok::<_, Failure>((embed, small(side.stride)?, small(side.distance)?))
    };
    let extents = call.extents[first..].iter().map(|extent| small(*extent)).collect::<Result<_, _>>()?;
    let sides = [side(&call.input)?, side(&call.output)?];
    let shape = Shape { kind, extents, batch: small(call.batch)?, sides };
    Ok(Transform { shape, input: call.input.at.0, output: call.output.at.0, direction })
}

fn convolution_call(call: &Convolution) -> Result<ConvolutionCall> {
    Ok(ConvolutionCall {
        ty: type_of(call.element)?,
        x: (call.x.0.0, four(call.x.1)?, four(call.x.2)?),
        y: (call.y.0.0, four(call.y.1)?, four(call.y.2)?),
        w: (call.w.0.0, four(call.w.1)?),
        padding: two(call.padding)?,
        stride: two(call.stride)?,
        dilation: two(call.dilation)?,
        groups: small(call.groups)?,
        flipped: call.flipped,
        alpha: call.alpha,
        beta: call.beta,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Address;

    fn part(kind: CollectiveKind, rank: u32, round: u64) -> (Collective, Stream) {
        let part = Collective {
            kind,
            communicator: 3,
            round,
            rank,
            ranks: 2,
            device: 1 - rank,
            send: Address(0),
            receive: Address(0),
            count: 1,
            element: ElementType::F32,
        };
        (part, Stream::legacy(rank))
    }

    #[test]
    fn a_group_is_complete_when_every_round_is() {
        let sum = CollectiveKind::AllReduce(Reduce::Sum);
        let mut parts = vec![part(sum, 0, 0), part(sum, 0, 1), part(sum, 1, 0)];
        assert!(!is_complete(&parts));
        parts.push(part(sum, 1, 1));
        assert!(is_complete(&parts));
        parts.push(part(CollectiveKind::Send { to: 1 }, 0, 0));
        assert!(!is_complete(&parts));
        parts.push(part(CollectiveKind::Receive { from: 0 }, 1, 0));
        assert!(is_complete(&parts));
        assert_eq!(devices(&parts, 3), [1, 0]);
    }

    #[test]
    fn numbers_of_elements_are_those_of_the_headers() {
        assert_eq!(
            [nccl_type(ElementType::I8), nccl_type(ElementType::F32), nccl_type(ElementType::Bf16)],
            [0, 7, 9]
        );
        assert_eq!(type_of(ElementType::Bf16).unwrap(), Type(14));
        assert_eq!(type_of(ElementType::F16).unwrap().of_sums(), Type::F32);
        assert!(type_of(ElementType::U64).is_err());
    }
}
