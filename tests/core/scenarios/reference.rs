//! The arithmetic of the programs that the reports are about, in MiB, written anew from the formulas that their
//! maintainers published. It is here to reproduce the reports' own numbers beside this planner's answers.

/// Flat allowance for context, scheduler and fragmentation.
pub(super) const OVERHEAD: u64 = 2048;

/// What the report's program keeps in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offload {
    None,
    /// Blocks of the denoiser are streamed, the rest stays.
    Group,
    /// The text encoders are streamed, too.
    GroupAndEncoders,
    /// Whole modules are swapped: by far the slowest.
    Model,
}

/// Room of a discrete card: free memory without the larger of 2 GiB and a tenth.
pub(super) fn discrete_budget(free: u64, total: u64) -> u64 {
    free.saturating_sub((total / 10).max(2048))
}

/// Room of unified memory: a fifth stays free.
pub(super) fn unified_budget(free: u64, total: u64) -> u64 {
    free.saturating_sub((total / 5).max(2048))
}

/// Allowance for activations: linear in the area of the whole batch, less for a distilled model.
pub(super) fn runtime(width: u64, height: u64, batch: u64, distilled: bool) -> u64 {
    let area = (width * height * batch) as f64 / f64::from(1 << 20);
    let kind = if distilled { 0.85 } else { 1.0 };
    ((8192.0 * area.max(0.25) * kind) as u64).max(1024)
}

/// The ladder after the repair; without `encoders` known it has no rung that streams them.
pub(super) fn ladder(denoiser: u64, companions: u64, encoders: Option<u64>, runtime: u64, budget: u64) -> Offload {
    let floor = companions + runtime + OVERHEAD;
    if (denoiser + floor) * 100 <= budget * 85 {
        Offload::None
    } else if floor <= budget {
        Offload::Group
    } else if encoders.is_some_and(|encoders| streamed_floor(companions, encoders, runtime) <= budget) {
        Offload::GroupAndEncoders
    } else {
        Offload::Model
    }
}

/// What stays on the card where the text encoders are streamed: never less than nothing of the companions.
pub(super) fn streamed_floor(companions: u64, encoders: u64, runtime: u64) -> u64 {
    companions.saturating_sub(encoders) + runtime + OVERHEAD
}

/// The check at the click: an estimate no larger than what loading planned for is no verdict.
pub(super) fn refuses(runtime_now: u64, runtime_loaded: u64, overhead: u64, budget: u64) -> bool {
    runtime_now + overhead > budget && runtime_now > runtime_loaded
}

/// Free memory of a driver, with what its allocator keeps for reuse counted as free.
pub(super) fn credited(free: u64, reserved: Option<u64>, allocated: u64, total: u64) -> u64 {
    reserved.map_or(free, |reserved| (free + reserved.saturating_sub(allocated)).min(total))
}

/// GB with two decimals, as the message of the check prints them.
pub(super) fn gb(mib: u64) -> String {
    format!("{:.2} GB", mib as f64 / 1024.0)
}
