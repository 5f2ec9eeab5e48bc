//! Checks a certificate of the value of an Othello board: `rustc --edition 2024 -O check_certificate.rs && ./check_certificate FILE`.
//!
//! It shares no code with the program that wrote the certificate. The file has a value for Black, who moves first; the board as a
//! picture (`X` Black, `O` White, `-` empty, `.` no square); and two strategies, Black's for at least the value and White's for at
//! most the value. A strategy is one walk through the game. Where its side has several moves, the next character names the one it
//! makes; where the other side moves, all its moves follow by ascending square. The walk ends where the game is over, where
//! no more squares are empty than "solve from" says (this program solves the position), and where it has been before, symmetries of
//! the board counted.
//! Values are in discs, empty squares given to the winner.

use std::collections::{HashMap, HashSet};

type Discs = u64;

/// The side to move's discs and the other side's; bit 8 * row + column.
type Board = (Discs, Discs);

const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";

/// Steps to the eight neighbours: shift, and the columns that a disc must not be in before the step.
const STEPS: [(i32, Discs); 8] = {
    let (left, right) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080);
    [(1, right), (-1, left), (8, 0), (-8, 0), (9, right), (-9, left), (7, left), (-7, right)]
};

fn step(discs: Discs, (shift, edge): (i32, Discs)) -> Discs {
    let inside = discs & !edge;
    if shift > 0 { inside << shift } else { inside >> -shift }
}

struct Game {
    squares: Discs,
    /// For each symmetry of the board, where every square goes.
    symmetries: Vec<[u8; 64]>,
}

impl Game {
    fn new(squares: Discs) -> Game {
        let mut symmetries = Vec::new();
        for number in 0..8 {
            let mut map = [0u8; 64];
            for (from, to) in map.iter_mut().enumerate() {
                let (mut x, mut y) = (from % 8, from / 8);
                if number & 1 > 0 {
                    x = 7 - x;
                }
                if number & 2 > 0 {
                    y = 7 - y;
                }
                if number & 4 > 0 {
                    (x, y) = (y, x);
                }
                *to = (8 * y + x) as u8;
            }
            if moved(squares, &map) == squares {
                symmetries.push(map);
            }
        }
        Game { squares, symmetries }
    }

    fn empty(&self, (own, other): Board) -> Discs {
        self.squares & !own & !other
    }

    fn moves(&self, (own, other): Board) -> Discs {
        let empty = self.empty((own, other));
        let mut moves = 0;
        for direction in STEPS {
            let mut line = step(own, direction) & other;
            for _ in 0..5 {
                line |= step(line, direction) & other;
            }
            moves |= step(line, direction) & empty;
        }
        moves
    }

    fn after(&self, (own, other): Board, square: u32) -> Board {
        let disc = 1u64 << square;
        let mut turned = 0;
        for direction in STEPS {
            let mut line = 0;
            let mut next = step(disc, direction);
            while next & other != 0 {
                line |= next;
                next = step(next, direction);
            }
            if next & own != 0 {
                turned |= line;
            }
        }
        (other & !turned, own | turned | disc)
    }

    fn score(&self, (own, other): Board) -> i32 {
        let difference = own.count_ones() as i32 - other.count_ones() as i32;
        difference + difference.signum() * self.empty((own, other)).count_ones() as i32
    }

    fn canonical(&self, (own, other): Board) -> Board {
        self.symmetries.iter().map(|map| (moved(own, map), moved(other, map))).min().expect("the identity")
    }
}

fn moved(discs: Discs, map: &[u8; 64]) -> Discs {
    (0..64).filter(|square| discs >> square & 1 > 0).fold(0, |all, square| all | 1 << map[square as usize])
}

fn squares_of(mut set: Discs) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

struct Checker {
    game: Game,
    solve_from: u32,
    /// Answers of the solver: whether the side to move gets more than a number of discs.
    known: HashMap<(Board, i32), bool>,
    solved: u64,
}

/// Answers kept, at most; then they are forgotten.
const MOST_KNOWN: usize = 4_000_000;

impl Checker {
    /// Whether the side to move gets more than `alpha` discs.
    fn exceeds(&mut self, board: Board, alpha: i32) -> bool {
        let moves = self.game.moves(board);
        if moves == 0 {
            let passed = (board.1, board.0);
            let is_over = self.game.moves(passed) == 0;
            return if is_over { self.game.score(board) > alpha } else { !self.exceeds(passed, -alpha - 1) };
        }
        let empties = self.game.empty(board).count_ones();
        let keeps = empties > 7;
        if keeps && let Some(&answer) = self.known.get(&(board, alpha)) {
            return answer;
        }
        let mut children: Vec<(u32, Board)> =
            squares_of(moves).map(|square| (0, self.game.after(board, square))).collect();
        if empties > 5 {
            children.iter_mut().for_each(|child| child.0 = self.game.moves(child.1).count_ones());
            children.sort_unstable();
        }
        let answer = children.iter().any(|child| !self.exceeds(child.1, -alpha - 1));
        if keeps {
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert((board, alpha), answer);
        }
        answer
    }

