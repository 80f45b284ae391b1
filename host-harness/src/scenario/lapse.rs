//! A length of time, as a scenario file writes it: `"250ms"`, `"1.5s"`, `"2m"`.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// No single duration of a scenario is longer.
pub(super) const LONGEST: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lapse(pub(super) Duration);

impl Lapse {
    fn parse(text: &str) -> Result<Self, String> {
        let seconds = seconds(text).ok_or_else(|| {
            format!(
                "{text:?} is not a duration; write a number and its unit, ms, s or m, such as \
                 \"250ms\", \"1.5s\" or \"2m\""
            )
        })?;
        match Duration::try_from_secs_f64(seconds) {
            Ok(lapse) if lapse <= LONGEST => Ok(Self(lapse)),
            _ => Err(format!("{text:?} is too long; the longest duration is an hour, \"60m\"")),
        }
    }
}

fn seconds(text: &str) -> Option<f64> {
    let unit = text.find(|char: char| !char.is_ascii_digit() && char != '.')?;
    let (number, unit) = text.split_at(unit);
    if number.starts_with('.') || number.ends_with('.') {
        return None;
    }
    let number: f64 = number.parse().ok()?;
    match unit {
        "ms" => Some(number / 1000.0),
        "s" => Some(number),
        "m" => Some(number * 60.0),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Lapse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Lapse;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a duration in quotes, such as \"250ms\", \"1.5s\" or \"2m\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Lapse, E> {
                Lapse::parse(text).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_and_its_unit() {
        for (text, millis) in [
            ("0ms", 0),
            ("250ms", 250),
            ("7ms", 7),
            ("1s", 1000),
            ("1.5s", 1500),
            ("0.007s", 7),
            ("2m", 120_000),
            ("0.5m", 30_000),
            ("60m", 3_600_000),
            ("3600s", 3_600_000),
        ] {
            assert_eq!(Lapse::parse(text), Ok(Lapse(Duration::from_millis(millis))), "{text}");
        }
        assert_eq!(Lapse::parse("1.5ms"), Ok(Lapse(Duration::from_micros(1500))));
    }

    #[test]
    fn what_is_not_a_duration_is_told_what_would_be() {
        for text in [
            "", "5", "ms", "s", ".5s", "5.s", ".s", "1.2.3s", "-1s", "+1s", "1e3s", "1 s", " 1s",
            "1s ", "1h", "1S", "infs", "NaNs", "1s2ms", "١s",
        ] {
            assert_eq!(
                Lapse::parse(text),
                Err(format!(
                    "{text:?} is not a duration; write a number and its unit, ms, s or m, such as \
                     \"250ms\", \"1.5s\" or \"2m\""
                )),
            );
        }
    }

    #[test]
    fn an_hour_is_the_longest_duration() {
        let endless = format!("{}s", "9".repeat(400));
        for text in ["60.1m", "3601s", "3600001ms", endless.as_str()] {
            assert_eq!(
                Lapse::parse(text),
                Err(format!("{text:?} is too long; the longest duration is an hour, \"60m\"")),
            );
        }
    }
}
