//! GTP, version 2, for Othello.
//!
//! A line is `[ID] command [argument …]`; what follows `#` is a comment, tabs are blanks, other control characters are
//! dropped, and lines without a command get no response. Every command gets exactly one response, in order: `=` or `?`,
//! the id, a blank and the text if there is any, and one empty line at the end and nowhere else. Commands may be sent
//! without waiting for responses. At the end of the input everything already read is still answered; `quit` is answered
//! too; when nobody reads the output any more, the session ends at once.
//!
//! # Commands
//!
//! | Command | Response |
//! |---|---|
//! | `protocol_version`, `name`, `version`, `list_commands` | the usual |
//! | `known_command [NAME]` | `true` or `false` |
//! | `quit` | empty; the last response |
//! | `boardsize N` | empty for 8, which also begins a new game; otherwise `unacceptable size` |
//! | `clear_board` | empty: a new game, the clocks as agreed, nothing remembered |
//! | `komi FLOAT` | empty; Othello has none |
//! | `play COLOR VERTEX` | empty, or `illegal move` |
//! | `genmove COLOR` | `F5` or `pass`; the turn is taken |
//! | `reg_genmove COLOR` | the same, but the turn is not taken and no clock is charged |
//! | `undo` | empty: the last `play` or `genmove` is taken back; `cannot undo` at the beginning |
//! | `time_settings MAIN TIME MOVES`, `time_left COLOR TIME MOVES` | empty; see below |
//! | `final_score` | `B+12`, `W+4`, `0`, with the empty squares given to the winner; `cannot score` before the end |
//! | `showboard` | a diagram, after a line that says whose turn it is |
//! | `loadsgf FILE [MOVE]` | empty, or `cannot load file: …`; stops before the MOVE-th disc, from 1 |
//! | `list_games`, `set_game NAME` | `Othello`, for Quarry; `unsupported game` for any other |
//! | `gogui-rules_game_id`, `_board_size`, `_board`, `_side_to_move`, `_legal_moves`, `_final_result` | for GoGui as referee |
//! | `gogui-interrupt` | empty: the comment line `# interrupt` makes a running `genmove` answer at once |
//! | `emilia-set OPTION VALUE` | empty, or what the option takes; counts from the next search on |
//! | `emilia-get [OPTION]` | the value, or all options as lines `OPTION VALUE` |
//! | `emilia-stats` | the last search as lines `NAME VALUE`: [`SearchStats`](reply::SearchStats) |
//! | `emilia-setboard POSITION` | empty, or what is wrong: any position or game that [`read_position`] takes |
//! | `emilia-analyze [K]` | the best K moves (1 if left out), again and again, until the next command |
//!
//! `emilia-analyze` sends one response in pieces. Each time the search knows better, there is a group of lines, one per
//! move:
//!
//! ```text
//! rank 1 move F5 score +1.25 depth 12 visits 0 nodes 81235 seconds 0.104 pv F5 D6 C3
//! ```
//!
//! The first line stands behind the `=`, as in any response, and the empty line that ends the response comes when the
//! client has sent another command, said `# interrupt` or closed its end, when the position is solved, or when a limit
//! set by option is reached. Scores are discs for the side to move; `>=` or `<=` before one says that it is a bound; the
//! depth is `100%` for the exact result.
//!
//! # Passes
//!
//! Three customs are served: passes told with `play COLOR pass` and answered by `genmove`, passes never mentioned, and
//! passes that end a game. Before a move of the side that is not to move, the other side's pass is implied if it has no
//! move; if it has one, the command fails with `illegal move`. `play COLOR pass` is accepted, and `genmove COLOR`
//! answers `pass`, whenever the colour has no move, also when the game is over.
//!
//! # Time
//!
//! | `time_settings` | Read as |
//! |---|---|
//! | `M 0 N` | M seconds for the game |
//! | `M T N`, N > 0 | M seconds, then T seconds for every N moves |
//! | `M T 0`, M > 0 | M seconds for the game and T more after each move |
//! | `0 T 0` | T seconds for each move, except `0 1 0` |
//! | `0 1 0`, `0 0 N` | no limit |
//!
//! After `0 1 0`, a `time_left COLOR 1 0` shows that the client does mean a second for each move. Fractions of seconds
//! are taken. How much of a clock a move may use is the matter of [`Clock`](crate::clock::Clock). Without a limit of the
//! client or of the options a move takes [`DEFAULT_MOVE_TIME`](crate::engine::DEFAULT_MOVE_TIME).
//!
//! [`read_position`]: crate::notation::read_position

mod command;
mod game;
pub mod reply;
mod session;
mod sgf_file;

pub use command::{Command, Line, RulesQuery, command_names, parse_line};
pub use session::serve;
