//! `plan` and `fitmap`: what would happen, on this computer or on another one.

use super::args::{FitmapArgs, PlanArgs};
use super::computer::{self, Computer};
use super::error::{CliError, Exit};
use super::json::PlanJson;
use super::{here, out, output, request, text};
use crate::hub;
use crate::machine::Machine;
use crate::model::Inventory;
use crate::planner::{CellVerdict, Decode, Device, Policy, Tier, fit_cell, plan};
use crate::recipe::{Recipe, Vocabulary};
use crate::units::PixelSize;
use serde::Serialize;
use std::sync::Arc;

/// Everything that a plan is made from.
struct Question {
    model: Arc<Inventory>,
    machine: Machine,
    policy: Policy,
}

impl Question {
    fn of(arguments: &PlanArgs) -> Result<Self, CliError> {
        let model = request::model(&arguments.order.reference())?;
        let elsewhere = arguments.machine.as_deref().map(hub::machine::open).transpose();
        let elsewhere = elsewhere.map_err(|error| CliError::open("machine file", &error))?;
        let simulated = request::simulated(&arguments.how)?;
        let mut policy = request::policy(&arguments.how, elsewhere.as_ref().or(simulated.as_ref()))?;
        let machine = if let Some(machine) = elsewhere {
            machine
        } else {
            // As a run does when it starts.
            let in_process = computer::in_process(&here::settings());
            policy.runtime = here::runtime();
            let folder = output::place(None)?;
            let own = here::machine(folder.folder());
            match simulated {
                Some(_) => {
                    Computer::new(own.cpu.threads, in_process, simulated).survey(folder.folder(), own.cpu.gflops)
                }
                None => own,
            }
        };
        Ok(Self { model, machine, policy })
    }

    /// `this computer, cpu` or `RTX 4090, Linux: RTX 4090`.
    fn place(&self) -> String {
        let device = match self.policy.device {
            Device::Cpu => "cpu",
            Device::Gpu(index) => self.machine.gpus.get(index).map_or("gpu", |gpu| gpu.name.as_str()),
        };
        format!("{}: {device}", self.machine.name)
    }
}

pub(super) fn run(arguments: &PlanArgs) -> Result<Exit, CliError> {
    let question = Question::of(arguments)?;
    let Question { model, machine, policy } = &question;
    let recipe = request::recipe(arguments.prompt.as_deref(), &arguments.order, &Vocabulary::of(model))?;
    let answer = plan(machine, model, &recipe, policy);
    if arguments.json {
        out::json(&PlanJson::from(&answer))?;
    } else {
        let size = recipe.size();
        out::result(format_args!("{} at {size} on {}\n{}", model.name, question.place(), text::plan(&answer)))?;
    }
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct MapJson<'a> {
    model: &'a str,
    machine: &'a str,
    cells: Vec<CellJson>,
}

#[derive(Serialize)]
struct CellJson {
    width: u32,
    height: u32,
    verdict: &'static str,
    tier: Option<&'static str>,
    decode: Option<&'static str>,
}

impl CellJson {
    fn new(size: PixelSize, cell: CellVerdict) -> Self {
        let (verdict, choice) = match cell {
            CellVerdict::Fits(choice) => ("fits", Some(choice)),
            CellVerdict::Short => ("short", None),
            CellVerdict::CannotTell => ("cannot_tell", None),
        };
        Self {
            width: size.width,
            height: size.height,
            verdict,
            tier: choice.map(|choice| choice.tier.name()),
            decode: choice.map(|choice| choice.decode.name()),
        }
    }
}

/// Sides of a map are few: a picture of them must fit on a screen.
const MAX_SIDES: usize = 256;

pub(super) fn fitmap(arguments: &FitmapArgs) -> Result<Exit, CliError> {
    let question = Question::of(&arguments.plan)?;
    let Question { model, machine, policy } = &question;
    let vocabulary = Vocabulary::of(model);
    let recipe = request::recipe(arguments.plan.prompt.as_deref(), &arguments.plan.order, &vocabulary)?;
    let sides = sides(arguments, &vocabulary)?;
    let cell = |width: u32, height: u32| {
        let recipe: Recipe = recipe.with_size(PixelSize::new(width, height), &vocabulary);
        (recipe.size(), fit_cell(machine, model, &recipe, policy))
    };
    if arguments.plan.json {
        let cells = sides.iter().flat_map(|&height| sides.iter().map(move |&width| (width, height)));
        let cells = cells.map(|(width, height)| {
            let (size, verdict) = cell(width, height);
            CellJson::new(size, verdict)
        });
        out::json(&MapJson { model: &model.name, machine: &machine.name, cells: cells.collect() })?;
        return Ok(Exit::Done);
    }
    let mut lines = vec![format!("{} on {}", model.name, question.place()), LEGEND.to_owned(), String::new()];
    for &height in sides.iter().rev() {
        let letters: Vec<String> = sides.iter().map(|&width| letter(cell(width, height).1).to_string()).collect();
        lines.push(format!("{height:>5} {}", letters.join(" ")));
    }
    if let (Some(first), Some(last)) = (sides.first(), sides.last()) {
        lines.push(format!("height, above widths from {first} to {last} in steps of {}", arguments.step));
    }
    out::result(lines.join("\n"))?;
    Ok(Exit::Done)
}

const LEGEND: &str = "R resident, P phased, S streamed, small letters with tiled decode, . does not fit, ? cannot tell";

const fn letter(cell: CellVerdict) -> char {
    match cell {
        CellVerdict::Short => '.',
        CellVerdict::CannotTell => '?',
        CellVerdict::Fits(choice) => {
            let letter = match choice.tier {
                Tier::Resident => 'R',
                Tier::Phased => 'P',
                Tier::Streamed => 'S',
            };
            match choice.decode {
                Decode::Whole | Decode::Banded => letter,
                Decode::Tiled => letter.to_ascii_lowercase(),
            }
        }
    }
}

fn sides(arguments: &FitmapArgs, vocabulary: &Vocabulary) -> Result<Vec<u32>, CliError> {
    let FitmapArgs { min, max, step, .. } = *arguments;
    let side = vocabulary.side;
    if step == 0 || min > max || !side.contains(min) || !side.contains(max) {
        return Err(CliError::usage(format!("no map from {min} to {max} in steps of {step}"))
            .hint(format!("sides lie between {} and {}, and the step is at least 1", side.min, side.max)));
    }
    let mut sides: Vec<u32> =
        (min..=max).step_by(step as usize).map(|at| vocabulary.snap(i64::from(at), i64::from(at)).width).collect();
    sides.dedup();
    if sides.len() > MAX_SIDES {
        return Err(CliError::usage(format!("a map of {0} x {0} cells is too large", sides.len()))
            .hint(format!("choose a larger `--step`: at most {MAX_SIDES} sides are shown")));
    }
    Ok(sides)
}
