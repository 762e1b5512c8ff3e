//! The time of a step for one agent against the number of agents, as an SVG.

use super::report::Report;
use plotters::prelude::*;
use std::collections::BTreeMap;

const SIZE: (u32, u32) = (900, 560);
/// Height of a series' label, px.
const LABEL: i32 = 11;

/// The chart of a report. None where there is nothing to draw.
pub fn chart(report: &Report) -> Option<String> {
    let mut series: BTreeMap<(&str, &str), Vec<(f64, f64)>> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.agents > 0 && row.ns_per_agent > 0.0) {
        let points = series.entry((&row.bench, &row.state)).or_default();
        points.push((f64::from(row.agents), row.ns_per_agent));
    }
    series.values_mut().for_each(|points| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let all = || series.values().flatten();
    // Whole decades, which is where a logarithmic axis has its numbers.
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = (all().map(of).reduce(f64::min)?, all().map(of).reduce(f64::max)?);
        Some(10f64.powf(low.log10().floor())..10f64.powf(high.log10().floor() + 1.0))
    };
    let (agents, times) = (range(|point| point.0)?, range(|point| point.1)?);
    let mut svg = String::new();
    draw(&mut svg, &report.adapter, &series, agents, times).ok()?;
    Some(svg)
}

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw<'a>(
    svg: &'a mut String,
    adapter: &str,
    series: &BTreeMap<(&str, &str), Vec<(f64, f64)>>,
    agents: std::ops::Range<f64>,
    times: std::ops::Range<f64>,
) -> Drawn<'a> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("Time of a step for one agent, ns; {adapter}"), ("sans-serif", 15))
        .margin(12)
        .margin_right(150)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(agents.log_scale(), times.log_scale())?;
    let number = |value: &f64| format!("{value}");
    let mut mesh = chart.configure_mesh();
    mesh.max_light_lines(0).bold_line_style(RGBColor(225, 225, 225));
    mesh.x_desc("agents").x_label_formatter(&number).y_label_formatter(&number).draw()?;
    let mut worlds: Vec<&str> = series.keys().map(|(world, _)| *world).collect();
    worlds.dedup();
    let mut labels = Vec::new();
    for ((world, state), points) in series {
        let color = Palette99::pick(worlds.iter().position(|name| name == world).unwrap_or(0));
        let style = color.mix(if *state == "fresh" { 0.45 } else { 1.0 }).stroke_width(2);
        chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, style.filled())))?;
        let label = |point| (chart.backend_coord(point), format!("{world}, {state}"));
        labels.extend(points.last().map(label));
    }
    // From the top down, each below the one before.
    labels.sort_by_key(|((_, y), _)| *y);
    let mut free = 0;
    for ((x, y), label) in labels {
        let y = free.max(y - 6);
        area.draw(&Text::new(label, (x + 8, y), ("sans-serif", LABEL)))?;
        free = y + LABEL;
    }
    area.present()
}
