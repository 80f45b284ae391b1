//! The scenarios that come with the program.

macro_rules! scenarios {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../scenarios/", $name, ".scenario")))),+]
    };
}

/// Name and source; the default first, then from the plain to the odd.
pub(super) const SHIPPED: &[(&str, &str)] = scenarios![
    "story",
    "whole-reply",
    "tools",
    "hooks",
    "awkward",
    "ask",
    "ask-you",
    "input-timeout",
    "cancel-inference",
    "cancel-tool",
    "cancel-ask",
    "reopen",
    "reopen-limit",
    "hold",
    "long",
    "driver-trapped",
    "response-failed",
    "compaction-failed",
    "driver-unavailable",
    "max-turns",
    "spend-refused",
    "unreported",
];
