//! The errors of an evaluator that a search corrects or counts with: how far the value of a shallow search is from that
//! of a deep one, and what static values of positions met in a search are too low by.

use crate::game::DISC;
use crate::othello::{Empties, Position};

/// The number of coefficients of one surface, and of the formula of the tempo.
pub const TERMS: usize = 6;
/// The largest coefficient, on either side of 0.
const LARGEST: f64 = 1e3;
/// Depths and empty squares, 0 to 60.
const RANGE: usize = 61;

/// The known errors of one evaluator, fitted by `emilia train probcut`.
///
/// The *deviation* is the standard deviation of the difference between a search's value and a shallower one's. For `e`
/// empty squares, a deep search of `D` plies and a shallow one of `d`, the logarithm of the deviation in discs is
///
/// ```text
/// c0 + c1 e/60 + c2 (e/60)² + c3 ln(1+d) + c4 ln(D−d) + c5 (e/60) ln(1+d)
/// ```
///
/// with one set of coefficients for deep searches that end in static evaluations and one for those that reach the end of
/// the game (`D = e`). The form is Emilia's own: positive everywhere, and linear in what is fitted.
///
/// The *tempo* is what a static value is too low by, in the mean, at the leaves of a search; where it is negative, the value
/// is too high. The side to move there has the best of several moves, and in Othello it matters who has the last one. For a
/// leaf with `e` empty squares the tempo
/// in discs is
///
/// ```text
/// t0 + t1 e/60 + t2 (e/60)² + t3 (e/60)³ ± (t4 + t5 e/60)          + if e is even, − if it is odd
/// ```
///
/// for at most [`MOST_EMPTIES_OF_LEAVES`]. Beyond, the positions of one ply are valued too high or too low together, so each number of empty
/// squares has a tempo of its own; 60 has that of 59, as no search ends there. A model may lack these: then 46 and 47 stand for them, by parity.
/// No tempo is more than 8 discs. With it, the values of searches of odd and of even depth agree in the mean.
///
/// The *spread* is how far the value of one position may err beside that of an ordinary one: the fewer moves both sides
/// have together, the farther. With `m` moves it is the following, but at least a half and at most 3:
///
/// ```text
/// (u / (m + 2))^k          u = 25.4 exp(−0.0009 (e − 37)²), what m + 2 is on average; k = 1 from 22 empty squares on, 0 up to 8
/// ```
///
/// Where it was measured: `docs/lab-notebook.md`, "Whose values err".
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorModel {
    midgame: [f64; TERMS],
    endgame: [f64; TERMS],
    /// Deviations in units of [`DISC`] by `e` and `D`, the shallow depth being [`shallow_depth`]'s.
    midgame_units: Box<[[i32; RANGE]; RANGE]>,
    endgame_units: Box<[i32; RANGE]>,
    tempo: [f64; TERMS],
    /// The tempo in discs of leaves with 48 to 59 empty squares, if it is known.
    first_plies: Option<[f64; FIRST_PLIES]>,
    tempo_units: Box<[i32; RANGE]>,
    /// The spread by empty squares and by the moves of both sides together.
    spreads: Box<[[u8; MOST_MOVES + 1]; RANGE]>,
}

/// The spread of an ordinary position.
pub const SPREAD_UNIT: u8 = 64;
/// More moves of both sides together count as this number.
const MOST_MOVES: usize = 63;

/// The most empty squares of leaves for which the tempo is a formula.
pub const MOST_EMPTIES_OF_LEAVES: u8 = 47;
/// The most empty squares of the positions that deviations, and the formula of the tempo by searches of five plies and more, are fitted to.
pub const MOST_EMPTIES_OF_FIT: u8 = MOST_EMPTIES_OF_LEAVES + 5;
/// How many numbers of empty squares have a tempo of their own: 48 to 59.
pub const FIRST_PLIES: usize = 59 - MOST_EMPTIES_OF_LEAVES as usize;

