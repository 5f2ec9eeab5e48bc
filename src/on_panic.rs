//! What is to be done where a thread panics: others would wait for it.

/// Calls a function when it is dropped by a panic.
pub(crate) struct OnPanic<F: Fn()>(pub F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}
