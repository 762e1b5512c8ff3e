//! `steerling sweep --plot`: a chart of one observable of a sweep's table, as an SVG.

use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const SIZE: (u32, u32) = (900, 560);
const TEXT: (&str, u32) = ("sans-serif", 13);
const SMALL: (&str, u32) = ("sans-serif", 11);
/// Colors that nearly everybody can tell apart (Okabe and Ito 2008, with gray in place of their yellow).
const COLORS: [RGBColor; MOST_LINES] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(160, 160, 160),
];
/// Most lines of a chart. With more values of the second key a map is drawn in place of lines.
pub const MOST_LINES: usize = 8;

/// Columns whose value at a point is that of its last row: how long it ran.
pub const OF_THE_END: [&str; 2] = ["step", "time"];

/// An axis: the values of a key, in order. If they are not numbers, their texts in the order of the points, and their indices as values.
struct Axis {
    name: String,
    values: Vec<f64>,
    texts: Option<Vec<String>>,
}

/// What is drawn: for each pair of values of x and y, the mean and standard deviation over all other keys.
struct Chart {
    observable: String,
    /// Does the observable count from the beginning of a run?
    cumulative: bool,
    x: Axis,
    y: Option<Axis>,
    /// Mean, standard deviation and number of points, by the indices of the values of x and y.
    means: BTreeMap<(usize, usize), (f64, f64, usize)>,
    /// Are points scattered, as in a Latin hypercube?
    scattered: bool,
    beside: Option<Curve>,
}

/// A curve to compare with.
pub struct Curve {
    /// What the legend calls it.
    name: String,
    points: Vec<(f64, f64)>,
}

/// Chart an observable over the first two keys other than `seed`, as SVG. A point's value is the mean of its rows, for a `cumulative`
/// observable its increase from the first row to the last, and for `step` and `time` that of the last row. Points with the same values of
/// these keys are averaged. `beside` is drawn only among lines, not on a map.
///
/// # Errors
/// What is missing, in words.
pub fn plot(
    table: &Path,
    keys: &[&str],
    scattered: bool,
    (observable, cumulative): (&str, bool),
    beside: Option<Curve>,
) -> Result<String, String> {
    let chart = Chart { beside, ..read(table, keys, scattered, (observable, cumulative))? };
    let mut svg = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        chart.draw(&area).and_then(|()| area.present()).map_err(|error| error.to_string())
    };
    drawn.map(|()| svg)
}

/// Read a curve from the first two columns of a CSV file with headings. It has the name of the file.
///
/// # Errors
/// What is wrong with it, in words.
pub fn curve(path: &Path) -> Result<Curve, String> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(|error| error.to_string())?;
    let numbers = |row: &csv::StringRecord| Some((row.get(0)?.parse().ok()?, row.get(1)?.parse().ok()?));
    // Values that the axes can hold.
    let drawable = |(x, y): &(f64, f64)| x.abs().max(y.abs()) <= f64::from(f32::MAX) && !x.is_nan() && !y.is_nan();
    let mut points = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line);
        let point =
            numbers(&row).filter(drawable).ok_or_else(|| format!("line {line}: expected two numbers, x and y"))?;
        points.push(point);
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if points.len() < 2 { Err("has fewer than two points".to_owned()) } else { Ok(Curve { name, points }) }
}

