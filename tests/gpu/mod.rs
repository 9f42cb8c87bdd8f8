//! What only a machine with an NVIDIA GPU can show, and what one showed (`products`). Elsewhere each test that
//! needs one is ignored: `cargo test --test cases gpu:: -- --nocapture` on a machine with one runs all.

mod machine_code;
mod products;
mod samples;

use crate::{compiler, plain};
use gpulearn::gpu;
use gpulearn::judge::on_gpu::{Gpu, ValueOrigin};
use gpulearn::judge::{Options, Prepared};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let found = gpu::machine();
    let newer = found.is_ok() && gpu().capability() > (8, 0);
    let needs = |is_there: bool, name: &str, check: fn()| plain(name, check).with_ignored_flag(!is_there);
    vec![
        plain(
            "gpu::kernels_of_every_program_go_to_a_gpu_without_its_host_functions",
            machine_code::kernels_of_every_program_go_to_a_gpu_without_its_host_functions,
        ),
        plain(
            "gpu::products_of_warpgroups_are_the_hardwares",
            products::products_of_warpgroups_are_the_hardwares,
        ),
        needs(
            found.is_ok(),
            "gpu::samples_agree_with_the_simulator",
            samples::samples_agree_with_the_simulator,
        ),
        // The others are no newer than what the simulator runs kernels for.
        needs(
            newer,
            "gpu::kernels_that_go_wrong_on_the_gpu_alone_are_refused_there",
            kernels_that_go_wrong_on_the_gpu_alone_are_refused_there,
        ),
    ]
}

/// The GPU of this machine.
fn gpu() -> Gpu {
    let machine = gpu::machine().unwrap_or_else(|gpu_error| panic!("{gpu_error}"));
    let compiler = compiler().clone().for_driver(machine.driver.0, false).unwrap();
    Gpu::first(machine, compiler)
}

/// The verdict on a kernel for `map` that does something else on the GPU, which is newer than what
/// the simulator runs it for: its slug or `pass`, where the values come from, and what was said.
fn verdict(gpu: &Gpu, on_gpu: &str) -> (String, ValueOrigin, String) {
    let source = format!(
        "#include <assert.h>\nextern \"C\" __global__ void map(const float *in, float *out) {{\n  \
         int i = threadIdx.x;\n  out[i] = in[i] + 10;\n#if __CUDA_ARCH__ > 800\n  {on_gpu}\n#endif\n}}\n"
    );
    let course = gpulearn::lessons::course();
    let prepared = Prepared::new(course.lesson("map").unwrap(), &source, "map.cu", &gpu.compiler).unwrap();
    let (verdict, values) = prepared.verdict_on(&Options::default(), gpu).unwrap();
    let slug = verdict.result.as_ref().map_or_else(|failure| failure.slug().to_owned(), |_| "pass".into());
    let said = format!("{:?}", verdict.result.err());
    (slug, values, said + &verdict.output)
}

fn kernels_that_go_wrong_on_the_gpu_alone_are_refused_there() {
    let gpu = gpu();
    for (code, slug, said) in [
        ("", "pass", ""),
        ("if (i == 0) printf(\"hello\\n\");", "pass", "hello"),
        ("if (i == 1) out[i] = 3;", "wrong-result", "out"),
        ("if (i == 1) out[i] = __int_as_float(-1);", "wrong-result", "NotANumber"),
        ("if (i == 1) out[1000] = 3;", "launch-error", "wrote 39"),
        ("((float *)in)[i] = 3;", "launch-error", "read-only"),
        ("*(float *)16 = 3;", "launch-error", "IllegalAddress"),
        ("__trap();", "launch-error", "cudaError"),
        ("assert(i > 100);", "launch-error", "cudaErrorAssert"),
        ("while (*(volatile const float *)in < 1e30f);", "launch-error", "cudaErrorLaunchTimeout"),
        // Nothing of what went before is left.
        ("", "pass", ""),
    ] {
        let (found, values, text) = verdict(&gpu, code);
        assert_eq!((found.as_str(), values), (slug, ValueOrigin::Gpu), "{code}: {text}");
        assert!(text.contains(said), "{code}: {text}");
    }
}
