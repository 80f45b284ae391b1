//! The `Last-Event-ID` request header (protocol page, "Replay").

/// What a request said with `Last-Event-ID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastEventId {
    /// The header was not sent.
    Absent,
    /// It was sent, but is no unsigned 64-bit decimal number.
    NotANumber,
    /// It named this id.
    Id(u64),
}

impl LastEventId {
    /// Reads the header from all the values that were sent under its name, in order. The last one
    /// counts, even when it is not a number. White space around it and a leading `+` are allowed.
    pub fn from_header_values<V: AsRef<[u8]>>(values: &[V]) -> Self {
        let Some(last) = values.last() else {
            return Self::Absent;
        };
        std::str::from_utf8(last.as_ref())
            .ok()
            .and_then(|text| text.trim_ascii().parse().ok())
            .map_or(Self::NotANumber, Self::Id)
    }

    /// Where a `message/stream` replays from: nowhere without a number.
    pub(crate) fn for_message_stream(self) -> Option<u64> {
        match self {
            Self::Id(id) => Some(id),
            Self::Absent | Self::NotANumber => None,
        }
    }

    /// Where a `stream/watch` replays from: `0` without a number.
    pub(crate) fn for_stream_watch(self) -> u64 {
        match self {
            Self::Id(id) => id,
            Self::Absent | Self::NotANumber => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LastEventId::{self, Absent, Id, NotANumber};

    fn parse(value: &str) -> LastEventId {
        LastEventId::from_header_values(&[value])
    }

    #[test]
    fn an_unsigned_decimal_number_is_an_id() {
        assert_eq!(parse("0"), Id(0));
        assert_eq!(parse(" 37\t"), Id(37));
        assert_eq!(parse("+5"), Id(5));
        assert_eq!(parse("18446744073709551615"), Id(u64::MAX));
    }

    #[test]
    fn anything_else_is_not_a_number() {
        let bad = ["", " ", "+", "-1", "1e3", "1.0", "0x1", "1 2", "१", "18446744073709551616"];
        for value in bad {
            assert_eq!(parse(value), NotANumber, "{value:?}");
        }
        assert_eq!(LastEventId::from_header_values(&[b"\xff"]), NotANumber);
    }

    #[test]
    fn of_two_headers_the_last_one_counts_even_if_it_is_not_a_number() {
        assert_eq!(LastEventId::from_header_values(&["1", "2"]), Id(2));
        assert_eq!(LastEventId::from_header_values(&["1", "x"]), NotANumber);
        assert_eq!(LastEventId::from_header_values::<&str>(&[]), Absent);
    }
}
