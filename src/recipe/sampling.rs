//! Samplers, schedules and noise: how they are called, and what a sampler costs.

/// How one step follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sampler {
    Euler,
    EulerAncestral,
    Heun,
    Dpm2,
    Dpm2Ancestral,
    Dpmpp2m,
    Dpmpp2mSde,
    Dpmpp3mSde,
    Dpmpp2sAncestral,
    DpmppSde,
    Lms,
    Ddim,
    UniPc,
    Lcm,
    Tcd,
    Deis,
    Ipndm,
    ResMultistep,
}

/// Name in files, name in A1111, then what else it is called by others.
type Names = (&'static str, &'static str, &'static [&'static str]);

impl Sampler {
    pub const ALL: [Self; 18] = [
        Self::Euler,
        Self::EulerAncestral,
        Self::Heun,
        Self::Dpm2,
        Self::Dpm2Ancestral,
        Self::Dpmpp2m,
        Self::Dpmpp2mSde,
        Self::Dpmpp3mSde,
        Self::Dpmpp2sAncestral,
        Self::DpmppSde,
        Self::Lms,
        Self::Ddim,
        Self::UniPc,
        Self::Lcm,
        Self::Tcd,
        Self::Deis,
        Self::Ipndm,
        Self::ResMultistep,
    ];

    const fn names(self) -> Names {
        match self {
            Self::Euler => ("euler", "Euler", &["k_euler"]),
            Self::EulerAncestral => ("euler_ancestral", "Euler a", &["euler_a", "k_euler_a"]),
            Self::Heun => ("heun", "Heun", &["k_heun"]),
            Self::Dpm2 => ("dpm_2", "DPM2", &["kdpm_2", "k_dpm_2"]),
            Self::Dpm2Ancestral => ("dpm_2_ancestral", "DPM2 a", &["kdpm_2_a", "k_dpm_2_a", "dpm2_a"]),
            Self::Dpmpp2m => ("dpmpp_2m", "DPM++ 2M", &["dpm++2m"]),
            Self::Dpmpp2mSde => ("dpmpp_2m_sde", "DPM++ 2M SDE", &["dpm++2m_sde", "dpmpp_2m_sde_gpu"]),
            Self::Dpmpp3mSde => ("dpmpp_3m_sde", "DPM++ 3M SDE", &["dpmpp_3m", "dpmpp_3m_sde_gpu"]),
            Self::Dpmpp2sAncestral => ("dpmpp_2s_ancestral", "DPM++ 2S a", &["dpm++2s_a", "dpmpp_2s"]),
            Self::DpmppSde => ("dpmpp_sde", "DPM++ SDE", &["dpmpp_sde_gpu"]),
            Self::Lms => ("lms", "LMS", &["k_lms"]),
            Self::Ddim => ("ddim", "DDIM", &["ddim_trailing"]),
            Self::UniPc => ("uni_pc", "UniPC", &[]),
            Self::Lcm => ("lcm", "LCM", &[]),
            Self::Tcd => ("tcd", "TCD", &[]),
            Self::Deis => ("deis", "DEIS", &[]),
            Self::Ipndm => ("ipndm", "IPNDM", &[]),
            Self::ResMultistep => ("res_multistep", "Res Multistep", &[]),
        }
    }

    /// The name on the command line and in files, which is ComfyUI's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// The name that A1111 and its readers know.
    #[must_use]
    pub const fn a1111_name(self) -> &'static str {
        self.names().1
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|sampler| is_called(sampler.names(), name))
    }

    /// A sampler with the schedule that older programs glue to its name: `DPM++ 2M Karras`, Invoke's `dpmpp_2m_k`,
    /// stable-diffusion.cpp's `euler_a discrete`.
    #[must_use]
    pub fn with_schedule(name: &str) -> Option<(Self, Option<Schedule>)> {
        let name = name.trim();
        if let Some(sampler) = Self::from_name(name) {
            return Some((sampler, None));
        }
        if let Some(sampler) = name.strip_suffix("_k").and_then(Self::from_name) {
            return Some((sampler, Some(Schedule::Karras)));
        }
        name.match_indices(' ').find_map(|(at, _)| {
            let (sampler, schedule) = name.split_at(at);
            Some((Self::from_name(sampler)?, Some(Schedule::from_name(schedule)?)))
        })
    }

    /// Whether a step needs nothing of the steps before it but where they led: such a run can go on from any step.
    #[must_use]
    pub const fn forgets(self) -> bool {
        matches!(
            self,
            Self::Euler
                | Self::EulerAncestral
                | Self::Heun
                | Self::Dpm2
                | Self::Dpm2Ancestral
                | Self::Dpmpp2sAncestral
                | Self::Ddim
                | Self::Lcm
                | Self::Tcd
        )
    }

    /// Latents that the sampler holds while the network runs, beyond the one that becomes the picture: earlier
    /// predictions, the point before a trial step.
    #[must_use]
    pub const fn held_latents(self) -> usize {
        match self {
            Self::Euler | Self::EulerAncestral | Self::Ddim | Self::Lcm | Self::Tcd => 0,
            Self::Dpm2
            | Self::Dpm2Ancestral
            | Self::Dpmpp2m
            | Self::Dpmpp2mSde
            | Self::Dpmpp2sAncestral
            | Self::ResMultistep => 1,
            Self::Heun | Self::Dpmpp3mSde | Self::DpmppSde | Self::Deis => 2,
            Self::Lms | Self::Ipndm => 3,
            Self::UniPc => 4,
        }
    }

    /// How often the network runs in `steps` steps, without the second pass of guidance.
    #[must_use]
    pub const fn evaluations(self, steps: u32) -> u32 {
        match self {
            // The last step, down to zero, needs no second look.
            Self::Heun | Self::Dpm2 | Self::Dpm2Ancestral | Self::Dpmpp2sAncestral | Self::DpmppSde => {
                (2 * steps).saturating_sub(1)
            }
            _ => steps,
        }
    }

    /// Whether a schedule gives one level more, of which the last but one is left out, as k-diffusion's users do for
    /// samplers that are not stable at the smallest noise levels.
    #[must_use]
    pub const fn skips_last_level(self) -> bool {
        matches!(self, Self::Dpm2 | Self::Dpm2Ancestral | Self::UniPc)
    }
}