/// The terms that the coefficients of the formula of the tempo weigh.
pub fn tempo_terms(empties: Empties) -> [f64; TERMS] {
    let e = f64::from(empties.count()) / 60.0;
    let sign = if empties.count().is_multiple_of(2) { 1.0 } else { -1.0 };
    [1.0, e, e * e, e * e * e, sign, sign * e]
}

/// The terms that the coefficients of a deviation weigh.
pub fn terms(empties: Empties, deep: u8, shallow: u8) -> [f64; TERMS] {
    let e = f64::from(empties.count()) / 60.0;
    let seen = f64::from(1 + shallow).ln();
    let unseen = f64::from(deep.saturating_sub(shallow).max(1)).ln();
    [1.0, e, e * e, seen, unseen, e * seen]
}

/// The depth in plies of the shallow search that predicts one of `deep` plies: about half as deep, and of the same parity, because the
/// values of odd and of even depths differ by a tempo.
pub const fn shallow_depth(deep: u8) -> u8 {
    2 * (deep / 4) + deep % 2
}

/// The depth in plies of the shallow search that predicts one to the end of the game.
pub const fn shallow_depth_to_end(empties: Empties) -> u8 {
    let third = empties.count() / 3;
    third - (third % 2) + empties.count() % 2
}

impl ErrorModel {
    /// The number of coefficients of the deviations: those of the midgame, then those of the endgame.
    pub const OF_DEVIATIONS: usize = 2 * TERMS;
    /// The number of coefficients of a model: those of the deviations, those of the tempo, and the tempo of the first plies.
    pub const COEFFICIENTS: usize = 3 * TERMS + FIRST_PLIES;

    /// A model from its coefficients: those of the midgame, of the endgame, of the tempo, and the tempo of 48 to 59 empty squares. The last
    /// ones may be missing, and so may all of the tempo. `None` if their number is wrong or one is no number or beyond ±1000: sums of larger
    /// ones need not be finite.
    pub fn new(coefficients: &[f64]) -> Option<ErrorModel> {
        let (deviations, tempo) = coefficients.split_at_checked(ErrorModel::OF_DEVIATIONS)?;
        let of_surface = |part: &[f64]| <[f64; TERMS]>::try_from(part).ok();
        let (midgame, endgame) = (of_surface(&deviations[..TERMS])?, of_surface(&deviations[TERMS..])?);
        let (tempo, first_plies) = tempo.split_at_checked(TERMS).unwrap_or((tempo, &[]));
        let tempo = if tempo.is_empty() { [0.0; TERMS] } else { of_surface(tempo)? };
        let first_plies = if first_plies.is_empty() { None } else { Some(first_plies.try_into().ok()?) };
        if !coefficients.iter().all(|c| c.abs() <= LARGEST) {
            return None;
        }
        let mut midgame_units = Box::new([[0; RANGE]; RANGE]);
        let mut endgame_units = Box::new([0; RANGE]);
        let mut tempo_units = Box::new([0; RANGE]);
        let mut spreads = Box::new([[SPREAD_UNIT; MOST_MOVES + 1]; RANGE]);
        for e in Empties::MOST.and_fewer() {
            for deep in 0..RANGE {
                midgame_units[e.index()][deep] = units(&midgame, e, deep as u8, shallow_depth(deep as u8));
            }
            endgame_units[e.index()] = units(&endgame, e, e.count(), shallow_depth_to_end(e));
            let discs = tempo_of(&tempo, first_plies.as_ref(), e);
            for (moves, spread) in spreads[e.index()].iter_mut().enumerate() {
                *spread = spread_of(e, moves);
            }
            // No more than a corner's worth, whatever a fit extrapolates to.
            tempo_units[e.index()] = (discs.clamp(-8.0, 8.0) * f64::from(DISC)).round() as i32;
        }
        Some(ErrorModel { midgame, endgame, midgame_units, endgame_units, tempo, first_plies, tempo_units, spreads })
    }

