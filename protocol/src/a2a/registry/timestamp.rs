//! RFC 3339 in UTC, of fixed width: `2026-09-16T18:46:45.000Z` (details page, section 3).

const DAY: u64 = 86_400_000;
/// The last millisecond of the year 9999, after which the width would change.
const LAST: u64 = 253_402_300_799_999;

/// The text of a point in time, in milliseconds since the Unix epoch. Texts compare as the points
/// do. After the year 9999 they stand still.
pub fn format(unix_millis: u64) -> String {
    let millis = unix_millis.min(LAST);
    let (year, month, day) = civil(millis / DAY);
    let of_day = millis % DAY;
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The point in time that a text of [`format()`] is.
pub fn parse(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if year < 1970 || !(1..=12).contains(&month) {
        return None;
    }
    let seconds = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
    let millis = (days(year, month) + day.checked_sub(1)?) * DAY + seconds * 1000 + number(20, 23)?;
    // Whatever stands between the numbers, and every number that is too large, shows here.
    (format(millis) == text).then_some(millis)
}

/// Year, month and day of a day since the epoch.
fn civil(day: u64) -> (u64, u64, u64) {
    // The year 0 of the count begins in March, so that a leap day is a year's last.
    let day = day + 719_468;
    let era_day = day % 146_097;
    let year_of_era = (era_day - era_day / 1460 + era_day / 36_524 - era_day / 146_096) / 365;
    let year_day = era_day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * year_day + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + day / 146_097 * 400 + u64::from(month <= 2);
    (year, month, year_day - (153 * shifted + 2) / 5 + 1)
}

/// Days from the epoch to the first of that month. Years from 1970 on.
fn days(year: u64, month: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 - 719_468
}
