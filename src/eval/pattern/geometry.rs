//! Which squares the patterns look at, and which of their configurations share a weight.
//!
//! A *family* is a list of squares. Its *instances* are the different sets of squares that the eight symmetries of the
//! board make of it; all of them use one table of weights. A *configuration* of an instance is what stands on its
//! squares, written as a number in balanced ternary: a square counts a power of three with a disc of the side to
//! move, the negated power with a disc of the other side, 0 if it is empty. So the configuration that the other side
//! sees is the negated number. The nearer a square is to the centre, the less it counts, and of two at one
//! distance the earlier in the list: discs turn there most often, and configurations of successive positions then stand
//! close together in memory.
//!
//! Where a symmetry maps a family's squares onto themselves, the configurations that it maps onto each other share one
//! weight. The *packed* weights are those without repetition: the numbers that are learned and stored.

use crate::othello::{Bitboard, Position, Square, Symmetry};
use std::sync::LazyLock;

/// The most squares of a pattern: a configuration is a 16-bit number.
pub const MOST_SQUARES: usize = 10;

/// The squares of a pattern, in the order in which a weights file has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// The name of the pattern.
    pub name: &'static str,
    squares: [u8; MOST_SQUARES],
    /// Which power of three each square counts in a configuration.
    powers: [u8; MOST_SQUARES],
    length: usize,
}

impl Family {
    /// A family from the names of its squares with one blank between them.
    const fn new(name: &'static str, squares: &str) -> Family {
        let text = squares.as_bytes();
        let mut family = Family { name, squares: [0; MOST_SQUARES], powers: [0; MOST_SQUARES], length: 0 };
        let mut at = 0;
        while at < text.len() {
            family.squares[family.length] = (text[at + 1] - b'1') * 8 + (text[at] - b'a');
            family.length += 1;
            at += 3;
        }
        let mut k = 0;
        while k < family.length {
            let mut other = 0;
            while other < family.length {
                let (own, distance) = (from_centre(family.squares[k]), from_centre(family.squares[other]));
                if distance < own || distance == own && other < k {
                    family.powers[k] += 1;
                }
                other += 1;
            }
            k += 1;
        }
        family
    }

    /// What a disc on square `k` counts in a configuration.
    pub(super) const fn power(&self, k: usize) -> u16 {
        3u16.pow(self.powers[k] as u32)
    }

    /// The pattern's squares.
    pub fn squares(&self) -> impl ExactSizeIterator<Item = Square> {
        self.squares[..self.length].iter().map(|&index| Square::from_low_bits(u32::from(index)))
    }

    /// The indices of its squares, 0 to 63.
    pub(super) const fn square_indices(&self) -> &[u8] {
        self.squares.split_at(self.length).0
    }

    /// How many configurations it has.
    pub const fn configurations(&self) -> usize {
        3usize.pow(self.length as u32)
    }

    /// The greatest number of a configuration; the least is its negative.
    pub const fn greatest(&self) -> usize {
        self.configurations() / 2
    }

    const fn set(&self) -> u64 {
        let mut set = 0;
        let mut k = 0;
        while k < self.length {
            set |= 1 << self.squares[k];
            k += 1;
        }
        set
    }

    /// The pattern's squares after a symmetry of the board, in the same order.
    const fn image(&self, symmetry: Symmetry) -> Family {
        let mut image = *self;
        let mut k = 0;
        while k < self.length {
            image.squares[k] = symmetry.board(Bitboard(1 << self.squares[k])).0.trailing_zeros() as u8;
            k += 1;
        }
        image
    }
}

/// How far a square is from the centre of the board, in half squares, squared.
const fn from_centre(square: u8) -> i32 {
    let (column, row) = (2 * (square % 8) as i32 - 7, 2 * (square / 8) as i32 - 7);
    column * column + row * row
}

