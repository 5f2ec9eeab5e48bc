//! Certificates of small boards, read by the checker that shares no code with what writes them.

#[path = "../../scripts/check_certificate.rs"]
mod check_certificate;

use check_certificate::check;
use emilia::lab::small_board::{AlphaBeta, Certificate, Shape, value};

fn certificate(shape: &Shape, solved_from: u32) -> (i32, Certificate) {
    let mut solver = AlphaBeta::new(shape, 14);
    let value = value(&mut solver, &shape.start());
    (value, Certificate::write(shape, &mut solver, value, solved_from).expect("the value holds"))
}

#[test]
fn certificates_are_accepted_and_others_refused() {
    for shape in Shape::all().iter().filter(|shape| shape.size() <= 24) {
        let (value, certificate) = certificate(shape, 8);
        assert_eq!(check(&certificate.text), Ok((value, certificate.leaves as u64)), "{}", shape.name);
        let text = |old: &str, new: &str| certificate.text.replacen(old, new, 1);
        for wrong in [value - 2, value + 2] {
            let other = text(&format!("value {value}\n"), &format!("value {wrong}\n"));
            assert!(check(&other).is_err(), "{}: {wrong}", shape.name);
        }
        assert!(check(&text("white\n", "0\nwhite\n")).is_err(), "a move too many");
        assert!(check(&text("-XO-", "-OX-")).is_err(), "another board");
        assert!(check(&certificate.text[..certificate.text.len() / 2]).is_err(), "half of it");
        let begin = certificate.text.find("white\n").unwrap() + 6;
        let mut bytes = certificate.text.clone().into_bytes();
        bytes[begin] = b'0';
        assert!(check(&String::from_utf8(bytes).unwrap()).is_err(), "{}: a corner of the usual board", shape.name);
    }
}

#[test]
fn a_value_that_does_not_hold_has_no_certificate() {
    let shape = &Shape::all()[0];
    let mut solver = AlphaBeta::new(shape, 14);
    let value = value(&mut solver, &shape.start());
    for wrong in [value - 2, value + 2] {
        assert!(Certificate::write(shape, &mut solver, wrong, 8).is_none());
    }
}

/// The certificates of the documentation for boards of these names, or of all.
fn documented_hold(names: &[&str]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/experiments/certificates");
    let all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let chosen =
        all.iter().filter(|path| names.is_empty() || names.iter().any(|name| path.file_stem().unwrap() == *name));
    let shown = chosen.map(|path| {
        let shown = check(&std::fs::read_to_string(path).unwrap());
        shown.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    assert!(shown.count() >= names.len().max(1));
}

#[test]
fn documented_certificates_of_small_boards_hold() {
    documented_hold(&["4x4", "4x6", "octagon-of-24"]);
}

#[test]
#[ignore = "takes minutes"]
fn all_documented_certificates_hold() {
    documented_hold(&[]);
}
