//! Answers that leave in the order of their lines.

use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;

/// Holds back answers that are found before those of earlier lines.
#[derive(Debug)]
pub(super) struct AnswerOrder {
    state: Mutex<State>,
    room: Condvar,
    capacity: usize,
}

#[derive(Debug, Default)]
struct State {
    /// The place of the answer that leaves next.
    next: u64,
    held: BTreeMap<u64, String>,
    closed: bool,
}

impl AnswerOrder {
    /// `capacity` is how many answers may be held back before [`AnswerOrder::wait_for_room`] waits.
    pub fn new(capacity: usize) -> AnswerOrder {
        AnswerOrder { state: Mutex::default(), room: Condvar::new(), capacity }
    }

    /// Waits while as many answers as fit are held back, unless nobody listens.
    pub fn wait_for_room(&self) {
        let mut state = self.state.lock();
        while state.held.len() >= self.capacity && !state.closed {
            self.room.wait(&mut state);
        }
    }

    /// Takes the answer of a place, and sends all that nothing is missing before, until `send` says that nobody listens. Places
    /// count from 0, without gaps.
    pub fn put(&self, place: u64, text: String, mut send: impl FnMut(String) -> bool) {
        let mut state = self.state.lock();
        state.held.insert(place, text);
        loop {
            let next = state.next;
            let Some(text) = state.held.remove(&next) else { break };
            state.next += 1;
            state.closed |= !send(text);
        }
        self.room.notify_all();
    }

    /// Nobody waits for room any more.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.room.notify_all();
    }

    /// Sends what is still held back: the answers before it will not come.
    pub fn finish(&self, send: impl FnMut(String) -> bool) {
        let held = std::mem::take(&mut self.state.lock().held);
        held.into_values().all(send);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_leave_in_the_order_of_their_places() {
        let order = AnswerOrder::new(2);
        let mut sent = Vec::new();
        let mut put = |place: u64| {
            order.put(place, place.to_string(), |text| {
                sent.push(text);
                true
            });
            sent.len()
        };
        assert_eq!([put(2), put(0), put(3), put(1)], [0, 1, 1, 4]);
        assert_eq!(sent, ["0", "1", "2", "3"]);
        order.wait_for_room();
    }

    #[test]
    fn what_is_held_back_is_sent_in_the_end() {
        let order = AnswerOrder::new(2);
        for place in [5, 3, 7] {
            order.put(place, place.to_string(), |_| unreachable!("place 0 is missing"));
        }
        let mut sent = Vec::new();
        order.finish(|text| {
            sent.push(text);
            sent.len() < 2
        });
        assert_eq!(sent, ["3", "5"]);
    }

    #[test]
    fn nobody_waits_for_room_when_nobody_listens() {
        let order = AnswerOrder::new(1);
        order.put(1, String::new(), |_| true);
        order.put(0, String::new(), |_| false);
        order.put(3, String::new(), |_| false);
        order.wait_for_room();
    }
}
