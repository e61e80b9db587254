//! Plans in words, for people at a terminal.

use super::error::{CliError, Exit};
use super::json::{concession_name, unknown_name};
use crate::planner::{Answer, Choice, Plan, Remedy, Shortage, Verdict};
use crate::units::{Bytes, Secs};
use std::fmt::Write as _;

/// One line: `fits · resident · peak 5.21 of 13.80 GiB · about 40 s`.
pub(super) fn summary(answer: &Answer) -> String {
    let Answer { verdict, plan, .. } = answer;
    let mut parts = vec![match verdict {
        Verdict::Fits => "fits".to_owned(),
        Verdict::FitsWith(with) => {
            let names: Vec<&str> = with.iter().copied().map(concession_name).collect();
            format!("fits with: {}", names.join(", "))
        }
        Verdict::Short(short) => format!("does not fit: {}", shortage(short)),
        Verdict::CannotTell(unknown) => {
            let pools: Vec<String> =
                unknown.iter().map(|(pool, why)| format!("{} memory is {}", pool.name(), unknown_name(*why))).collect();
            format!("cannot tell: {}", pools.join(", "))
        }
    }];
    let Choice { tier, decode } = plan.choice;
    parts.push(format!("{}, decode {}", tier.name(), decode.name()));
    parts.push(peak(plan));
    parts.extend(plan.total_secs().map(|secs| format!("about {}", duration(secs))));
    parts.join(" · ")
}

fn peak(plan: &Plan) -> String {
    let pool = plan.main_pool();
    let peak = plan.peak(pool);
    match plan.budget(pool).and_then(|budget| budget.budget.known()) {
        Some(budget) => format!("peak {peak} of {budget} {} memory", pool.name()),
        None => format!("peak {peak} {} memory", pool.name()),
    }
}

fn shortage(short: &Shortage) -> String {
    let against = if short.hard { "the limit that you set" } else { "free memory" };
    format!("`{}` is {} short of {against} ({})", short.phase.name(), short.by, short.pool.name())
}

/// Whole seconds, minutes from two on.
pub(super) fn duration(Secs(secs): Secs) -> String {
    if secs < 10.0 {
        format!("{secs:.1} s")
    } else if secs < 120.0 {
        format!("{secs:.0} s")
    } else if secs < 7200.0 {
        format!("{:.0} min", secs / 60.0)
    } else {
        format!("{:.1} h", secs / 3600.0)
    }
}

/// The error of a refused run, with a hint for each remedy.
pub(super) fn refusal(answer: &Answer) -> CliError {
    let Verdict::Short(short) = &answer.verdict else { return CliError::new(Exit::Refused, "does not fit") };
    let mut error = CliError::new(Exit::Refused, format!("does not fit: {}", shortage(short)));
    for remedy in &answer.remedies {
        error = error.hint(remedy_words(remedy));
    }
    if answer.remedies.is_empty() {
        error = error.hint("no size of this shape fits: use a smaller model, or a computer with more memory");
    }
    if !short.hard {
        error = error.hint("`--force` draws it anyway");
    }
    error
}

pub(super) fn remedy_words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Size(size) => format!("`--size {size}` fits"),
        Remedy::Single => "`--batch 1` fits".to_owned(),
        Remedy::Choice(Choice { tier, decode }) => {
            format!("`--tier {} --decode {}` fits", tier.name(), decode.name())
        }
        Remedy::RaiseLimit(limit) => {
            format!("`--memory-limit {}MiB` fits", limit.get() / Bytes::mib(1).get())
        }
        Remedy::CloseOthers(bytes) => format!("close programs that hold {bytes}"),
        Remedy::GrowPagefile(bytes) => format!("let the pagefile grow by {bytes}"),
    }
}

/// The plan phase by phase, and the ladder.
pub(super) fn plan(answer: &Answer) -> String {
    let plan = &answer.plan;
    let mut text = summary(answer);
    text.push_str("\n\n");
    let mut line = |cells: [&str; 4]| {
        let [name, bytes, secs, terms] = cells;
        let line = format!("{name:<18}{bytes:>11}  {secs:>7}  {terms}");
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(["phase", "peak", "seconds", "of it"]);
    let pool = plan.main_pool();
    for need in &plan.phases {
        let terms = plan.pool_terms(need, pool);
        let mut named: Vec<_> = terms.iter().collect();
        named.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let words: Vec<String> = named.iter().take(3).map(|(term, bytes)| format!("{} {bytes}", term.name())).collect();
        let secs = plan.phase_secs(need.phase).map_or_else(|| "?".to_owned(), |Secs(secs)| format!("{secs:.1}"));
        line([need.phase.name(), &terms.total().to_string(), &secs, &words.join(", ")]);
    }
    text.push('\n');
    for rung in &answer.ladder {
        let fits = match rung.fits {
            Some(true) => "fits",
            Some(false) => "does not fit",
            None => "cannot tell",
        };
        let peak = rung.peaks.iter().find(|(known, _)| *known == pool).map(|(_, bytes)| *bytes).unwrap_or_default();
        let secs = rung.secs.map_or_else(String::new, |secs| format!(", {}", duration(secs)));
        let name = format!("{}, {}", rung.choice.tier.name(), rung.choice.decode.name());
        // Writing to a string cannot fail.
        writeln!(text, "{name:<18}{:>11}  {fits}{secs}", peak.to_string()).unwrap_or_default();
    }
    for remedy in &answer.remedies {
        writeln!(text, "\nhint: {}", remedy_words(remedy)).unwrap_or_default();
    }
    text.trim_end().to_owned()
}
