//! What several rounds of one measure come to.

/// The values of one measure, one for each round.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rounds(Vec<f64>);

impl Rounds {
    /// Adds that of a round.
    pub(crate) fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The median. Nothing where there are no rounds.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = sorted.get(sorted.len() / 2);
        let lower = sorted.get(sorted.len().saturating_sub(1) / 2);
        lower.zip(upper).map_or(0.0, |(lower, upper)| f64::midpoint(*lower, *upper))
    }

    /// The median, with the least and the greatest in parentheses.
    pub(crate) fn show(&self) -> String {
        let least = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.0.iter().copied().fold(0.0, f64::max);
        match self.0.len() {
            0 => "–".into(),
            1 => number(least),
            _ => format!("{} ({}–{})", number(self.median()), number(least), number(greatest)),
        }
    }

    /// The ratio of the medians.
    pub(crate) fn ratio(&self, to: &Self) -> String {
        if self.0.is_empty() || to.median() <= 0.0 {
            return "–".into();
        }
        format!("{}×", number(self.median() / to.median()))
    }
}

/// A number that was counted, its digits in groups.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// Three digits, or all before the point, in groups.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    grouped(&format!("{value:.decimals$}"))
}

fn grouped(plain: &str) -> String {
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// The value below which that share of the sorted values is.
pub(crate) fn percentile(sorted: &[u64], share: f64) -> u64 {
    let index = sorted.len() as f64 * share;
    let last = sorted.len().saturating_sub(1);
    sorted.get((index as usize).min(last)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Rounds, count, number, percentile};

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(Rounds(vec![9.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(Rounds(vec![4.0, 1.0, 2.0, 9.0]).median(), 3.0);
        assert_eq!(Rounds::default().median(), 0.0);
    }

    #[test]
    fn rounds_show_their_spread() {
        assert_eq!(Rounds(vec![1500.0, 1000.0, 2_000_000.0]).show(), "1,500 (1,000–2,000,000)");
        assert_eq!(Rounds(vec![3.0]).ratio(&Rounds(vec![2.0])), "1.50×");
        assert_eq!(Rounds::default().show(), "–");
    }

    #[test]
    fn numbers_have_three_digits_or_more() {
        let numbers = [0.123, 1.234, 12.34, 123.4, 1234.0, 1_234_567.0].map(number);
        assert_eq!(numbers, ["0.12", "1.23", "12.3", "123", "1,234", "1,234,567"]);
        assert_eq!(count(1000), "1,000");
    }

    #[test]
    fn percentiles_are_of_the_values_themselves() {
        let sorted: Vec<u64> = (0..100).collect();
        assert_eq!((percentile(&sorted, 0.5), percentile(&sorted, 0.99)), (50, 99));
        assert_eq!(percentile(&sorted, 1.0), 99);
        assert_eq!(percentile(&[], 0.5), 0);
    }
}