fn read(table: &Path, keys: &[&str], scattered: bool, (observable, cumulative): (&str, bool)) -> Result<Chart, String> {
    let mut reader = csv::Reader::from_path(table).map_err(|error| error.to_string())?;
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let observed = place(observable).ok_or_else(|| format!("the table has no column `{observable}`"))?;
    let keys: Vec<usize> = keys.iter().filter(|key| **key != "seed").take(2).filter_map(|key| place(key)).collect();
    let first = *keys.first().ok_or("nothing varies but the seed")?;
    // For each point: the values of the keys as text, and the observable in each of its rows.
    let mut points: BTreeMap<usize, ([String; 2], Vec<f64>)> = BTreeMap::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let Some(value) = row[observed].parse::<f64>().ok().filter(|value| value.is_finite()) else { continue };
        let texts = [row[first].to_owned(), keys.get(1).map_or(String::new(), |key| row[*key].to_owned())];
        let point = row[0].parse().map_err(|_| format!("has no point `{}`", &row[0]))?;
        points.entry(point).or_insert((texts, Vec::new())).1.push(value);
    }
    if points.is_empty() {
        return Err(format!("no point has a value of `{observable}`"));
    }
    let axis =
        |key: usize, which: usize| Axis::of(header[key].to_owned(), points.values().map(|point| &point.0[which]));
    let (x, y) = (axis(first, 0), keys.get(1).map(|key| axis(*key, 1)));
    let mut sums: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (texts, rows) in points.values() {
        let place = (x.index(&texts[0]), y.as_ref().map_or(0, |y| y.index(&texts[1])));
        let value = match rows[..] {
            [.., last] if OF_THE_END.contains(&observable) => last,
            [first, .., last] if cumulative => last - first,
            _ if cumulative => {
                return Err(format!("`{observable}` is counted between rows, and there is only one row"));
            }
            _ => rows.iter().sum::<f64>() / rows.len() as f64,
        };
        sums.entry(place).or_default().push(value);
    }
    let spread = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, (squares / (values.len().max(2) - 1) as f64).sqrt(), values.len())
    };
    let means = sums.into_iter().map(|(place, values)| (place, spread(values))).collect();
    Ok(Chart { observable: observable.to_owned(), cumulative, x, y, means, scattered, beside: None })
}

