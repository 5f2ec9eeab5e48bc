//! Reports of matches that nobody has played, so that every figure in them is known.

use super::*;
use crate::arena::schedule::{Schedule, TournamentFormat};
use crate::arena::standings::Standings;
use serde_json::json;

fn counts(wins: u64, draws: u64, losses: u64) -> Counts {
    let games = wins + draws + losses;
    let score = (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64);
    Counts { games, wins, draws, losses, score }
}

fn player(name: &str, total: Counts) -> PlayerReport {
    let limits = "depth 3".to_owned();
    let forfeits = BTreeMap::new();
    PlayerReport {
        name: name.into(),
        limits,
        ponders: false,
        total,
        moves: 0,
        seconds: None,
        depth: None,
        nodes: None,
        forfeits,
    }
}

/// Two players whose pairs have gone like this.
fn pairing(first: &str, second: &str, counts: Counts, pairs: &[(&str, u8)]) -> PairingReport {
    let mut pentanomial = Pentanomial::default();
    pairs.iter().for_each(|&(_, half_points)| pentanomial.add(half_points.into()));
    let pair = |&(opening, half_points): &(&str, u8)| PairReport { opening: opening.to_owned(), half_points };
    PairingReport {
        first: first.into(),
        second: second.into(),
        counts,
        draw_rate: (counts.games > 0).then(|| counts.draws as f64 / counts.games as f64),
        pentanomial,
        estimate: None,
        discs: None,
        discs_error: None,
        different_games: 0,
        corrected: None,
        pairs: pairs.iter().map(pair).collect(),
    }
}

/// Three players: the first has met both others, who have not met yet.
fn unfinished() -> MatchReport {
    let estimate = Estimate {
        score: 0.875,
        score_error: Some(0.245),
        elo: 338.04,
        elo_error: None,
        normalized_elo: Some(614.18),
        normalized_elo_error: Some(245.0),
        superiority: Some(0.9999),
    };
    let once = Estimate { score: 0.75, elo: -12.34, elo_error: Some(55.5), normalized_elo: None, ..estimate };
    let corrected = Corrected { estimate: once, discs: Some(6.25), discs_error: Some(4.5) };
    let players = vec![
        PlayerReport {
            moves: 240,
            seconds: Some(0.01236),
            depth: Some(3.25),
            nodes: Some(1234.6),
            ..player("Ares", counts(14, 2, 8))
        },
        PlayerReport {
            limits: "depth 3, not told".into(),
            ponders: true,
            forfeits: [(End::Time, 2), (End::Crash, 1), (End::Silence, 3)].into(),
            ..player("<Bo>", counts(0, 1, 3))
        },
        player("Ceres", counts(8, 1, 11)),
    ];
    let pairings = vec![
        PairingReport {
            estimate: Some(estimate),
            discs: Some(7.5),
            discs_error: Some(3.25),
            different_games: 3,
            corrected: Some(corrected),
            ..pairing("Ares", "<Bo>", counts(3, 1, 0), &[("f5d6", 3), ("f5f6", 4)])
        },
        pairing("Ares", "Ceres", counts(11, 1, 8), &[("f5f6", 1), ("f5f6", 2), ("f5f4", 0)]),
        pairing("<Bo>", "Ceres", counts(0, 0, 0), &[]),
    ];
    let test = Sprt { elo0: -5.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    MatchReport {
        terms: json!({ "openings": "<classes>" }),
        games: 24,
        scheduled: 30,
        players,
        pairings,
        sprt: Some(SprtReport {
            test,
            ratio: -1.234,
            lower: -2.944,
            upper: 2.944,
            verdict: Verdict::Undecided,
            counts_equal_pairs_once: false,
        }),
        failures: vec![Failure { game: 7, player: "<Bo>".into(), end: End::Crash, detail: "a < b".into() }],
    }
}

/// A match of two players with these half points in its pairs.
fn duel(half_points: impl IntoIterator<Item = u8>) -> MatchReport {
    let pairs: Vec<_> = half_points.into_iter().map(|points| ("f5d6", points)).collect();
    let pairings = vec![pairing("Ares", "<Bo>", counts(1, 0, 1), &pairs)];
    MatchReport { pairings, ..unfinished() }
}

#[test]
fn the_text_has_every_figure() {
    let expected = "\
Ares against <Bo>: 4 games, +3 =1 -0
  score    87.50 +- 24.50 %
  Elo      +338.04 +- ?, normalised +614.18 +- 245.00, LOS 99.99 %
  pairs    0: 0, 1/2: 0, 1: 0, 1 1/2: 1, 2: 1
  drawn    25.00 %
  discs    +7.50 +- 3.25
  WARNING: only 3 of 4 games differ (symmetric ones are the same game). With equal pairs counted once:
           score 75.00 +- 24.50 %, Elo -12.34 +- 55.50, LOS 99.99 %
           discs +6.25 +- 4.50

Ares against Ceres: 20 games, +11 =1 -8
  no pair of games is finished

<Bo> against Ceres: 0 games, +0 =0 -0
  no pair of games is finished

SPRT -5 against 10 Elo: LLR -1.23 (-2.94 to 2.94), undecided

player                 games     won   drawn    lost    score
Ares                      24      14       2       8  62.50 %
Ceres                     20       8       1      11  42.50 %
<Bo>                       4       0       1       3  12.50 %

player                    moves     s/move    depth   nodes/move  games lost otherwise than on the board
Ares                        240     0.0124     3.25         1235  none
<Bo>                          0          -        -            -  time 2, crash 1, no answer 3
Ceres                         0          -        -            -  none
<Bo> ponders: it thinks on the opponent's time

failures (the first ones)
  game 7: <Bo>: crash: a < b
";
    assert_eq!(summary(&unfinished()), expected);
    let mut two = MatchReport { sprt: None, failures: Vec::new(), ..unfinished() };
    two.players.truncate(2);
    let text = summary(&two);
    assert!(!text.contains("SPRT") && !text.contains("failures") && !text.contains("62.50 %"), "{text}");
}

/// What a reader sees of a page: the words between its tags, with a bar between.
fn words(page: &str) -> String {
    let body = page.split_once("<body>").expect("a page has a body").1;
    let pieces = body.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text.trim());
    pieces.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("|")
}

