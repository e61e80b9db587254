//! Icons as strokes: no glyphs, sharp at every size, coloured like the text beside them.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};
use std::f32::consts::TAU;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Check,
    /// A check inside a clock-like ring: fits, but slower.
    Slower,
    Cross,
    Question,
    Stop,
    Dice,
    Shuffle,
    Lock,
    Unlock,
    Swap,
    Grid,
    Gear,
    Keyboard,
    Sun,
    Moon,
    Plus,
    Reuse,
    ChevronDown,
    ChevronRight,
    Spark,
    Pencil,
    Picture,
    Meter,
    SidePanel,
    BottomPanel,
    Star,
    /// The same star, filled.
    Starred,
    Bin,
    Lens,
    Folder,
    Copy,
    Export,
    Pause,
    Play,
    Up,
    Down,
    First,
    Compare,
    Expand,
    Redo,
    Lines,
    Book,
}

impl Icon {
    /// Draws into the largest centred square of `rect`.
    pub fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let side = rect.width().min(rect.height());
        let square = Rect::from_center_size(rect.center(), vec2(side, side));
        // Coordinates are those of a 16-unit grid.
        let at = |x: f32, y: f32| square.min + vec2(x, y) * (side / 16.0);
        let unit = side / 16.0;
        let stroke = Stroke::new((1.6 * unit).max(1.2), color);
        let line = |points: &[(f32, f32)]| {
            painter.add(Shape::line(points.iter().map(|&(x, y)| at(x, y)).collect(), stroke));
        };
        let dot = |x: f32, y: f32, r: f32| {
            painter.circle_filled(at(x, y), r * unit, color);
        };
        let ring = |x: f32, y: f32, r: f32| {
            painter.circle_stroke(at(x, y), r * unit, stroke);
        };
        for points in self.strokes() {
            line(points);
        }
        match self {
            Self::Slower => ring(8.0, 8.0, 6.2),
            Self::Question => dot(8.0, 12.8, 1.0),
            Self::Stop => {
                painter.rect_filled(Rect::from_min_max(at(4.0, 4.0), at(12.0, 12.0)), 2.0 * unit, color);
            }
            Self::Dice => {
                let body = Rect::from_min_max(at(2.5, 2.5), at(13.5, 13.5));
                painter.rect_stroke(body, 2.5 * unit, stroke, StrokeKind::Middle);
                for (x, y) in [(5.6, 5.6), (10.4, 5.6), (8.0, 8.0), (5.6, 10.4), (10.4, 10.4)] {
                    dot(x, y, 1.05);
                }
            }
            Self::Lock | Self::Unlock => {
                let body = Rect::from_min_max(at(3.5, 7.5), at(12.5, 13.5));
                painter.rect_filled(body, 1.8 * unit, color);
                let shift = if self == Self::Lock { 0.0 } else { 4.2 };
                let mut arch = vec![at(5.2 + shift, 7.5)];
                arch.extend(arc(at(8.0 + shift, 5.0), 2.8 * unit, 0.5, 1.0));
                arch.push(at(10.8 + shift, if self == Self::Lock { 7.5 } else { 6.0 }));
                painter.add(Shape::line(arch, stroke));
            }
            Self::Grid => {
                for (x, y) in [(2.5, 2.5), (9.0, 2.5), (2.5, 9.0), (9.0, 9.0)] {
                    let cell = Rect::from_min_max(at(x, y), at(x + 4.5, y + 4.5));
                    painter.rect_stroke(cell, 1.2 * unit, stroke, StrokeKind::Middle);
                }
            }
            Self::Gear | Self::Sun => {
                let (hub, from, to) = if self == Self::Gear { (4.1, 4.6, 6.4) } else { (3.0, 5.0, 6.8) };
                ring(8.0, 8.0, hub);
                if self == Self::Gear {
                    dot(8.0, 8.0, 1.3);
                }
                for i in 0..8_u8 {
                    let turn = f32::from(i) / 8.0 * TAU;
                    let way = vec2(turn.cos(), turn.sin()) * unit;
                    painter.line_segment([at(8.0, 8.0) + way * from, at(8.0, 8.0) + way * to], stroke);
                }
            }
            Self::Keyboard => {
                let body = Rect::from_min_max(at(1.5, 4.0), at(14.5, 12.5));
                painter.rect_stroke(body, 2.0 * unit, stroke, StrokeKind::Middle);
                for x in [4.5, 8.0, 11.5] {
                    dot(x, 6.9, 0.85);
                }
            }
            Self::Moon => {
                // Where the two circles cross was worked out by hand; angles are in turns.
                let mut outline: Vec<Pos2> = arc(at(8.0, 8.0), 5.6 * unit, 0.0394, 0.7349).collect();
                outline.extend(arc(at(10.8, 5.6), 4.6 * unit, 0.621, 0.153));
                painter.add(Shape::closed_line(outline, stroke));
            }
            Self::Spark => spark(painter, &at, color),
            Self::Picture => {
                let body = Rect::from_min_max(at(1.8, 3.0), at(14.2, 13.0));
                painter.rect_stroke(body, 2.0 * unit, stroke, StrokeKind::Middle);
                dot(5.4, 6.3, 1.2);
            }
            Self::SidePanel | Self::BottomPanel => {
                let body = Rect::from_min_max(at(2.0, 3.0), at(14.0, 13.0));
                painter.rect_stroke(body, 2.0 * unit, stroke, StrokeKind::Middle);
                let part = if self == Self::SidePanel { (10.0, 3.0) } else { (2.0, 9.4) };
                let part = Rect::from_min_max(at(part.0, part.1), at(14.0, 13.0));
                painter.rect_filled(part, 1.6 * unit, color);
            }
            Self::Meter => {
                let body = Rect::from_min_max(at(1.8, 5.0), at(14.2, 11.0));
                painter.rect_stroke(body, 2.0 * unit, stroke, StrokeKind::Middle);
                painter.rect_filled(Rect::from_min_max(at(1.8, 5.0), at(8.5, 11.0)), 2.0 * unit, color);
            }
            Self::Star | Self::Starred => star(painter, &at, color, self == Self::Starred, stroke),
            Self::Lens => ring(6.8, 6.8, 4.3),
            Self::Copy => {
                let back = Rect::from_min_max(at(2.2, 2.2), at(10.2, 10.2));
                painter.rect_stroke(back, 1.6 * unit, stroke, StrokeKind::Middle);
                let front = Rect::from_min_max(at(5.8, 5.8), at(13.8, 13.8));
                painter.rect_filled(front, 1.6 * unit, color);
            }
            Self::Pause => {
                for x in [4.4, 9.2] {
                    painter.rect_filled(Rect::from_min_max(at(x, 3.4), at(x + 2.4, 12.6)), unit, color);
                }
            }
            Self::Play => {
                let triangle = vec![at(5.0, 3.2), at(12.8, 8.0), at(5.0, 12.8)];
                painter.add(Shape::convex_polygon(triangle, color, Stroke::NONE));
            }
            Self::Compare => {
                let body = Rect::from_min_max(at(2.0, 3.2), at(14.0, 12.8));
                painter.rect_stroke(body, 1.8 * unit, stroke, StrokeKind::Middle);
                painter.rect_filled(Rect::from_min_max(at(2.0, 3.2), at(8.0, 12.8)), 1.8 * unit, color);
            }
            _ => {}
        }
    }

    /// The icons that are lines, or the lines of those that are more.
    const fn strokes(self) -> &'static [&'static [(f32, f32)]] {
        match self {
            Self::Check => &[&[(3.0, 8.5), (6.5, 12.0), (13.0, 4.5)]],
            Self::Slower => &[&[(8.0, 4.4), (8.0, 8.0), (10.6, 9.6)]],
            Self::Cross => &[&[(4.0, 4.0), (12.0, 12.0)], &[(12.0, 4.0), (4.0, 12.0)]],
            Self::Question => {
                &[&[(5.2, 5.6), (5.8, 4.0), (8.0, 3.2), (10.2, 4.0), (10.8, 5.8), (9.6, 7.4), (8.0, 8.4), (8.0, 10.0)]]
            }
            Self::Shuffle => &[
                &[(2.0, 4.5), (4.5, 4.5), (9.5, 11.5), (13.5, 11.5)],
                &[(2.0, 11.5), (4.5, 11.5), (6.0, 9.4)],
                &[(8.0, 6.6), (9.5, 4.5), (13.5, 4.5)],
                &[(11.6, 2.4), (13.8, 4.5), (11.6, 6.6)],
                &[(11.6, 9.4), (13.8, 11.5), (11.6, 13.6)],
            ],
            Self::Swap => &[
                &[(3.0, 5.5), (13.0, 5.5)],
                &[(10.2, 2.8), (13.0, 5.5), (10.2, 8.2)],
                &[(13.0, 10.8), (3.0, 10.8)],
                &[(5.8, 8.1), (3.0, 10.8), (5.8, 13.5)],
            ],
            Self::Keyboard => &[&[(5.5, 9.9), (10.5, 9.9)]],
            Self::Plus => &[&[(8.0, 3.0), (8.0, 13.0)], &[(3.0, 8.0), (13.0, 8.0)]],
            Self::Reuse => &[
                &[(6.0, 3.5), (2.5, 7.0), (6.0, 10.5)],
                &[(2.5, 7.0), (9.5, 7.0), (12.6, 8.4), (13.5, 11.0), (13.0, 13.0)],
            ],
            Self::ChevronDown => &[&[(3.5, 6.0), (8.0, 10.5), (12.5, 6.0)]],
            Self::ChevronRight => &[&[(6.0, 3.5), (10.5, 8.0), (6.0, 12.5)]],
            Self::Picture => &[&[(2.4, 11.8), (6.0, 8.6), (8.6, 10.8), (10.6, 8.6), (13.6, 11.4)]],
            Self::Bin => &[
                &[(2.8, 4.4), (13.2, 4.4)],
                &[(6.2, 4.2), (6.6, 2.4), (9.4, 2.4), (9.8, 4.2)],
                &[(4.0, 4.6), (4.7, 13.6), (11.3, 13.6), (12.0, 4.6)],
                &[(6.8, 7.0), (7.0, 11.2)],
                &[(9.2, 7.0), (9.0, 11.2)],
            ],
            Self::Lens => &[&[(10.0, 10.0), (13.8, 13.8)]],
            Self::Folder => {
                &[&[(2.0, 12.8), (2.0, 3.6), (6.2, 3.6), (7.8, 5.4), (14.0, 5.4), (14.0, 12.8), (2.0, 12.8)]]
            }
            Self::Export => &[
                &[(8.0, 10.2), (8.0, 2.4)],
                &[(4.8, 5.4), (8.0, 2.2), (11.2, 5.4)],
                &[(2.6, 9.6), (2.6, 13.4), (13.4, 13.4), (13.4, 9.6)],
            ],
            Self::Up => &[&[(8.0, 13.0), (8.0, 3.4)], &[(4.2, 7.0), (8.0, 3.0), (11.8, 7.0)]],
            Self::Down => &[&[(8.0, 3.0), (8.0, 12.6)], &[(4.2, 9.0), (8.0, 13.0), (11.8, 9.0)]],
            Self::First => {
                &[&[(3.4, 2.6), (12.6, 2.6)], &[(8.0, 13.4), (8.0, 5.6)], &[(4.4, 9.0), (8.0, 5.4), (11.6, 9.0)]]
            }
            Self::Expand => &[
                &[(2.6, 6.0), (2.6, 2.6), (6.0, 2.6)],
                &[(10.0, 2.6), (13.4, 2.6), (13.4, 6.0)],
                &[(13.4, 10.0), (13.4, 13.4), (10.0, 13.4)],
                &[(6.0, 13.4), (2.6, 13.4), (2.6, 10.0)],
            ],
            Self::Redo => &[
                &[(10.0, 3.5), (13.5, 7.0), (10.0, 10.5)],
                &[(13.5, 7.0), (6.5, 7.0), (3.4, 8.4), (2.5, 11.0), (3.0, 13.0)],
            ],
            Self::Lines => &[
                &[(2.6, 3.6), (13.4, 3.6)],
                &[(2.6, 6.6), (10.4, 6.6)],
                &[(2.6, 9.6), (13.4, 9.6)],
                &[(2.6, 12.6), (8.4, 12.6)],
            ],
            Self::Book => &[
                &[(8.0, 4.2), (5.8, 2.8), (2.2, 2.8), (2.2, 12.4), (5.8, 12.4), (8.0, 13.6)],
                &[(8.0, 4.2), (10.2, 2.8), (13.8, 2.8), (13.8, 12.4), (10.2, 12.4), (8.0, 13.6)],
                &[(8.0, 4.2), (8.0, 13.4)],
            ],
            Self::Pencil => &[&[(3.0, 13.0), (4.0, 9.6), (10.8, 2.8), (13.2, 5.2), (6.4, 12.0), (3.0, 13.0)]],
            _ => &[],
        }
    }
}