/// The patterns. A weights file says which ones it was made for, so it is safe to change them.
///
/// Corner regions, edges with what lies behind them, and the straight lines of at least six squares. This began as the
/// class of 46 instances that Edax made usual and took in what lowered the error most (docs/training.md). The 64
/// instances fill the lanes of a [`State`](super::State).
pub const FAMILIES: [Family; 14] = [
    Family::new("corner 3x3", "a1 b1 a2 b2 c1 a3 c2 b3 c3"),
    Family::new("corner triangle", "a1 b1 a2 c1 a3 b2 d1 a4 e1 a5"),
    Family::new("corner 2x5", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    Family::new("edge and two X", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
    Family::new("edge and two behind", "a1 b1 c1 d1 e1 f1 g1 h1 c2 f2"),
    Family::new("edge and centre", "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2"),
    Family::new("edge and long diagonal", "a1 c1 d1 e1 f1 h1 c2 d2 b2 c3"),
    Family::new("two corners", "a1 b1 c1 f1 g1 h1 a2 b2 g2 h2"),
    Family::new("line 2", "a2 b2 c2 d2 e2 f2 g2 h2"),
    Family::new("line 3", "a3 b3 c3 d3 e3 f3 g3 h3"),
    Family::new("line 4", "a4 b4 c4 d4 e4 f4 g4 h4"),
    Family::new("diagonal 8 and two C", "a1 b2 c3 d4 e5 f6 g7 h8 b1 g8"),
    Family::new("diagonal 7 and corners", "a1 b1 c2 d3 e4 f5 g6 h7 h8"),
    Family::new("diagonal 6", "c1 d2 e3 f4 g5 h6"),
];

/// Number of mobilities of a side that are distinguished, 0 to 31; the few positions with more moves count as 31.
pub const MOBILITIES: usize = 32;

/// One place of a pattern on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The number of the instance's family in [`FAMILIES`].
    pub family: usize,
    /// The instance's squares, in the order of the family's.
    pub squares: Family,
}

/// A family has at most eight.
struct Images {
    images: [Family; 8],
    count: usize,
}

const fn images(family: &Family) -> Images {
    let mut found = Images { images: [*family; 8], count: 0 };
    let mut s = 0;
    while s < Symmetry::ALL.len() {
        let image = family.image(Symmetry::ALL[s]);
        let mut known = 0;
        while known < found.count && found.images[known].set() != image.set() {
            known += 1;
        }
        if known == found.count {
            found.images[found.count] = image;
            found.count += 1;
        }
        s += 1;
    }
    found
}

/// The first instance of every family, and their number at the end.
pub(super) const FIRST_INSTANCE: [usize; FAMILIES.len() + 1] = {
    let mut first = [0; FAMILIES.len() + 1];
    let mut f = 0;
    while f < FAMILIES.len() {
        first[f + 1] = first[f] + images(&FAMILIES[f]).count;
        f += 1;
    }
    first
};

/// How many patterns there are on the board.
pub const INSTANCES: usize = FIRST_INSTANCE[FAMILIES.len()];

/// Every instance, family by family.
pub static ALL_INSTANCES: [Instance; INSTANCES] = {
    let mut instances = [Instance { family: 0, squares: FAMILIES[0] }; INSTANCES];
    let mut f = 0;
    while f < FAMILIES.len() {
        let found = images(&FAMILIES[f]);
        let mut i = 0;
        while i < found.count {
            instances[FIRST_INSTANCE[f] + i] = Instance { family: f, squares: found.images[i] };
            i += 1;
        }
        f += 1;
    }
    instances
};

/// Which packed weight every configuration has. Within one phase the packed weights stand family by family; behind them
/// one for every pair of mobilities, and the constant.
#[derive(Debug)]
pub struct Sharing {
    /// The packed weights by family, and by the number of the configuration + [`Family::greatest`].
    packed: [Vec<u32>; FAMILIES.len()],
    /// The first packed weight of every family; that of the mobilities at the end.
    first: [u32; FAMILIES.len() + 1],
}

/// The number of a pair of mobilities among the weights of all pairs: how many squares the side to move can play, and how
/// many the other side could if it were to move.
#[inline]
pub fn mobility_pair(position: &Position) -> usize {
    let most = MOBILITIES as u32 - 1;
    let own = position.moves().count().min(most);
    let other = position.opponent_moves().count().min(most);
    own as usize * MOBILITIES + other as usize
}

static SHARING: LazyLock<Sharing> = LazyLock::new(Sharing::new);

impl Sharing {
    /// The one of [`FAMILIES`].
    pub fn get() -> &'static Sharing {
        &SHARING
    }

    fn new() -> Sharing {
        let mut first = [0; FAMILIES.len() + 1];
        let packed = std::array::from_fn(|f| {
            let (numbers, end) = share(&FAMILIES[f], first[f]);
            first[f + 1] = end;
            numbers
        });
        Sharing { packed, first }
    }

    /// The packed weights of one phase, the constant included.
    pub fn count(&self) -> usize {
        self.constant() + 1
    }

    /// The number of the constant's packed weight.
    pub fn constant(&self) -> usize {
        self.mobility().end
    }

    /// The packed weights of the mobilities, in the order of [`mobility_pair`].
    pub fn mobility(&self) -> std::ops::Range<usize> {
        let first = self.first[FAMILIES.len()] as usize;
        first..first + MOBILITIES * MOBILITIES
    }

    /// The packed weights of a family.
    pub fn range(&self, family: usize) -> std::ops::Range<usize> {
        self.first[family] as usize..self.first[family + 1] as usize
    }

    /// The packed weight of a configuration of a family.
    pub fn number(&self, family: usize, configuration: i16) -> u32 {
        let numbers = self.of_family(family);
        numbers[(numbers.len() / 2).wrapping_add_signed(configuration.into())]
    }

    /// The numbers of the packed weights of a family's configurations, from the least configuration to the greatest.
    pub fn of_family(&self, family: usize) -> &[u32] {
        &self.packed[family]
    }
}

