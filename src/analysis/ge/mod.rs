//! Static and dynamic graphs of a GE log: the figures imas gives, and what it does not answer.
//!
//! [`report`] is the whole answer for one log and is what the terminal prints as JSON; each part is
//! also a function of its own, for a view that asks about one graph. All of them read a
//! [`GeLog`](crate::model::ge::GeLog) and change nothing.

pub mod addresses;
mod blocks;
pub mod compare;
pub mod device;
pub mod figures;
pub mod gap;
mod intervals;
pub mod missing;
pub mod overlap;
pub mod peak;
mod pool_spans;
pub mod pools;
mod report;
pub mod variables;

pub use blocks::{ALIGN, Block, GraphBlocks, HBM, aligned, mem_types};
pub use report::{GeReport, GraphReport, PoolReport, ProcessReport, report};

/// The part of `total` that reuse saved, from 0 to 1; 0 where it saved nothing.
pub fn reuse_rate(total: u64, after: u64) -> f64 {
    if total == 0 { 0.0 } else { total.saturating_sub(after) as f64 / total as f64 }
}

/// How near `after` came to the least possible, from 0 to 1.
pub fn reach_theory_rate(theory_min: u64, after: u64) -> f64 {
    if after == 0 { 1.0 } else { (theory_min as f64 / after as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_lines_give_their_rates() {
        let percent = |total, after| format!("{:.2}", 100.0 * reuse_rate(total, after));
        assert_eq!(percent(133_424_128, 21_698_048), "83.74");
        assert_eq!(percent(3_652_818_576, 401_145_856), "89.02");
        assert_eq!(percent(116_798_624, 45_678_592), "60.89");
        assert_eq!(percent(17_375_424, 17_376_768), "0.00");
        assert_eq!(percent(8192, 196_608), "0.00");
        assert_eq!((reuse_rate(0, 5), reach_theory_rate(7, 5), reach_theory_rate(1, 0)), (0.0, 1.0, 1.0));
        assert_eq!(reach_theory_rate(18_466_816, 21_698_048), 18_466_816.0 / 21_698_048.0);
    }
}