/// Where the noise levels of the steps lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Evenly spaced times down to the last step (for flow: diffusers `FlowMatchEulerDiscreteScheduler`).
    Simple,
    /// Evenly spaced times from the noisiest to the cleanest that the model was trained on.
    Normal,
    /// Karras et al. 2022, equation 5 with rho 7.
    Karras,
    /// Evenly spaced logarithms of the noise level.
    Exponential,
    /// `Normal` with one level more, of which the last is left out.
    SgmUniform,
    /// Every so-many-th training time (diffusers' `leading`).
    DdimUniform,
    /// Quantiles of the distribution Beta(0.6, 0.6) (Lee et al. 2024).
    Beta,
    /// Even steps down to 1/40 of the noise, then quadratic ones (Genmo's Mochi).
    LinearQuadratic,
    /// Even arctangents of the noise level (Sabour et al. 2024, section 4.1).
    KlOptimal,
    /// Levels optimised for a family (Sabour et al. 2024), interpolated in the logarithm.
    AlignYourSteps,
}

impl Schedule {
    pub const ALL: [Self; 10] = [
        Self::Simple,
        Self::Normal,
        Self::Karras,
        Self::Exponential,
        Self::SgmUniform,
        Self::DdimUniform,
        Self::Beta,
        Self::LinearQuadratic,
        Self::KlOptimal,
        Self::AlignYourSteps,
    ];

    /// Those that say something for flow matching: the optimised levels are of other models.
    pub const FLOW: [Self; 9] = [
        Self::Simple,
        Self::Normal,
        Self::Karras,
        Self::Exponential,
        Self::SgmUniform,
        Self::DdimUniform,
        Self::Beta,
        Self::LinearQuadratic,
        Self::KlOptimal,
    ];

    const fn names(self) -> Names {
        match self {
            Self::Simple => ("simple", "Simple", &[]),
            Self::Normal => ("normal", "Normal", &["discrete", "uniform"]),
            Self::Karras => ("karras", "Karras", &[]),
            Self::Exponential => ("exponential", "Exponential", &[]),
            Self::SgmUniform => ("sgm_uniform", "SGM Uniform", &[]),
            Self::DdimUniform => ("ddim_uniform", "DDIM", &["ddim uniform"]),
            Self::Beta => ("beta", "Beta", &[]),
            Self::LinearQuadratic => ("linear_quadratic", "Linear Quadratic", &[]),
            Self::KlOptimal => ("kl_optimal", "KL Optimal", &[]),
            Self::AlignYourSteps => ("align_your_steps", "Align Your Steps", &["ays", "align-your-steps"]),
        }
    }

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// The name that A1111 and its readers know.
    #[must_use]
    pub const fn a1111_name(self) -> &'static str {
        self.names().1
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|schedule| is_called(schedule.names(), name))
    }
}

/// Whose random numbers a seed stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rng {
    /// PyTorch on the processor, as ComfyUI, InvokeAI and diffusers draw.
    #[default]
    Cpu,
    /// PyTorch on an Nvidia card, as A1111 draws with `NV` (and by default).
    Nv,
}

impl Rng {
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Nv];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Nv => "nv",
        }
    }

    /// The name that A1111 and its readers know.
    #[must_use]
    pub const fn a1111_name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Nv => "NV",
        }
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|rng| name.eq_ignore_ascii_case(rng.name()))
    }
}

fn is_called((own, foreign, others): Names, name: &str) -> bool {
    [own, foreign].iter().chain(others).any(|known| name.eq_ignore_ascii_case(known))
}
