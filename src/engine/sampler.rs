//! Noise levels and the steps between them for flow matching.

/// Noise levels of a run, one more than its steps; the last is zero.
///
/// Evenly spaced from 1 to 1/n, moved by `shift` (diffusers `FlowMatchEulerDiscreteScheduler` as `ZImagePipeline`
/// sets it).
pub(crate) fn flow_sigmas(steps: u32, shift: f64) -> Vec<f32> {
    let n = f64::from(steps);
    (0..steps)
        .map(|i| {
            let sigma = (n - f64::from(i)) / n;
            (shift * sigma / (1.0 + (shift - 1.0) * sigma)) as f32
        })
        .chain(std::iter::once(0.0))
        .collect()
}

/// One Euler step in place: `latent += (next - sigma) * velocity`.
pub(crate) fn euler_step(latent: &mut [f32], velocity: &[f32], sigma: f32, next: f32) {
    for (x, &v) in latent.iter_mut().zip(velocity) {
        *x += (next - sigma) * v;
    }
}

/// Classifier-free guidance: `without + scale * (with - without)`, into `with`.
pub(crate) fn guide(with: &mut [f32], without: &[f32], scale: f32) {
    for (with, &without) in with.iter_mut().zip(without) {
        *with = without + scale * (*with - without);
    }
}