#[test]
fn the_page_has_every_figure() {
    let page = page(&unfinished());
    let words = words(&page);
    for part in [
        "Ares – &lt;Bo&gt; – Ceres|24 of 30 games, not finished · openings: &lt;classes&gt;|Ares against &lt;Bo&gt;|3 won|1 drawn|",
        "|87.50 ± 24.50 %|score, 95 % by pairs|+338.0 ± ?|Elo|+614.2 ± 245.0|normalised Elo|99.99 %|likelihood of superiority|",
        "|+7.50 ± 3.25|discs a game|25.0 %|of the games drawn|+3 =1 −0|games|0 · 0 · 0 · 1 · 1|pairs with 0, ½, 1, 1½, 2 points|",
        "|Only 3 of 4 games differ; ",
        ", the score is 75.00 ± 24.50 % and Elo −12.3 ± 55.5. Discs a game: +6.25 ± 4.50.|",
        "|Ares against Ceres|11 won|8 lost|5.0 %|",
        "|Sequential test|undecided|-5 against 10 Elo|−1.23|log-likelihood ratio, from −2.94 to +2.94|",
        "|Cross table|player|Ares|Ceres|&lt;Bo&gt;|won|drawn|lost|score|",
        "|Ares|·|57.5 %|87.5 %|14|2|8|62.50 %|Ceres|42.5 %|·|8|1|11|42.50 %|&lt;Bo&gt;|12.5 %|·|0|1|3|12.50 %|",
        "|Ares against &lt;Bo&gt;|Ares against Ceres|&lt;Bo&gt; against Ceres|Players|",
        "|Ares|depth 3|240|0.0124|3.25|1235|0|none|",
        "|&lt;Bo&gt;|depth 3, not told, ponders|0|–|–|–|2|crash 1, no answer 3|Ceres|depth 3|0|",
        "|First failures|game|player|kind|what was wrong|7|&lt;Bo&gt;|crash|a &lt; b|",
        "|opening|Ares – &lt;Bo&gt;|Ares – Ceres|&lt;Bo&gt; – Ceres|",
        "|f5d6|1.5 of 2|–|–|f5f6|2 of 2|1.5 of 4|–|f5f4|–|0 of 2|–|Terms of the match|",
    ] {
        assert!(words.contains(part), "expected '{part}' in '{words}'");
    }
    assert!(!page.contains("title=\"0 "), "{page}");
    // Colours and lengths say how good a result is.
    for part in [
        "<i class=\"r4\" style=\"width:75.00%\" title=\"3 won\">3 won</i>",
        "<i class=\"r2\" style=\"width:5.00%\" title=\"1 drawn\"></i>",
        "<td class=\"r2\">57.5 %</td><td class=\"r4\">87.5 %</td>",
        "<td class=\"r0\">12.5 %</td>",
        "<td class=\"r3\">1.5 of 2</td>",
        "<td class=\"r4\">2 of 2</td><td class=\"r2\">1.5 of 4</td>",
        "<span class=\"c0\">Ares against &lt;Bo&gt;</span><span class=\"c1\">Ares against Ceres</span>",
    ] {
        assert!(page.contains(part), "expected '{part}' in '{page}'");
    }
}