    /// The coefficients, as [`ErrorModel::new`] takes them.
    pub fn coefficients(&self) -> Vec<f64> {
        let first_plies = self.first_plies.iter().flatten();
        [self.midgame, self.endgame, self.tempo].as_flattened().iter().chain(first_plies).copied().collect()
    }

    /// This model with another tempo of 48 to 59 empty squares, in discs. `None` as for [`ErrorModel::new`].
    pub fn with_first_plies(&self, first_plies: &[f64; FIRST_PLIES]) -> Option<ErrorModel> {
        ErrorModel::new(&[[self.midgame, self.endgame, self.tempo].as_flattened(), first_plies].concat())
    }

    /// The tempo of a leaf with `empties` empty squares, in units of [`DISC`].
    #[inline]
    pub fn tempo(&self, empties: Empties) -> i32 {
        self.tempo_units[empties.index()]
    }

    /// The deviation between searches of `deep` and of [`shallow_depth`]`(deep)` plies, in units of [`DISC`].
    #[inline]
    pub fn midgame(&self, empties: Empties, deep: u8) -> i32 {
        self.midgame_units[empties.index()][usize::from(deep).min(RANGE - 1)]
    }

    /// The deviation between the final result and a search of [`shallow_depth_to_end`]`(empties)` plies, in units of
    /// [`DISC`].
    #[inline]
    pub fn endgame(&self, empties: Empties) -> i32 {
        self.endgame_units[empties.index()]
    }

    /// How far the value of this position may err beside that of an ordinary one with as many empty squares, in [`SPREAD_UNIT`].
    #[inline]
    pub fn spread(&self, position: &Position) -> u8 {
        let moves = position.moves().count() + position.pass().moves().count();
        self.spreads[position.empty_count().index()][(moves as usize).min(MOST_MOVES)]
    }

    /// The deviation between the final result and a search of any depth short of the end, in units of [`DISC`].
    pub fn to_the_end(&self, empties: Empties, shallow: u8) -> i32 {
        units(&self.endgame, empties, empties.count(), shallow)
    }
}

/// The tempo of a leaf in discs.
fn tempo_of(tempo: &[f64; TERMS], first_plies: Option<&[f64; FIRST_PLIES]>, empties: Empties) -> f64 {
    let beyond = empties.count().saturating_sub(MOST_EMPTIES_OF_LEAVES);
    match first_plies {
        Some(first_plies) if beyond > 0 => first_plies[usize::from(beyond.min(FIRST_PLIES as u8)) - 1],
        // A cubic goes astray beyond its data, by more than two discs at the start of the game.
        _ => {
            let terms = tempo_terms(empties.after(beyond.next_multiple_of(2)));
            tempo.iter().zip(terms).map(|(c, term)| c * term).sum()
        }
    }
}

/// The spread with this number of moves of both sides together.
fn spread_of(empties: Empties, moves: usize) -> u8 {
    let e = f64::from(empties.count());
    let ordinary = 25.4 * (-0.0009 * (e - 37.0).powi(2)).exp();
    let power = ((e - 8.0) / 14.0).clamp(0.0, 1.0);
    let spread = (ordinary / (moves as f64 + 2.0)).powf(power).clamp(0.5, 3.0);
    (spread * f64::from(SPREAD_UNIT)).round() as u8
}

