//! The fuzz targets of `fuzz/`, which need more than the toolchain to be run as such: here they compile, and hold for what is near to their seeds.

use std::fs;

/// The folder of the crate that runs them as such.
const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");

/// What `libfuzzer_sys` has under this name: here a target is a function.
#[macro_export]
macro_rules! fuzz_target {
    (|$bytes:ident: &[u8]| $body:block) => {
        pub fn target($bytes: &[u8]) {
            $body
        }
    };
    (|$text:ident: &str| $body:block) => {
        pub fn target(bytes: &[u8]) {
            let of_text = |$text: &str| $body;
            if let Ok(text) = std::str::from_utf8(bytes) {
                of_text(text)
            }
        }
    };
}

macro_rules! targets {
    ($($name:ident $path:literal,)*) => {
        $(
            #[path = $path]
            #[allow(unused_attributes, unused_imports)]
            mod $name;
        )*
        const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::target)),*];
    };
}

targets! {
    analysis_query "../../fuzz/fuzz_targets/analysis_query.rs",
    foreign_book "../../fuzz/fuzz_targets/foreign_book.rs",
    game_file "../../fuzz/fuzz_targets/game_file.rs",
    ggf "../../fuzz/fuzz_targets/ggf.rs",
    gtp_line "../../fuzz/fuzz_targets/gtp_line.rs",
    nboard_command "../../fuzz/fuzz_targets/nboard_command.rs",
    packed_book "../../fuzz/fuzz_targets/packed_book.rs",
    pgn "../../fuzz/fuzz_targets/pgn.rs",
    read_position "../../fuzz/fuzz_targets/read_position.rs",
    ugi_command "../../fuzz/fuzz_targets/ugi_command.rs",
    wthor "../../fuzz/fuzz_targets/wthor.rs",
}

/// The bytes cut off anywhere, without one of them, with one twice, and with one replaced.
fn each_neighbour(bytes: &[u8], see: &mut dyn FnMut(&[u8])) {
    see(bytes);
    for at in 0..bytes.len() {
        see(&bytes[..at]);
        see(&[&bytes[..at], &bytes[at + 1..]].concat());
        see(&[&bytes[..at], &bytes[at..=at], &bytes[at..]].concat());
        let mut replaced = bytes.to_vec();
        for byte in [0, b' ', b'\n', b'-', b'9', 0x7f, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x20] {
            replaced[at] = byte;
            see(&replaced);
        }
    }
}

#[test]
fn every_target_holds_near_its_seeds() {
    let mut files = fs::read_dir(format!("{FUZZ}/fuzz_targets")).unwrap();
    let is_listed = |name: &str| TARGETS.iter().any(|(target, _)| name == format!("{target}.rs"));
    assert!(files.all(|file| is_listed(file.unwrap().file_name().to_str().unwrap())));
    for (name, target) in TARGETS {
        let mut seeds = 0;
        for seed in fs::read_dir(format!("{FUZZ}/seeds/{name}")).unwrap() {
            each_neighbour(&fs::read(seed.unwrap().path()).unwrap(), &mut |bytes| target(bytes));
            seeds += 1;
        }
        assert!(seeds > 0, "{name}");
    }
}