impl Axis {
    fn of<'a>(name: String, texts: impl Iterator<Item = &'a String>) -> Axis {
        let mut texts: Vec<String> = texts.cloned().collect();
        let mut values: Vec<f64> =
            texts.iter().filter_map(|text| text.parse().ok()).filter(|x: &f64| x.is_finite()).collect();
        if values.len() == texts.len() {
            values.sort_by(f64::total_cmp);
            values.dedup();
            return Axis { name, values, texts: None };
        }
        let mut known = BTreeSet::new();
        texts.retain(|text| known.insert(text.clone()));
        Axis { name, values: (0..texts.len()).map(|index| index as f64).collect(), texts: Some(texts) }
    }

    fn index(&self, text: &str) -> usize {
        let found = match &self.texts {
            Some(texts) => texts.iter().position(|known| known == text),
            None => text.parse().ok().and_then(|value: f64| self.values.iter().position(|known| *known == value)),
        };
        found.unwrap_or(0)
    }

    fn text(&self, index: usize) -> String {
        self.texts.as_ref().map_or_else(|| self.values[index].to_string(), |texts| texts[index].clone())
    }

    /// The label at a position of the axis, which is a sum of steps and so may be off by rounding.
    fn label(&self, value: f64) -> String {
        let near = |index: &usize| (value - *index as f64).abs() < 1e-6;
        match &self.texts {
            Some(texts) => (0..texts.len()).find(near).map_or(String::new(), |index| texts[index].clone()),
            None => (value as f32).to_string(),
        }
    }

    /// How many labels to ask for, at most: with texts one for each, and one between each two.
    fn labels(&self) -> usize {
        self.texts.as_ref().map_or(11, |texts| 2 * texts.len() + 1)
    }

    /// Where the cell of a value begins and ends: halfway to the next ones.
    fn cell(&self, index: usize) -> (f64, f64) {
        let values = &self.values;
        let half = |a: usize, b: usize| (values[b] - values[a]) / 2.0;
        let before = if index > 0 {
            half(index - 1, index)
        } else if values.len() > 1 {
            half(0, 1)
        } else {
            0.5
        };
        let after = if index + 1 < values.len() { half(index, index + 1) } else { before };
        (values[index] - before, values[index] + after)
    }

    /// The extent of the axis: for a map from the first cell to the last, else from the first value to the last with a margin.
    fn range(&self, cells: bool) -> std::ops::Range<f64> {
        let (first, last) = (self.values[0], self.values[self.values.len() - 1]);
        if cells {
            return self.cell(0).0..self.cell(self.values.len() - 1).1;
        }
        let margin = if last > first { 0.04 * (last - first) } else { 0.5 };
        first - margin..last + margin
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

impl Chart {
    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&WHITE)?;
        let (low, high) = self.bounds();
        match self.map_axis() {
            Some(y) => self.map(area, y, low, high),
            None => self.lines(area, low, high),
        }
    }

    /// The second axis of a map; `None` if lines are drawn.
    fn map_axis(&self) -> Option<&Axis> {
        self.y.as_ref().filter(|y| self.scattered || (y.texts.is_none() && y.values.len() > MOST_LINES))
    }

    /// The points of the curve `beside`, clipped to the x axis.
    fn curve(&self) -> Vec<(f64, f64)> {
        let range = self.x.range(false);
        let mut points = Vec::new();
        for ends in self.beside.iter().flat_map(|curve| curve.points.windows(2)) {
            let [(from, low), (to, high)] = [ends[0], ends[1]];
            let within = |x: f64| x.clamp(range.start, range.end);
            let at = |x: f64| if to == from { high } else { low + (high - low) * (x - from) / (to - from) };
            // A segment that lies wholly beyond one end of the axis is left out.
            if from.min(to) <= range.end && from.max(to) >= range.start {
                points.extend([from, to].map(|x| (within(x), at(within(x)))));
            }
        }
        points.dedup();
        points
    }

    /// The least and the largest value. Among lines that includes error bars and the curve `beside`.
    fn bounds(&self) -> (f64, f64) {
        let bar = if self.map_axis().is_some() { 0.0 } else { 1.0 };
        let ends = self.means.values().flat_map(|(mean, spread, _)| [mean - bar * spread, mean + bar * spread]);
        let ends = ends.chain(self.curve().into_iter().map(|(_, y)| y));
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
        if high > low { (low, high) } else { (low - 0.5, high + 0.5) }
    }

    fn caption(&self, bars: &str) -> String {
        let points = self.means.values().map(|(_, _, points)| *points);
        let mean = match (points.clone().min().unwrap_or(0), points.max().unwrap_or(0)) {
            (_, ..=1) => String::new(),
            (least, most) if least < most => format!("; mean of {least} to {most}{bars}"),
            (_, most) => format!("; mean of {most}{bars}"),
        };
        let counted = match &self.observable {
            _ if self.cumulative => " from the first row to the last",
            name if OF_THE_END.contains(&name.as_str()) => " of the last row",
            _ => "",
        };
        format!("{}{counted}{mean}", self.observable)
    }

    fn lines(&self, area: &Area<'_>, low: f64, high: f64) -> Drawn {
        let margin = 0.05 * (high - low);
        // Start the axis at zero if the values come near it, as shares do.
        let low = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low - margin };
        let mut chart = ChartBuilder::on(area)
            .caption(self.caption(", bars: standard deviation"), ("sans-serif", 15))
            .margin(12)
            .margin_right(20)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(self.x.range(false), low..high + margin)?;
        let (name, value) = (|x: &f64| self.x.label(*x), |y: &f64| (*y as f32).to_string());
        let mut mesh = chart.configure_mesh();
        mesh.max_light_lines(0).bold_line_style(RGBColor(225, 225, 225)).label_style(SMALL).axis_desc_style(TEXT);
        mesh.x_labels(self.x.labels());
        mesh.x_desc(&self.x.name).y_desc(&self.observable).x_label_formatter(&name).y_label_formatter(&value).draw()?;
        let width = 0.004 * (self.x.range(false).end - self.x.range(false).start);
        for line in 0..self.y.as_ref().map_or(1, |y| y.values.len()) {
            let of_line = self.means.iter().filter(|((_, y), _)| *y == line);
            let points: Vec<(f64, f64, f64)> =
                of_line.map(|((x, _), (mean, spread, _))| (self.x.values[*x], *mean, *spread)).collect();
            let style = COLORS[line % COLORS.len()].stroke_width(2);
            if !self.scattered && self.x.texts.is_none() {
                chart.draw_series(LineSeries::new(points.iter().map(|(x, y, _)| (*x, *y)), style))?;
            }
            let dots = chart.draw_series(points.iter().map(|(x, y, _)| Circle::new((*x, *y), 3, style.filled())))?;
            if self.y.is_some() || self.beside.is_some() {
                let of_line = self.y.as_ref().map(|y| format!("{} {}", short(&y.name), y.text(line)));
                dots.label(of_line.unwrap_or_else(|| self.observable.clone()));
                dots.legend(move |(x, y)| Circle::new((x + 8, y), 3, style.filled()));
            }
            for (x, mean, spread) in points.iter().filter(|(_, _, spread)| *spread > 0.0) {
                let [down, up] = [mean - spread, mean + spread];
                let bar = [
                    vec![(*x, down), (*x, up)],
                    vec![(x - width, down), (x + width, down)],
                    vec![(x - width, up), (x + width, up)],
                ];
                chart.draw_series(bar.into_iter().map(|ends| PathElement::new(ends, style.stroke_width(1))))?;
            }
        }
        if let Some(Curve { name, .. }) = &self.beside {
            let dashes = DashedLineSeries::new(self.curve(), 6, 4, BLACK.stroke_width(1));
            chart.draw_series(dashes)?.label(name).legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLACK));
        }
        if self.y.is_some() || self.beside.is_some() {
            let mut labels = chart.configure_series_labels();
            labels.label_font(SMALL).background_style(WHITE.mix(0.8)).border_style(RGBColor(200, 200, 200)).draw()?;
        }
        Ok(())
    }

    fn map(&self, area: &Area<'_>, y: &Axis, low: f64, high: f64) -> Drawn {
        let (picture, legend) = area.split_horizontally(SIZE.0 as i32 - 110);
        let color = |value: f64| ViridisRGB::get_color_normalized(value, low, high);
        let mut chart = ChartBuilder::on(&picture)
            .caption(self.caption(""), ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(self.x.range(!self.scattered), y.range(!self.scattered))?;
        let (name, names) = (|x: &f64| self.x.label(*x), |value: &f64| y.label(*value));
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh()
            .label_style(SMALL)
            .axis_desc_style(TEXT)
            .x_labels(self.x.labels())
            .y_labels(y.labels())
            .x_desc(&self.x.name)
            .y_desc(&y.name)
            .x_label_formatter(&name)
            .y_label_formatter(&names)
            .draw()?;
        for ((column, row), (mean, _, _)) in &self.means {
            if self.scattered {
                let place = (self.x.values[*column], y.values[*row]);
                chart.draw_series([Circle::new(place, 6, color(*mean).filled())])?;
            } else {
                let ((left, right), (down, up)) = (self.x.cell(*column), y.cell(*row));
                chart.draw_series([Rectangle::new([(left, down), (right, up)], color(*mean).filled())])?;
            }
        }
        let mut scale = ChartBuilder::on(&legend)
            .margin(12)
            .margin_top(40)
            .margin_bottom(56)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..1.0, low..high)?;
        let value = |y: &f64| (*y as f32).to_string();
        scale.configure_mesh().disable_mesh().label_style(SMALL).disable_x_axis().y_label_formatter(&value).draw()?;
        let step = (high - low) / 100.0;
        let pieces = (0..100).map(|piece| low + f64::from(piece) * step);
        scale.draw_series(
            pieces.map(|from| Rectangle::new([(0.0, from), (1.0, from + step)], color(from + step / 2.0).filled())),
        )?;
        Ok(())
    }
}

/// The last part of a dotted key.
fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}