#[test]
fn the_page_leaves_out_what_there_is_not() {
    // All that can be won is in the chart, and no more.
    assert!(chart(&duel([4, 4, 4])).contains(">100</text>") && !chart(&duel([4, 4, 4])).contains(">110</text>"));
    let mut report = duel([]);
    (report.scheduled, report.sprt, report.failures) = (24, None, Vec::new());
    report.players.truncate(2);
    let found = words(&page(&report));
    assert!(found.contains("24 of 24 games · openings"), "{found}");
    for part in ["Only", "Sequential", "Cross table", "Score over time", "First failures", "Openings"] {
        assert!(!found.contains(part), "{part}: {found}");
    }
    assert_eq!([score_plot(&report), score_plot(&duel([4]))], [None, None]);
}

#[test]
fn the_sequential_test_says_what_it_has_decided() {
    for (verdict, decision) in [(Verdict::Accepted, "10 Elo accepted"), (Verdict::Rejected, "-5 Elo accepted")] {
        let mut report = unfinished();
        report.sprt.as_mut().unwrap().verdict = verdict;
        assert!(summary(&report).contains(&format!("(-2.94 to 2.94), {decision}\n")), "{}", summary(&report));
        let found = words(&page(&report));
        assert!(found.contains("24 of 30 games, ended by the sequential test ·"), "{found}");
        assert!(found.contains(&format!("|Sequential test|{decision}|")), "{found}");
        report.sprt.as_mut().unwrap().counts_equal_pairs_once = true;
        assert!(summary(&report).contains(&format!("{decision}, with equal pairs counted once\n")));
    }
}

#[test]
fn a_game_without_the_other_of_its_pair_is_said_everywhere() {
    let mut report = unfinished();
    assert!(!words(&page(&report)).contains("without the other") && !summary(&report).contains("without the other"));
    report.pairings[0].counts = counts(3, 2, 0);
    assert!(
        words(&page(&report)).contains("|1|games without the other one of their pair|"),
        "{}",
        words(&page(&report))
    );
    assert!(
        summary(&report).contains("games without the other one of their pair, in no figure below but 'drawn': 1\n")
    );
}

fn chart(report: &MatchReport) -> String {
    score_plot(report).unwrap().svg()
}

/// The attribute of this name of the first element that begins like this.
fn attribute<'a>(svg: &'a str, element: &str, name: &str) -> &'a str {
    let after = svg.split_once(element).expect("the element is there").1;
    let value = after.split_once(&format!(" {name}=\"")).expect("the attribute is there").1;
    value.split_once('"').expect("the attribute ends").0
}

#[test]
fn the_chart_shows_score_and_interval_in_their_places() {
    let report = duel([1, 3].repeat(20));
    let svg = chart(&report);
    let curve: Vec<&str> = attribute(&svg, "<polyline", "points").split(' ').collect();
    assert_eq!((curve.len(), &curve[..3]), (40, &["104.2,352.0", "122.4,171.4", "140.6,246.7"][..]));
    assert_eq!(curve[38..], ["795.8,177.2", "814.0,171.4"]);
    // From the second pair on there is an interval: along its upper end, and back along the lower one.
    let band: Vec<&str> = attribute(&svg, "<polygon", "points").split(' ').collect();
    assert_eq!((band.len(), &band[..2]), (2 * 39, &["122.4,36.0", "140.6,36.0"][..]));
    assert_eq!(band[37..41], ["795.8,105.5", "814.0,100.6", "814.0,242.3", "795.8,249.0"]);
    // Half of the points, every five percent and every ten pairs.
    assert!(
        svg.contains("<path class=\"even\" stroke=\"#888\" stroke-dasharray=\"2 3\" d=\"M70 171.4H830\"/>"),
        "{svg}"
    );
    for (score, y, label_y) in [(30, "352.0", "356.0"), (40, "261.7", "265.7"), (60, "81.1", "85.1")] {
        assert!(svg.contains(&format!("<path class=\"grid\" stroke=\"#ddd\" d=\"M70 {y}H830\"/>")), "{svg}");
        assert!(svg.contains(&format!("<text x=\"64.0\" y=\"{label_y}\" text-anchor=\"end\">{score}</text>")), "{svg}");
    }
    assert_eq!(svg.matches("class=\"grid\"").count(), 8);
    for (pairs, x) in [(0, "86.0"), (10, "268.0"), (40, "814.0")] {
        assert!(svg.contains(&format!("<text x=\"{x}\" y=\"369.0\" text-anchor=\"middle\">{pairs}</text>")), "{svg}");
    }
    assert!(svg.contains("<text x=\"450.0\" y=\"390.0\" text-anchor=\"middle\">pairs played</text>"), "{svg}");
    // Above it what it shows, beside it whose score it is.
    let title = "<text x=\"70\" y=\"20\" font-size=\"14\">Score of Ares so far, with its 95 % interval by pairs</text>";
    assert!(svg.starts_with("<svg xmlns=") && svg.contains(title), "{svg}");
    let legend = "<path d=\"M842 42.0h18\" stroke=\"#1f77b4\" stroke-width=\"2\"/><text x=\"866.0\" y=\"46.0\" text-anchor=\"start\">Ares against &lt;Bo&gt;<";
    assert!(svg.contains(legend), "{svg}");
    let page = page(&report);
    let found = words(&page);
    assert!(found.contains("|Score of Ares so far, with its 95 % interval by pairs.|"), "{found}");
    // The page has the same curve in colours of its own.
    assert!(page.contains(&curve.join(" ")) && page.contains("viewBox=\"0 22 844 378\"") && page.contains(".c0{--c:"));
}