/// The deviation that a surface says, in units of [`DISC`].
fn units(surface: &[f64; TERMS], empties: Empties, deep: u8, shallow: u8) -> i32 {
    let log = surface.iter().zip(terms(empties, deep, shallow)).map(|(c, term)| c * term).sum::<f64>();
    // Between a tenth of a disc and the whole board, whatever a fit extrapolates to.
    (log.exp().clamp(0.1, 64.0) * f64::from(DISC)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::obf::ObfEntry;

    #[test]
    fn the_surface_is_what_its_formula_says() {
        let mut coefficients = [0.0; 3 * TERMS];
        (coefficients[0], coefficients[3], coefficients[TERMS]) = (5.0_f64.ln(), -0.5, 3.0_f64.ln());
        let model = ErrorModel::new(&coefficients).unwrap();
        let empties = |count| Empties::new(count).unwrap();
        // Depth 8 is judged by depth 4: 5 discs / √5.
        assert_eq!(model.midgame(empties(30), 8), (5.0 / 5.0_f64.sqrt() * f64::from(DISC)).round() as i32);
        assert_eq!(model.endgame(empties(20)), 3 * DISC);
        assert_eq!(model.coefficients(), coefficients);
        assert_eq!(ErrorModel::new(&coefficients[..ErrorModel::OF_DEVIATIONS]).unwrap(), model);
        assert_eq!(model.tempo(empties(20)), 0);
        (coefficients[2 * TERMS], coefficients[2 * TERMS + 5]) = (1.5, -3.0);
        let model = ErrorModel::new(&coefficients).unwrap();
        assert_eq!(
            [model.tempo(empties(20)), model.tempo(empties(21))],
            [DISC / 2, (2.55 * f64::from(DISC)).round() as i32]
        );
        assert_eq!([60, 48, 49].map(|e| model.tempo(empties(e))), [46, 46, 47].map(|e| model.tempo(empties(e))));
        let first_plies = std::array::from_fn(|ply| ply as f64 / 8.0);
        let with_first = model.with_first_plies(&first_plies).unwrap();
        assert_eq!(
            [48, 49, 59, 60].map(|e| with_first.tempo(empties(e))),
            [0, 1, 11, 11].map(|eighths| eighths * DISC / 8)
        );
        assert!((0..=47).all(|e| with_first.tempo(empties(e)) == model.tempo(empties(e))));
        assert_eq!(ErrorModel::new(&with_first.coefficients()).unwrap(), with_first);
    }

    #[test]
    fn shallow_searches_are_shallower_and_of_the_same_parity() {
        for deep in 3..60 {
            for shallow in [shallow_depth(deep), shallow_depth_to_end(Empties::new(deep).unwrap())] {
                assert!(shallow < deep && shallow % 2 == deep % 2, "{shallow} for {deep}");
            }
        }
    }

    #[test]
    fn values_with_few_moves_err_most() {
        let spread = |empties, moves| spread_of(Empties::new(empties).unwrap(), moves);
        for (empties, moves, expected) in
            [(37, 23, 65), (37, 0, 192), (37, 63, 32), (15, 2, 130), (60, 8, 101), (8, 0, 64), (8, 63, 64)]
        {
            assert_eq!(spread(empties, moves), expected, "{empties} {moves}");
        }
        assert!((0..=60).all(|empties| (1..=MOST_MOVES).all(|m| spread(empties, m) <= spread(empties, m - 1))));
        let model = ErrorModel::new(&[0.0; ErrorModel::COEFFICIENTS]).unwrap();
        assert_eq!(model.spread(&Position::START), 101, "four moves of each side");
        let late = ObfEntry::parse("-XXXXXX--OOOOOX-OOOXOXX---XXXOXX--XXXXXXOOOOOOXX---XXO-X--X-OOO- X;").unwrap();
        assert_eq!(model.spread(&late.position), 63, "17 empty squares, nine moves and seven");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for count in (0..=ErrorModel::COEFFICIENTS + 1).filter(|count| ![12, 18, 30].contains(count)) {
            assert!(ErrorModel::new(&vec![0.0; count]).is_none());
        }
        for coefficient in [f64::NAN, f64::INFINITY, -1e308, 1001.0] {
            assert!(ErrorModel::new(&[coefficient; ErrorModel::COEFFICIENTS]).is_none());
        }
    }
}
