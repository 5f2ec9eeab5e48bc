//! The types of the options' values: how each is read from text and shown as text.

use super::eval_file::EvalFile;
use super::level::Level;
use super::opening_book::OpeningBook;
use super::option::{Given, OptionError, Values, texts};
use super::searches::{SearchEntry, searches};
use super::uct_options::{Backup, LeafValue, Selection};
use crate::eval::EvaluatorKind;
use crate::search::{Component, Depth, OnMemoryCap, Score, Selectivity, Tie};
use std::time::Duration;
use strum::VariantArray;

/// The largest absolute value in discs.
pub(super) const MOST_DISCS_GIVEN: i32 = 1000;

/// A type of options' values: how a text is read, and how the value is shown as text that can be read again.
pub(super) trait OptionValue: Sized {
    /// The values of an option of this type whose entry names no others.
    const VALUES: Values;
    /// Whether `none` is one of the values.
    const TAKES_NONE: bool = false;

    fn read(given: &Given) -> Result<Self, OptionError>;

    fn show(&self) -> String;
}

impl<T: OptionValue> OptionValue for Option<T> {
    const VALUES: Values = T::VALUES;
    const TAKES_NONE: bool = true;

    fn read(given: &Given) -> Result<Option<T>, OptionError> {
        if given.text == "none" { Ok(None) } else { T::read(given).map(Some) }
    }

    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::show)
    }
}

macro_rules! option_values {
    ($($type:ty: $values:expr, read $read:expr, show $show:expr;)+) => {$(
        impl OptionValue for $type {
            const VALUES: Values = $values;

            fn read(given: &Given) -> Result<$type, OptionError> {
                ($read)(given)
            }

            fn show(&self) -> String {
                ($show)(self)
            }
        }
    )+};
}

/// Values that have names.
macro_rules! named_values {
    ($($type:ty: $all:expr;)+) => {
        option_values! { $($type: Values::Names(|| texts($all)), read |given: &Given| given.named(&$all), show ToString::to_string;)+ }
    };
}

option_values! {
    u8: Values::Whole(0, u8::MAX as u64), read Given::whole, show ToString::to_string;
    u32: Values::Whole(0, u32::MAX as u64), read Given::whole, show ToString::to_string;
    u64: Values::Whole(0, u64::MAX), read Given::whole, show ToString::to_string;
    Depth: Values::Whole(Depth::LEAST.plies() as u64, Depth::MOST.plies() as u64), read Given::parsed, show ToString::to_string;
    Level: Values::Whole(Level::LEAST.number() as u64, Level::FULL.number() as u64), read |given: &Given| given.whole().map(|number| Level::new(number).expect("the numbers are those of the levels")), show |level: &Level| level.number().to_string();
    Selectivity: Values::Percent, read Given::parsed, show ToString::to_string;
    Score: Values::Discs(-MOST_DISCS_GIVEN, MOST_DISCS_GIVEN), read Given::discs, show |score: &Score| score.discs().to_string();
    Duration: Values::Seconds, read Given::seconds, show |time: &Duration| time.as_secs_f64().to_string();
    EvalFile: Values::Path, read |given: &Given| EvalFile::open(given.text), show ToString::to_string;
    OpeningBook: Values::Path, read |given: &Given| OpeningBook::open(given.text), show ToString::to_string;
    bool: Values::Names(|| texts(SWITCH)), read |given: &Given| Ok(given.named(&SWITCH)? == "on"), show switch;
}

named_values! {
    &'static SearchEntry: searches();
    EvaluatorKind: EvaluatorKind::ALL;
    OnMemoryCap: OnMemoryCap::VARIANTS;
    Tie: Tie::VARIANTS;
    Component: Component::VARIANTS;
    Backup: Backup::VARIANTS;
    LeafValue: LeafValue::VARIANTS;
    Selection: Selection::VARIANTS;
}

const SWITCH: [&str; 2] = ["off", "on"];

fn switch(on: &bool) -> String {
    SWITCH[usize::from(*on)].to_owned()
}
