//! Draws curves with their errors, as the pages of the experiments have them, from a table of commas on standard input:
//! `cargo run --example plot_csv -- TITLE < FILE.csv > FILE.svg`.
//!
//! The first line names the columns: the curve, what the horizontal axis counts (in powers of ten), what the vertical one does, and its
//! error. The lines of a curve stand together, from left to right. A line is drawn where both sides of a match are even, at 50.

use emilia::render::{Curve, Plot, Point, Scale};
use std::io::Read;

fn main() -> Result<(), String> {
    let title = std::env::args().nth(1).ok_or("expected the title of the picture")?;
    let mut table = String::new();
    std::io::stdin().read_to_string(&mut table).map_err(|error| error.to_string())?;
    let mut lines = table.lines().enumerate();
    let (_, header) = lines.next().ok_or("expected a line with the names of the columns")?;
    let [_, x_name, y_name, _] = columns(1, header)?;
    let mut curves: Vec<Curve> = Vec::new();
    for (i, line) in lines {
        let [name, x, y, error] = columns(i + 1, line)?;
        let number = |text: &str| text.parse::<f64>().map_err(|_| format!("line {}: '{text}' is no number", i + 1));
        let point = Point { x: number(x)?, y: number(y)?, error: Some(number(error)?) };
        match curves.last_mut().filter(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve::new(name, vec![point])),
        }
    }
    let plot = Plot { x_scale: Scale::Logarithmic, mark: Some(50.0), ..Plot::new(title, x_name, y_name, curves) };
    print!("{}", plot.svg());
    Ok(())
}

/// The four columns of a line.
fn columns(line: usize, text: &str) -> Result<[&str; 4], String> {
    let all: Vec<&str> = text.split(',').collect();
    all.try_into().map_err(|all: Vec<&str>| format!("line {line}: expected 4 columns, found {}", all.len()))
}