/// A star of five points, filled as triangles around its centre because it is not convex.
fn star(painter: &Painter, at: &dyn Fn(f32, f32) -> Pos2, color: Color32, filled: bool, stroke: Stroke) {
    let points: Vec<Pos2> = (0..10_u8)
        .map(|i| {
            let radius = if i % 2 == 0 { 6.4 } else { 2.8 };
            let turn = (f32::from(i) / 10.0 - 0.25) * TAU;
            at(8.0 + radius * turn.cos(), 8.4 + radius * turn.sin())
        })
        .collect();
    if filled {
        for (index, point) in points.iter().enumerate() {
            let next = points[(index + 1) % points.len()];
            painter.add(Shape::convex_polygon(vec![at(8.0, 8.4), *point, next], color, Stroke::NONE));
        }
    }
    painter.add(Shape::closed_line(points, stroke));
}

/// A star of four points. It is not convex: it is filled as triangles around its centre.
fn spark(painter: &Painter, at: &dyn Fn(f32, f32) -> Pos2, color: Color32) {
    const STAR: [(f32, f32); 8] =
        [(8.0, 1.5), (9.5, 6.5), (14.5, 8.0), (9.5, 9.5), (8.0, 14.5), (6.5, 9.5), (1.5, 8.0), (6.5, 6.5)];
    for (index, a) in STAR.iter().enumerate() {
        let b = STAR[(index + 1) % STAR.len()];
        let triangle = vec![at(8.0, 8.0), at(a.0, a.1), at(b.0, b.1)];
        painter.add(Shape::convex_polygon(triangle, color, Stroke::NONE));
    }
}

