use super::super::{Act, FORMAT, Scenario};

#[test]
fn the_manuals_example_is_a_scenario() {
    let (_, rest) = FORMAT.split_once("```toml\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let scenario = Scenario::parse("example", example).expect("a valid example");
    let artifacts = scenario.acts().iter().filter(|act| matches!(act, Act::Artifact(_))).count();
    assert_eq!(artifacts, 1);
}

#[test]
fn the_manual_fits_a_terminal() {
    for line in FORMAT.lines() {
        assert!(line.chars().count() <= 78, "{line}");
    }
}

#[test]
fn the_manual_names_every_key() {
    // What the parser lists when it meets a key that it does not know.
    for (step, kinds) in [
        ("nope = 1", 3),
        ("[[step]]\nnope = 1", 11),
        ("[[step]]\nturn = { nope = 1 }", 4),
        ("[[step]]\nturn = { emit = [{ nope = 1 }] }", 5),
        ("[[step]]\ntool = { nope = 1 }", 10),
        ("[[step]]\nask = { nope = 1 }", 7),
        ("[[step]]\nskill = { nope = 1 }", 8),
        ("[[step]]\nunreached = { nope = 1 }", 3),
        ("[[step]]\nhook = { nope = 1 }", 2),
        ("[[step]]\nend = \"nope\"", 8),
    ] {
        let error = super::error(&super::source(step));
        let (_, expected) = error.split_once("expected ").expect("a list of keys");
        let keys: Vec<_> = expected.split('`').skip(1).step_by(2).collect();
        assert_eq!(keys.len(), kinds, "{error}");
        for key in keys {
            let named = ["`KEY`", "{ KEY =", "\"KEY\""].map(|form| form.replace("KEY", key));
            assert!(named.iter().any(|named| FORMAT.contains(named)), "{key}");
        }
    }
}
