//! The bundled sample: what someone sees who has no file of their own at hand.
//!
//! A run that has something to find: four layers, eight steps, and a buffer that is kept every step.
//! Small enough to be inlined in the page.

use super::allocator::{Config, GIB, KIB};
use super::layout::{Layout, snapshot};
use super::pickle_cpython;
use super::train::Training;

/// The run of the sample.
pub fn sample_run() -> (Training, Config) {
    let training = Training { steps: 8, leak: 1536 * KIB, ..Training::default() };
    (training, Config { limit: 16 * GIB, ..Config::default() })
}

/// The sample as a pickle; the same bytes every time.
pub fn sample() -> Vec<u8> {
    let (training, config) = sample_run();
    let run = training.run(config);
    let layout = Layout::of(run.config.backend);
    pickle_cpython::write(&snapshot(&[&run], &layout), 4)
}
