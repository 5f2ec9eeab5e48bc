//! The rules once more, slow and obvious: characters in an array, and walking from square to square. Nothing here
//! uses the library, which is tested against it.

/// A board as an array of rows, `X`, `O` or `-` in each square, and the side to move, `X` or `O`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    pub rows: [[char; 8]; 8],
    pub mover: char,
}

/// A square as column and row, 0 to 7.
pub type Point = (usize, usize);

const DIRECTIONS: [(i32, i32); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

impl Board {
    pub fn start() -> Board {
        Board::parse("---------------------------OX------XO--------------------------- X")
    }

    /// Reads 64 squares, a blank and the mover.
    pub fn parse(text: &str) -> Board {
        let characters: Vec<char> = text.chars().collect();
        assert_eq!(characters.len(), 66, "{text}");
        let mut rows = [['-'; 8]; 8];
        for (i, &c) in characters[..64].iter().enumerate() {
            assert!(matches!(c, 'X' | 'O' | '-'), "{text}");
            rows[i / 8][i % 8] = c;
        }
        Board { rows, mover: characters[65] }
    }

    pub fn text(&self) -> String {
        let squares: String = self.rows.iter().flatten().collect();
        format!("{squares} {}", self.mover)
    }

    fn other(&self) -> char {
        if self.mover == 'X' { 'O' } else { 'X' }
    }

    fn at(&self, column: i32, row: i32) -> Option<char> {
        let on_board = (0..8).contains(&column) && (0..8).contains(&row);
        on_board.then(|| self.rows[row as usize][column as usize])
    }

    /// The discs that a move turns: in each direction, the run of the other side's discs that ends at an own disc.
    pub fn turned(&self, (column, row): Point) -> Vec<Point> {
        let mut turned = Vec::new();
        if self.rows[row][column] != '-' {
            return turned;
        }
        for (dx, dy) in DIRECTIONS {
            let mut run = Vec::new();
            let (mut x, mut y) = (column as i32 + dx, row as i32 + dy);
            while self.at(x, y) == Some(self.other()) {
                run.push((x as usize, y as usize));
                x += dx;
                y += dy;
            }
            if self.at(x, y) == Some(self.mover) {
                turned.extend(run);
            }
        }
        turned
    }

    /// The legal moves, row by row.
    pub fn moves(&self) -> Vec<Point> {
        let all = (0..8).flat_map(|row| (0..8).map(move |column| (column, row)));
        all.filter(|&point| !self.turned(point).is_empty()).collect()
    }

    pub fn play(&self, point: Point) -> Board {
        let turned = self.turned(point);
        assert!(!turned.is_empty(), "{point:?} is not legal");
        let mut next = self.clone();
        for (column, row) in turned.into_iter().chain([point]) {
            next.rows[row][column] = self.mover;
        }
        next.mover = self.other();
        next
    }

    pub fn pass(&self) -> Board {
        Board { rows: self.rows, mover: self.other() }
    }

    pub fn is_over(&self) -> bool {
        self.moves().is_empty() && self.pass().moves().is_empty()
    }

    /// The disc difference for the mover, empty squares given to the winner.
    pub fn score(&self) -> i32 {
        let count = |side| self.rows.iter().flatten().filter(|&&c| c == side).count() as i32;
        let (own, other, empty) = (count(self.mover), count(self.other()), count('-'));
        match own - other {
            0 => 0,
            difference if difference > 0 => difference + empty,
            difference => difference - empty,
        }
    }

    /// The leaves of the tree below; a game that is over counts once at any depth.
    pub fn perft(&self, depth: u32, pass_is_a_ply: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves();
        if !moves.is_empty() {
            return moves.into_iter().map(|point| self.play(point).perft(depth - 1, pass_is_a_ply)).sum();
        }
        let passed = self.pass();
        if passed.moves().is_empty() {
            return 1;
        }
        passed.perft(if pass_is_a_ply { depth - 1 } else { depth }, pass_is_a_ply)
    }
}
