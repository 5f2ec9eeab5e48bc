//! What the results of paired games say about two players.
//!
//! Every opening is played twice with the colours exchanged, and the two games of such a pair are not independent: they
//! share the opening. The unit of all errors is therefore the pair, with five possible results, 0 to 2 points in halves
//! (the pentanomial model of Michel Van den Bergh). Errors are half-widths of 95 % intervals in the normal
//! approximation.

use crate::othello::Outcome;
use serde::{Deserialize, Serialize};

/// The 97.5 % quantile of the normal distribution.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// One unit of normalised Elo: 800 / ln 10 points for one standard deviation of a game.
const NORMALIZED_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// How many pairs of games gave one player 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one pair, of which one player has this many half points, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The scores per game, 0 to 1, that the five counts stand for.
    pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// The mean score per game, 0 to 1, and the mean square of the deviations from it; `None` without a pair.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs();
        if pairs == 0 {
            return None;
        }
        let mean = self.expectation(|score| score);
        Some((mean, self.expectation(|score| (score - mean).powi(2))))
    }

    fn expectation(&self, f: impl Fn(f64) -> f64) -> f64 {
        let terms = self.0.iter().zip(Self::SCORES).map(|(&n, score)| n as f64 * f(score));
        terms.sum::<f64>() / self.pairs() as f64
    }

    /// What the pairs say if all of them are independent; `None` without a pair.
    pub fn estimate(&self) -> Option<Estimate> {
        let (mean, square) = self.moments()?;
        let pairs = self.pairs() as f64;
        // One pair less: the deviations are from the mean of the same sample.
        let variance = square * pairs / (pairs - 1.0).max(1.0);
        let standardized = |power: i32| self.expectation(|score| ((score - mean) / square.sqrt()).powi(power));
        // The deviation is of the sample too: the delta method, with skewness and kurtosis of a pair.
        let t = (mean - 0.5) / variance.sqrt();
        let spread = 1.0 - standardized(3) * t + (standardized(4) - 1.0) * t * t / 4.0;
        Some(Estimate::new(mean, variance, pairs, spread.max(0.0).sqrt()))
    }
}

/// The strength of one player against another, from their pairs.
///
/// The errors are `None` where the sample cannot tell: with fewer than two pairs, or if all pairs ended alike.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// Mean score per game, 0 to 1.
    pub score: f64,
    /// Error of the score.
    pub score_error: Option<f64>,
    /// Elo difference; infinite if one side won everything.
    pub elo: f64,
    /// Error of the Elo difference: half the width of the image of the score's interval, which is not symmetric.
    /// `None` also if the interval reaches 0 or 1.
    pub elo_error: Option<f64>,
    /// Normalised Elo: the score above one half in standard deviations of a single game, times 800 / ln 10. It does not
    /// depend on how many games are drawn or how balanced the openings are.
    pub normalized_elo: Option<f64>,
    /// Error of the normalised Elo.
    pub normalized_elo_error: Option<f64>,
    /// Likelihood of superiority: how probable it is that the player is the stronger one, 0 to 1.
    pub superiority: Option<f64>,
}

impl Estimate {
    /// An estimate from the mean score per game, the variance of a pair's score and the number of pairs. `normalized_spread`: the error
    /// of the score in deviations, as a multiple of what it were if the deviation were known.
    fn new(mean: f64, variance: f64, pairs: f64, normalized_spread: f64) -> Estimate {
        let known = pairs > 1.0 && variance > 0.0;
        let standard_error = (variance / pairs).sqrt();
        let error = Z95 * standard_error;
        let (low, high) = (mean - error, mean + error);
        let deviation_of_a_game = (2.0 * variance).sqrt();
        let when_known = |value: f64| known.then_some(value);
        Estimate {
            score: mean,
            score_error: when_known(error),
            elo: elo_of_score(mean),
            elo_error: (known && low > 0.0 && high < 1.0).then(|| (elo_of_score(high) - elo_of_score(low)) / 2.0),
            normalized_elo: when_known((mean - 0.5) / deviation_of_a_game * NORMALIZED_UNIT),
            normalized_elo_error: when_known(normalized_spread * error / deviation_of_a_game * NORMALIZED_UNIT),
            superiority: known.then(|| normal_cdf((mean - 0.5) / standard_error)),
        }
    }
}