/// Points along a circle from `from` to `to`, in turns, clockwise on screen; backwards where `to` is smaller.
fn arc(centre: Pos2, radius: f32, from: f32, to: f32) -> impl Iterator<Item = Pos2> {
    const STEPS: u8 = 18;
    (0..=STEPS).map(move |i| {
        let turn = (from + (to - from) * f32::from(i) / f32::from(STEPS)) * TAU;
        centre + vec2(turn.cos(), turn.sin()) * radius
    })
}

/// The mark as pixels, for the window's own icon: RGBA of one place of a `side` x `side` picture.
#[must_use]
pub fn mark_pixel(x: u32, y: u32, side: u32) -> [u8; 4] {
    const SUB: u32 = 4;
    let (mut ground, mut ink) = (0.0_f32, 0.0_f32);
    for sub in 0..SUB * SUB {
        let place = |at: u32, sub: u32| (at as f32 + (sub as f32 + 0.5) / SUB as f32) / side as f32;
        let (px, py) = (place(x, sub % SUB), place(y, sub / SUB));
        let inside = |left: f32, top: f32, right: f32, bottom: f32, corner: f32| {
            let dx = (left + corner - px).max(px - (right - corner)).max(0.0);
            let dy = (top + corner - py).max(py - (bottom - corner)).max(0.0);
            (dx * dx + dy * dy).sqrt() <= corner.max(1e-6)
        };
        let letter = inside(0.22, 0.22, 0.35, 0.78, 0.06)
            || inside(0.65, 0.22, 0.78, 0.78, 0.06)
            || (0.34..=0.66).contains(&px) && (0.53..=0.66).contains(&py)
            || inside(0.43, 0.255, 0.57, 0.325, 0.035);
        if letter {
            ink += 1.0;
        } else if inside(0.02, 0.02, 0.98, 0.98, 0.25) {
            ground += 1.0;
        }
    }
    let (accent, white) = super::theme::identity();
    let all = (ground + ink).max(1e-6);
    let mix = |a: u8, b: u8| ((f32::from(a) * ground + f32::from(b) * ink) / all).round() as u8;
    let alpha = (all / (SUB * SUB) as f32 * 255.0).round() as u8;
    [mix(accent.r(), white.r()), mix(accent.g(), white.g()), mix(accent.b(), white.b()), alpha]
}

/// The mark of the program: a vessel filled to a level, with room left under the line.
pub fn mark(painter: &Painter, rect: Rect, ground: Color32, ink: Color32) {
    let side = rect.width().min(rect.height());
    let square = Rect::from_center_size(rect.center(), vec2(side, side));
    let at = |x: f32, y: f32| square.min + vec2(x, y) * side;
    painter.rect_filled(square, side * 0.26, ground);
    let post = |x: f32| Rect::from_min_max(at(x, 0.22), at(x + 0.13, 0.78));
    painter.rect_filled(post(0.22), side * 0.06, ink);
    painter.rect_filled(post(0.65), side * 0.06, ink);
    let level = Rect::from_min_max(at(0.35, 0.53), at(0.65, 0.66));
    painter.rect_filled(level, 0.0, ink);
    let line = Rect::from_min_max(pos2(at(0.43, 0.0).x, at(0.0, 0.255).y), at(0.57, 0.325));
    painter.rect_filled(line, side * 0.035, ink.gamma_multiply(0.75));
}
