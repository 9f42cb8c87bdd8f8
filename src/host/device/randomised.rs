//! GPUs like a modelled one but with randomised costs: a program that prints these costs must have measured
//! them.

use super::model::Model;

/// Costs are multiplied or divided by a factor between `LEAST` and `MOST`, so they are never close to the
/// model's.
const LEAST: f64 = 1.3;
const MOST: f64 = 2.0;

/// The memory used by a context is a multiple of this size.
const PIECE_BYTES: u64 = 2 << 20;

impl Model {
    /// Returns the same GPU with other costs: those of a context, of calls that submit work and wait for it,
    /// and of copies, and another speed of computation. `draw` returns numbers distributed uniformly in 0..1.
    pub fn randomised(&self, draw: &mut dyn FnMut() -> f64) -> Model {
        let mut model = self.clone();
        let mut factor = || {
            // The direction and the magnitude of the change.
            let (side, far) = (draw() < 0.5, draw());
            let times = LEAST * (MOST / LEAST).powf(far);
            if side { times } else { times.recip() }
        };
        let (host, queue, transfer, gpu) =
            (&mut model.host, &mut model.queue, &mut model.transfer, &mut model.gpu);
        for ns in [
            &mut host.context_ns,
            &mut host.launch_ns,
            &mut host.copy_ns,
            &mut host.wake_ns,
            &mut queue.latency_ns,
            &mut transfer.latency_ns,
        ] {
            *ns = (*ns as f64 * factor()).round() as u64;
        }
        for gbps in [
            &mut transfer.pinned_to_device_gbps,
            &mut transfer.pinned_to_host_gbps,
            &mut transfer.pageable_to_device_gbps,
            &mut transfer.pageable_to_host_gbps,
        ] {
            *gbps *= factor();
        }
        gpu.clock_ghz *= factor();
        let context = &mut model.properties.context_bytes;
        *context = (*context as f64 * factor()) as u64 / PIECE_BYTES * PIECE_BYTES;
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_gpu_has_the_same_properties_and_other_costs() {
        for name in Model::names() {
            let model = Model::named(name).unwrap();
            let mut numbers = (0..).map(|n| f64::from(n * 37 % 100) / 100.0);
            let other = model.randomised(&mut || numbers.next().unwrap());
            assert_eq!((other.key, &other.properties.name), (model.key, &model.properties.name));
            for (its, usual) in [
                (other.host.context_ns as f64, model.host.context_ns as f64),
                (other.transfer.pinned_to_device_gbps, model.transfer.pinned_to_device_gbps),
                (other.gpu.clock_ghz, model.gpu.clock_ghz),
                (other.properties.context_bytes as f64, model.properties.context_bytes as f64),
            ] {
                let factor = its / usual;
                let times = factor.max(factor.recip());
                assert!((LEAST - 0.02..=MOST + 0.05).contains(&times), "{name}: {factor}");
            }
            assert_eq!(other.properties.context_bytes % PIECE_BYTES, 0);
        }
    }
}