/// The Elo difference at which a mean score, 0 to 1, is expected.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The mean score, 0 to 1, expected at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The normal distribution function, by its Taylor series about 0 (Marsaglia, *Evaluating the normal distribution*,
/// 2004).
fn normal_cdf(x: f64) -> f64 {
    // Beyond, the answer is 0 or 1 to double precision.
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut i) = (x, x, 1.0);
    loop {
        i += 2.0;
        term *= x * x / i;
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// A sample of numbers, kept as its size, sum and sum of squares.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct SampleMean {
    /// How many numbers.
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl SampleMean {
    /// Adds one number.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// The mean; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The error of the mean; `None` with fewer than two numbers, or if all are alike.
    pub fn error(&self) -> Option<f64> {
        let n = self.count as f64;
        let variance = (self.squares - self.sum * self.sum / n) / (n - 1.0);
        (variance > 0.0).then(|| Z95 * (variance / n).sqrt())
    }
}

/// Everything counted about one player's games against one opponent.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Finished pairs. Games whose partner is still missing count above only.
    pub pentanomial: Pentanomial,
    /// Final disc differences, averaged over each pair; only pairs of which both games were decided on the board, since
    /// the score of a forfeited game is a convention.
    pub discs: SampleMean,
}

impl Tally {
    /// Counts one game, apart from the pair it belongs to.
    pub fn add_game(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.losses += 1,
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, 0 to 1.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64)
    }

    /// Drawn games per game, 0 to 1.
    pub fn draw_rate(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
    }

    #[test]
    fn the_published_pairs_give_the_published_elo() {
        let estimate = Pentanomial([2242, 343, 4980, 381, 2838]).estimate().unwrap();
        assert_eq!(format!("{:+.2} ± {:.2}", estimate.elo, estimate.elo_error.unwrap()), "+19.84 ± 4.58");
        // Mean 5699.5 / 10784; standard error sqrt(0.121164 / 10783).
        close(estimate.score, 0.528_514, 1e-6);
        close(estimate.score_error.unwrap(), 0.006_569, 2e-6);
        close(estimate.superiority.unwrap(), 1.0, 1e-9);
    }

    #[test]
    fn ten_pairs_by_hand() {
        // Points per game: 0.25 once, 0.5 five times, 0.75 three times, 1 once. Sum 6, squares 0.0625 + 1.25 + 1.6875 + 1.
        let (mean, variance) = Pentanomial([0, 1, 5, 3, 1]).moments().unwrap();
        close(mean, 0.6, 1e-12);
        close(variance, 0.4 - 0.36, 1e-12);
        let estimate = Pentanomial([0, 1, 5, 3, 1]).estimate().unwrap();
        // The squares of the deviations add up to 0.4, so the variance is 0.4 / 9 and the standard error 1 / 15.
        close(estimate.score_error.unwrap(), Z95 / 15.0, 1e-12);
        // 0.1 above a half in units of sqrt(2 * 0.4 / 9), times 347.4356.
        close(estimate.normalized_elo.unwrap(), 116.533_4, 1e-3);
        // The error of the score in these units is 152.2676. The skewness is 0.002625 / 0.008, the kurtosis 0.0042625 / 0.0016, and t 0.474342:
        // 1 - 0.328125 t + 1.6640625 t^2 / 4 is 0.937960.
        close(estimate.normalized_elo_error.unwrap(), 147.468, 2e-3);
        // 0.1 is 1.5 standard errors.
        close(estimate.superiority.unwrap(), 0.933_19, 1e-5);
        close(estimate.elo, 70.437, 1e-3);
    }

    /// Intervals of many samples of one distribution, far from even: 95 % of them have the true value.
    #[test]
    fn the_interval_of_normalised_elo_covers_what_it_should() {
        let chances = [0.0, 0.0, 0.25, 0.0, 0.75];
        let truth = Pentanomial([0, 0, 1_000_000, 0, 3_000_000]).estimate().unwrap().normalized_elo.unwrap();
        let mut random = Random::new(43036);
        let covers = |_: &i32| {
            let mut pairs = Pentanomial::default();
            for _ in 0..200 {
                let mut drawn = random.below(1_000_000) as f64 / 1e6;
                let fell = chances.iter().position(|&chance| {
                    drawn -= chance;
                    drawn < 0.0
                });
                pairs.add(fell.unwrap_or(4));
            }
            let estimate = pairs.estimate().unwrap();
            (estimate.normalized_elo.unwrap() - truth).abs() < estimate.normalized_elo_error.unwrap()
        };
        let covered = (0..2000).filter(covers).count();
        assert!((1870..=1930).contains(&covered), "{covered} of 2000");
    }

    #[test]
    fn a_sample_that_cannot_tell_says_so() {
        assert_eq!(Pentanomial::default().estimate(), None);
        let shutout = Pentanomial([0, 0, 0, 0, 7]).estimate().unwrap();
        assert_eq!((shutout.elo, shutout.elo_error, shutout.superiority), (f64::INFINITY, None, None));
        let alike = Pentanomial([0, 0, 9, 0, 0]).estimate().unwrap();
        assert_eq!((alike.elo, alike.score_error, alike.normalized_elo), (0.0, None, None));
        let near = Pentanomial([0, 0, 1, 0, 1]).estimate().unwrap();
        assert!(near.score_error.is_some() && near.elo_error.is_none(), "the interval passes 1");
    }

    #[test]
    fn elo_and_score_undo_each_other() {
        close(score_of_elo(0.0), 0.5, 0.0);
        close(score_of_elo(400.0), 10.0 / 11.0, 1e-12);
        for elo in [-700.0, -35.0, 0.5, 120.0] {
            close(elo_of_score(score_of_elo(elo)), elo, 1e-9);
        }
    }

    #[test]
    fn the_normal_distribution_is_the_tabulated_one() {
        for (x, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_746), (-1.644_853_627, 0.05), (Z95, 0.975), (4.0, 0.999_968_329)]
        {
            close(normal_cdf(x), expected, 1e-9);
        }
        assert_eq!((normal_cdf(40.0), normal_cdf(-40.0)), (1.0, 0.0));
    }

    #[test]
    fn the_other_player_sees_the_mirror_image() {
        let [mine, theirs] = [[3, 1, 4, 1, 5], [5, 1, 4, 1, 3]].map(|counts| Pentanomial(counts).estimate().unwrap());
        close(mine.elo, -theirs.elo, 1e-9);
        close(mine.superiority.unwrap(), 1.0 - theirs.superiority.unwrap(), 1e-12);
    }

    #[test]
    fn a_sample_knows_its_error() {
        let mut sample = SampleMean::default();
        assert_eq!((sample.mean(), sample.error()), (None, None));
        for value in [2.0, 4.0, 4.0, 6.0] {
            sample.add(value);
        }
        assert_eq!(sample.mean(), Some(4.0));
        // Variance (4 + 0 + 0 + 4) / 3.
        close(sample.error().unwrap(), Z95 * (8.0 / 3.0 / 4.0f64).sqrt(), 1e-12);
    }

    #[test]
    fn two_numbers_have_an_error_and_one_has_none() {
        let mut sample = SampleMean::default();
        sample.add(1.0);
        assert_eq!((sample.mean(), sample.error()), (Some(1.0), None));
        sample.add(3.0);
        // Variance 2, of two numbers.
        close(sample.error().unwrap(), Z95, 1e-12);
        let mut alike = SampleMean::default();
        (0..3).for_each(|_| alike.add(51.0));
        assert_eq!((alike.mean(), alike.error()), (Some(51.0), None));
    }

    #[test]
    fn a_draw_is_half_a_point() {
        let mut tally = Tally::default();
        assert_eq!((tally.games(), tally.score(), tally.draw_rate()), (0, None, None));
        let outcomes = [(Outcome::Win, 3), (Outcome::Draw, 4), (Outcome::Loss, 1)];
        outcomes.iter().for_each(|&(outcome, times)| (0..times).for_each(|_| tally.add_game(outcome)));
        assert_eq!((tally.wins, tally.draws, tally.losses, tally.games()), (3, 4, 1, 8));
        assert_eq!((tally.score(), tally.draw_rate()), (Some(0.625), Some(0.5)));
    }
}