#[test]
fn the_chart_of_a_long_match_has_no_more_points_than_can_be_seen() {
    let svg = chart(&duel([0, 4, 4].repeat(334).into_iter().take(1000)));
    let curve: Vec<&str> = attribute(&svg, "<polyline", "points").split(' ').collect();
    assert_eq!(curve.len(), 334);
    // Every third pair, and the last one.
    assert!(curve[0].starts_with("88.2,") && curve[332].starts_with("813.3,") && curve[333].starts_with("814.0,"));
    // The jumps at the beginning are left out: from 45 to 80 %, by five.
    assert_eq!(svg.matches("class=\"grid\"").count(), 8, "{svg}");
}

#[test]
fn the_chart_of_a_tournament_has_a_curve_for_each_pairing_and_six_colours() {
    let met = |i: u8| pairing(&format!("P{i}"), "Q", counts(1, 0, 1), &[("f5d6", 2), ("f5d6", 2 + i % 2)]);
    let chart = |pairings: u8| chart(&MatchReport { pairings: (0..pairings).map(met).collect(), ..unfinished() });
    let two = chart(2);
    assert!(!two.contains("<polygon"), "{two}");
    assert!(two.contains("<text x=\"866.0\" y=\"64.0\" text-anchor=\"start\">P1 against Q</text>"), "{two}");
    // From 45 to 65 %: without errors, and the second one ends above.
    assert_eq!(attribute(&two, "<g class=\"c0\"", "points"), "86.0,273.0 814.0,273.0");
    assert_eq!(attribute(&two, "<g class=\"c1\"", "points"), "86.0,273.0 814.0,75.5");
    assert!(two.contains("<title>P1 against Q</title>"), "{two}");
    for (pairings, others) in [(6, 0), (7, 1), (8, 1)] {
        let svg = chart(pairings);
        assert_eq!(svg.matches("<polyline").count(), usize::from(pairings));
        assert_eq!(svg.matches("; thin: the others</text>").count(), others, "{pairings}");
        assert_eq!(svg.matches("<g class=\"faint\"").count(), usize::from(pairings - 6));
    }
}

#[test]
fn a_line_says_where_a_match_stands() {
    let standings = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let schedule = Schedule::new(TournamentFormat::Gauntlet, names.len(), 4, 1);
        Standings::new(names, &schedule)
    };
    let mut two = standings(&["A", "B"]);
    assert_eq!(progress(&two, None), "+0 =0 -0");
    let tally = &mut two.pairings[0].tally;
    (tally.wins, tally.draws, tally.losses) = (4, 3, 1);
    tally.pentanomial = Pentanomial([0, 0, 2, 1, 1]);
    assert_eq!(progress(&two, Some(-0.456)), "+4 =3 -1, Elo +137.0 +- 231.0, LLR -0.46");
    let mut many = standings(&["A", "B", "C", "D", "E"]);
    for (pairing, wins) in many.pairings.iter_mut().zip(0..) {
        (pairing.tally.wins, pairing.tally.losses) = (wins, 4 - wins);
    }
    assert_eq!(progress(&many, Some(1.0)), "B 100.0 %, C 75.0 %, D 50.0 %, A 37.5 %, LLR +1.00");
}
