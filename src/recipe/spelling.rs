//! Samplers and schedules under the names that other programs give them.
//!
//! A1111 glued both into one name until 1.9 ("DPM++ 2M Karras"), stable-diffusion.cpp still does ("`euler_a` discrete"),
//! InvokeAI marks Karras with a `_k`. What is no name of ours under any spelling stays unknown: it is told, not guessed.

use super::{Sampler, Schedule};

/// Names of one sampler, each row as A1111, ComfyUI, stable-diffusion.cpp, InvokeAI, diffusers and `NovelAI` write it.
const SAMPLERS: &[&[&str]] = &[
    &["euler", "k_euler", "eulerdiscretescheduler", "flowmatcheulerdiscretescheduler", "euler flow match"],
    &["euler a", "euler_ancestral", "euler_a", "k_euler_a", "k_euler_ancestral", "eulerancestraldiscretescheduler"],
    &["heun", "k_heun", "heundiscretescheduler"],
    &["dpm2", "dpm_2", "kdpm_2", "k_dpm_2", "kdpm2discretescheduler"],
    &["dpm2 a", "dpm_2_ancestral", "kdpm_2_a", "k_dpm_2_a", "k_dpm_2_ancestral", "kdpm2ancestraldiscretescheduler"],
    &["dpm++ 2m", "dpmpp_2m", "dpm++2m", "k_dpmpp_2m", "dpmsolvermultistepscheduler"],
    &["dpm++ 2m sde", "dpmpp_2m_sde", "dpm++2m_sde", "dpmpp_2m_sde_gpu", "k_dpmpp_2m_sde"],
    &["dpm++ 3m sde", "dpmpp_3m_sde", "dpmpp_3m_sde_gpu", "dpmpp_3m", "k_dpmpp_3m_sde"],
    &["dpm++ 2s a", "dpmpp_2s_ancestral", "dpm++2s_a", "dpmpp_2s", "k_dpmpp_2s_a", "k_dpmpp_2s_ancestral"],
    &["dpm++ sde", "dpmpp_sde", "dpmpp_sde_gpu", "k_dpmpp_sde", "dpmsolversdescheduler"],
    &["lms", "k_lms", "lmsdiscretescheduler"],
    &["ddim", "ddim_trailing", "ddimscheduler"],
    &["unipc", "uni_pc", "unipcmultistepscheduler"],
    &["lcm", "lcmscheduler"],
    &["tcd", "tcdscheduler"],
    &["deis", "deismultistepscheduler"],
    &["ipndm"],
    &["ipndm_v"],
    &["plms", "pndm", "pndmscheduler"],
    &["res multistep", "res_multistep"],
];

/// Names of one schedule. "Automatic" is none of them: it means the model's own.
const SCHEDULES: &[&[&str]] = &[
    &["simple"],
    &["normal", "discrete", "default"],
    &["karras"],
    &["exponential"],
    &["sgm uniform", "sgm_uniform"],
    &["ddim", "ddim_uniform"],
    &["beta"],
    &["linear quadratic", "linear_quadratic"],
    &["kl optimal", "kl_optimal"],
    &["align your steps", "ays", "align_your_steps"],
];

/// The words at the end of a sampler's name that are a schedule of its own.
const GLUED: &[(&str, &str)] = &[
    (" karras", "karras"),
    (" exponential", "exponential"),
    (" sgm uniform", "sgm uniform"),
    (" simple", "simple"),
    (" discrete", "discrete"),
    (" ays", "ays"),
    (" beta", "beta"),
    ("_k", "karras"),
];

/// The sampler that `name` means, and the schedule where the name carries one.
#[must_use]
pub fn sampler(name: &str) -> (Option<Sampler>, Option<Schedule>) {
    let name = name.trim().to_lowercase();
    if let Some(sampler) = one(SAMPLERS, &name, Sampler::from_name) {
        return (Some(sampler), None);
    }
    let glued = GLUED.iter().find_map(|(tail, schedule)| Some((name.strip_suffix(tail)?, *schedule)));
    match glued {
        Some((head, tail)) => (one(SAMPLERS, head.trim(), Sampler::from_name), schedule(tail)),
        None => (None, None),
    }
}

/// The schedule that `name` means.
#[must_use]
pub fn schedule(name: &str) -> Option<Schedule> {
    one(SCHEDULES, &name.trim().to_lowercase(), Schedule::from_name)
}

/// Whether `name` leaves the choice to the model.
#[must_use]
pub fn is_automatic(name: &str) -> bool {
    matches!(name.trim().to_lowercase().as_str(), "" | "automatic" | "auto" | "undefined" | "none")
}

/// Ours by its own name, or by any other name in its row.
fn one<T>(rows: &[&[&str]], name: &str, known: impl Fn(&str) -> Option<T>) -> Option<T> {
    let row = rows.iter().find(|row| row.contains(&name));
    known(name).or_else(|| row?.iter().find_map(|spelling| known(spelling)))
}