/// Numbers the configurations of a family from `next` on, and says what comes after them. Those that a symmetry maps onto each other get one
/// number. They are numbered in the order of a weights file: as lists of digits, 0 for a disc of the other side, 1 for an empty square and 2 for
/// a disc of the side to move, the family's first square counting least.
fn share(family: &Family, mut next: u32) -> (Vec<u32>, u32) {
    let mirrors: Vec<Vec<u32>> = Symmetry::ALL
        .into_iter()
        .map(|symmetry| family.image(symmetry))
        .filter(|image| image.set() == family.set() && image != family)
        .map(|image| mirror(family, &image))
        .collect();
    let mut numbers = Vec::with_capacity(family.configurations());
    for list in 0..family.configurations() {
        let least = mirrors.iter().map(|mirror| mirror[list] as usize).min();
        // The symmetries are a group, so the least of the mirror images has been numbered before.
        match least.filter(|&least| least < list) {
            Some(least) => numbers.push(numbers[least]),
            None => {
                numbers.push(next);
                next += 1;
            }
        }
    }
    let mut by_configuration = vec![0; numbers.len()];
    for (configuration, number) in sums((0..family.length).map(|k| family.power(k).into())).into_iter().zip(numbers) {
        by_configuration[configuration as usize] = number;
    }
    (by_configuration, next)
}

/// For each list of digits 0 to 2, one for each square of `family`, the list read in the order of `image`. Lists are numbers whose first digit
/// counts least.
fn mirror(family: &Family, image: &Family) -> Vec<u32> {
    sums(image.square_indices().iter().map(|&square| {
        let place = family.square_indices().iter().position(|&s| s == square).expect("the same set of squares");
        3u32.pow(place as u32)
    }))
}

/// For each list of digits 0 to 2, the first one counting least: the sum of the weights, each as often as its digit says.
fn sums(weights: impl Iterator<Item = u32>) -> Vec<u32> {
    weights.fold(vec![0], |shorter, weight| {
        // Lists of one more digit: the ones so far with each value of it.
        (0..3).flat_map(|digit| shorter.iter().map(move |rest| rest + digit * weight)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instances_fill_the_lanes() {
        assert_eq!(INSTANCES, 64);
        let counts: Vec<usize> = FIRST_INSTANCE.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(counts, [4, 4, 8, 4, 4, 4, 8, 4, 4, 4, 4, 4, 4, 4]);
        for (i, instance) in ALL_INSTANCES.iter().enumerate() {
            assert_eq!(instance.squares.set().count_ones() as usize, FAMILIES[instance.family].length);
            let twins = ALL_INSTANCES.iter().filter(|other| other.squares.set() == instance.squares.set());
            assert_eq!(twins.count(), 1, "instance {i}");
        }
    }

    #[test]
    fn mirror_images_are_counted_once() {
        // 3^n for a family without a mirror image of its own; else half of it, with the configurations that are their own
        // mirror image counted whole. For the class of Edax these are the published sizes.
        let sharing = Sharing::get();
        let sizes: Vec<usize> = (0..FAMILIES.len()).map(|f| sharing.range(f).len()).collect();
        let expected = [10206, 29889, 59049, 29646, 29646, 29646, 59049, 29646, 3321, 3321, 3321, 29646, 9963, 378];
        assert_eq!(sizes, expected);
        assert_eq!(sharing.count(), expected.iter().sum::<usize>() + 1024 + 1);
        for (f, family) in FAMILIES.iter().enumerate() {
            let numbers = sharing.of_family(f);
            assert_eq!(numbers.len(), family.configurations());
            let mut used: Vec<u32> = numbers.to_vec();
            used.sort_unstable();
            used.dedup();
            assert!(used.iter().map(|&n| n as usize).eq(sharing.range(f)));
        }
    }

    #[test]
    fn a_mirrored_edge_shares_its_weight() {
        let edge = FAMILIES.iter().position(|family| family.name == "edge and two X").unwrap();
        let at = |configuration| Sharing::get().number(edge, configuration);
        let power = |k: usize| FAMILIES[edge].power(k) as i16;
        // a1 own, b1 enemy, b2 own: mirrored h1 own, g1 enemy, g2 own.
        let (left, right) = (power(0) - power(1) + power(8), power(7) - power(6) + power(9));
        assert_eq!(at(left), at(right));
        assert_ne!(at(left), at(-left));
        assert_ne!(at(left), at(power(7) - power(6) + power(8)));
    }
}