    /// Follows the strategy of the side that is to get more than `alpha` discs; it is to move if `its_turn`.
    fn follow(
        &mut self,
        board: Board,
        its_turn: bool,
        alpha: i32,
        moves: &mut impl Iterator<Item = u8>,
        seen: &mut HashSet<(Board, bool)>,
    ) -> Result<(), String> {
        if !seen.insert((self.game.canonical(board), its_turn)) {
            return Ok(());
        }
        let legal = self.game.moves(board);
        let passed = (board.1, board.0);
        if legal == 0 && self.game.moves(passed) == 0 || self.game.empty(board).count_ones() <= self.solve_from {
            self.solved += 1;
            let holds = if its_turn { self.exceeds(board, alpha) } else { !self.exceeds(board, -alpha - 1) };
            return if holds { Ok(()) } else { Err(format!("the strategy fails at {board:x?}")) };
        }
        if legal == 0 {
            return self.follow(passed, !its_turn, alpha, moves, seen);
        }
        if its_turn && legal.count_ones() > 1 {
            let digit = moves.next().ok_or("a move is missing")?;
            let square = DIGITS.iter().position(|&known| known == digit).ok_or("no square")? as u32;
            if legal >> square & 1 == 0 {
                return Err(format!("square {square} is no move at {board:x?}"));
            }
            return self.follow(self.game.after(board, square), false, alpha, moves, seen);
        }
        squares_of(legal)
            .try_for_each(|square| self.follow(self.game.after(board, square), !its_turn, alpha, moves, seen))
    }
}

/// What was shown: the value for Black, and the positions that were solved for it.
pub fn check(text: &str) -> Result<(i32, u64), String> {
    let mut lines = text.lines();
    let mut number = |what: &str| {
        let line = lines.next().unwrap_or_default();
        line.strip_prefix(what).ok_or(format!("expected '{what}', found '{line}'")).map(str::trim).map(str::to_owned)
    };
    if number("othello certificate")? != "1" {
        return Err("expected version 1".to_owned());
    }
    let value: i32 = number("value")?.parse().map_err(|error| format!("value: {error}"))?;
    let solve_from: u32 = number("solve from")?.parse().map_err(|error| format!("solve from: {error}"))?;
    number("board")?;
    let rows: Vec<&str> = lines.by_ref().take_while(|&line| line != "black").collect();
    if rows.len() > 8 || rows.iter().any(|row| row.len() != 8) {
        return Err("expected rows of 8 characters, at most 8".to_owned());
    }
    let first = (8 - rows.len()) / 2;
    let all = |characters: &str| {
        let cells = rows.iter().enumerate().flat_map(|(y, row)| row.bytes().enumerate().map(move |(x, c)| (x, y, c)));
        let chosen = cells.filter(|cell| characters.as_bytes().contains(&cell.2));
        chosen.fold(0, |all: Discs, (x, y, _)| all | 1 << (8 * (first + y) + x))
    };
    let start = (all("X"), all("O"));
    let mut checker = Checker { game: Game::new(all("XO-")), solve_from, known: HashMap::new(), solved: 0 };
    let black: Vec<&str> = lines.by_ref().take_while(|&line| line != "white").collect();
    let white: Vec<&str> = lines.by_ref().take_while(|&line| line != "end").collect();
    for (name, part, its_turn, alpha) in [("black", black, true, value - 1), ("white", white, false, -value - 1)] {
        let mut moves = part.iter().flat_map(|line| line.bytes());
        checker
            .follow(start, its_turn, alpha, &mut moves, &mut HashSet::new())
            .map_err(|error| format!("{name}: {error}"))?;
        if moves.next().is_some() {
            return Err(format!("{name}: there are moves left"));
        }
    }
    Ok((value, checker.solved))
}

#[allow(dead_code)]
fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| usage("expected a file"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| usage(&format!("{path}: {error}")));
    match check(&text) {
        Ok((value, solved)) => println!("{path}: the value for Black is {value}; {solved} positions solved"),
        Err(error) => {
            eprintln!("{path}: not shown: {error}");
            std::process::exit(1);
        }
    }
}

fn usage(problem: &str) -> ! {
    eprintln!("{problem}\nusage: check_certificate FILE");
    std::process::exit(2)
}
