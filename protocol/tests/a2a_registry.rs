//! Agents and their cards (details page, section 3).
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use protocol::a2a::registry::{
    AgentUrl, MOST_AGENTS, MOST_CARD_BYTES, agent_card, gateway_card, named_agent, timestamp,
};
use protocol::a2a::{AgentId, AgentKind, Card, ListQuery, Registration, Registry, Reply};
use std::time::Duration;

const NOW: u64 = 1_789_584_405_000;

fn card(id: &str, tags: &str) -> String {
    format!(
        r#"{{"agent_id":"{id}","name":"n","url":"http://h:1/x","skills":[{{"id":"s","tags":{tags}}}]}}"#
    )
}

fn full(id: &str, tags: &str, registered: &str, seen: &str) -> String {
    format!(
        r#"{{"agent_id":"{id}","name":"n","description":"","version":"","url":"http://h:1/x","skills":[{{"id":"s","name":"","description":"","tags":{tags}}}],"defaultInputModes":["text"],"defaultOutputModes":["text"],"protocolVersions":["1.0"],"registered_at":"{registered}","last_seen":"{seen}"}}"#
    )
}

fn ok(body: &str) -> Reply {
    Reply { status: 200, body: body.into() }
}

fn failed(status: u16, error: &str) -> Reply {
    Reply { status, body: serde_json::to_vec(&serde_json::json!({ "error": error })).unwrap() }
}

fn registry() -> Registry {
    Registry::new(Duration::from_secs(300))
}

#[test]
fn registering_again_keeps_the_first_time() {
    let mut registry = registry();
    let first = "2026-09-16T18:46:45.000Z";
    let body = card("a1", "[]");
    assert_eq!(registry.register(body.as_bytes(), NOW), ok(&full("a1", "[]", first, first)));
    let again = full("a1", "[]", first, "2026-09-16T18:46:46.007Z");
    assert_eq!(registry.register(body.as_bytes(), NOW + 1007), ok(&again));
    assert_eq!(registry.get("a1", NOW + 1007), ok(&again));
}

#[test]
fn only_so_many_agents_can_be_registered() {
    let mut registry = registry();
    let mut register = |id: &str| registry.register(card(id, "[]").as_bytes(), NOW);
    for number in 0..MOST_AGENTS {
        assert_eq!(register(&format!("a{number}")).status, 200);
    }
    assert_eq!(register("one-more"), failed(503, "too many agents are registered"));
    // Those that are registered can register again.
    assert_eq!(register("a0").status, 200);
    registry.delete("a0", NOW);
    assert_eq!(registry.register(card("one-more", "[]").as_bytes(), NOW).status, 200);
}

#[test]
fn only_so_many_bytes_of_cards_can_be_registered() {
    let mut registry = registry();
    let long = " ".repeat(MOST_CARD_BYTES / 2 - 1000);
    let mut register = |id: &str, now| {
        registry.register(format!("{}{long}", card(id, "[]")).as_bytes(), now).status
    };
    assert_eq!([register("a1", NOW), register("a2", NOW), register("a3", NOW)], [200, 200, 503]);
    assert_eq!(register("a2", NOW), 200);
    // They give their places back when they expire.
    let later = NOW + 300_001;
    assert_eq!(
        [register("a3", later), register("a4", later), register("a5", later)],
        [200, 200, 503]
    );
}

#[test]
fn a_heartbeat_moves_the_time_and_keeps_the_agent() {
    let mut registry = registry();
    registry.register(card("a1", "[]").as_bytes(), NOW);
    let heartbeat = br#"{"agent_id":"a1"}"#;
    let answer = r#"{"agent_id":"a1","last_seen":"2026-09-16T18:51:44.999Z"}"#;
    assert_eq!(registry.heartbeat(heartbeat, NOW + 299_999), ok(answer));
    assert_eq!(registry.get("a1", NOW + 599_998).status, 200);
    assert_eq!(registry.heartbeat(heartbeat, NOW + 599_999), failed(400, "agent not found"));
    assert_eq!(registry.heartbeat(b"x", NOW), failed(400, "invalid JSON"));
}

#[test]
fn agents_leave() {
    let mut registry = registry();
    let gone = ok(r#"{"agent_id":"a1"}"#);
    registry.register(card("a1", "[]").as_bytes(), NOW);
    assert_eq!(registry.deregister(br#"{"agent_id":"a1"}"#, NOW), gone);
    assert_eq!(registry.deregister(br#"{"agent_id":"a1"}"#, NOW), failed(404, "agent not found"));
    registry.register(card("a1", "[]").as_bytes(), NOW);
    assert_eq!(registry.delete("a1", NOW), gone);
    assert_eq!(registry.delete("a1", NOW), failed(404, "agent not found"));
    assert_eq!(registry.delete("A", NOW), failed(404, "agent not found"));
    assert_eq!(registry.get("a1", NOW), failed(404, "agent not found"));
    assert_eq!(registry.deregister(b"{}", NOW), failed(400, "agent_id is required"));
}

#[test]
fn agents_given_at_start_and_a_lifetime_of_zero_never_expire() {
    let mut registry = registry();
    registry.add_permanent(Card::from_argument("a1=http://h/?a=b").unwrap(), NOW);
    let id = AgentId::parse("a1").unwrap();
    let found = registry.find(&id, u64::MAX).unwrap();
    assert_eq!((found.card.name.as_str(), found.card.url.as_str()), ("a1", "http://h/?a=b"));
    registry.register(card("a1", "[]").as_bytes(), NOW);
    assert!(registry.find(&id, u64::MAX).is_some());
    let mut forever = Registry::new(Duration::ZERO);
    forever.register(card("a1", "[]").as_bytes(), NOW);
    assert!(forever.find(&id, u64::MAX).is_some());
    for argument in ["a1", "A=http://h", "a1=h"] {
        assert!(Card::from_argument(argument).is_err(), "{argument}");
    }
}

#[test]
fn a_list_is_a_bare_array_of_agents_with_any_of_the_tags() {
    let mut registry = registry();
    for (id, tags) in [("c1", r#"["x","y"]"#), ("a1", r#"["y"]"#), ("b1", "[]")] {
        registry.register(card(id, tags).as_bytes(), NOW);
    }
    let mut ids = |tags: &[&str], limit| {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let reply = registry.list(&Ok(ListQuery { tags, limit }), NOW);
        assert_eq!(reply.status, 200);
        let list: Vec<serde_json::Value> = serde_json::from_slice(&reply.body).unwrap();
        list.iter().map(|card| card["agent_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[], None), ["a1", "b1", "c1"]);
    assert_eq!(ids(&["y"], None), ["a1", "c1"]);
    assert_eq!(ids(&["x", "z"], None), ["c1"]);
    assert_eq!(ids(&["z"], None), [""; 0]);
    assert_eq!(ids(&["y"], Some(1)), ["a1"]);
    let error = ListQuery::parse("limit=x").unwrap_err();
    let reply = failed(400, "invalid query: limit must be a whole number above 0");
    assert_eq!(registry.list(&Err(error), NOW), reply);
}

#[test]
fn a_card_that_is_wrong_says_what_is() {
    let with = |extra: &str| format!(r#"{{"agent_id":"a1","name":"n","url":"http://h",{extra}}}"#);
    let id = "invalid agent_id: it must match [a-z0-9-]{2,128}";
    let url = "url must be an absolute http or https URL";
    let table = [
        ("", "invalid JSON"),
        ("[]", "body must be an object"),
        ("{}", "agent_id is required"),
        (r#"{"agent_id":1}"#, "agent_id must be a string"),
        (r#"{"agent_id":"A"}"#, id),
        (r#"{"agent_id":"a1"}"#, "name is required"),
        (r#"{"agent_id":"a1","name":""}"#, "name is required"),
        (r#"{"agent_id":"a1","name":"n"}"#, "url is required"),
        (r#"{"agent_id":"a1","name":"n","url":"/x"}"#, url),
        (r#"{"agent_id":"a1","name":"n","url":"ftp://h"}"#, url),
        (&with(r#""version":1"#), "version must be a string"),
        (&with(r#""skills":{}"#), "skills must be an array of objects"),
        (&with(r#""skills":[1]"#), "skills must be an array of objects"),
        (&with(r#""skills":[{"tags":"x"}]"#), "skills: tags must be an array of strings"),
        (&with(r#""skills":[{"id":1}]"#), "skills: id must be a string"),
        (&with(r#""defaultInputModes":[1]"#), "defaultInputModes must be an array of strings"),
        (&with(r#""kind":"x""#), "kind must be \"murmur-capsule\""),
        (&with(r#""kind":1"#), "kind must be a string"),
    ];
    for (body, error) in table {
        assert_eq!(Card::parse(body.as_bytes()).unwrap_err(), error, "{body}");
        assert_eq!(registry().register(body.as_bytes(), NOW), failed(400, error));
    }
}

#[test]
fn unknown_keys_are_ignored_and_a_capsule_says_so() {
    let body = br#"{"x":{},"agent_id":"a1","name":"n","url":"HTTPS://h","kind":"murmur-capsule",
        "description":null,"registered_at":"x"}"#;
    let card = Card::parse(body).unwrap();
    assert_eq!(card.kind, AgentKind::MurmurCapsule);
    let registration = Registration::new(card, None, NOW);
    let json = registration.to_json();
    assert!(String::from_utf8_lossy(&json).contains(r#""kind":"murmur-capsule","registered_at":"#));
    assert_eq!(Registration::parse(&json).unwrap(), registration);
    assert!(Registration::parse(body).is_err());
}

#[test]
fn urls_are_absolute() {
    let table = [
        ("http://h", false, "h", "/"),
        ("https://h:8/a/b?c=d", true, "h:8", "/a/b?c=d"),
        ("HTTP://[::1]:80?x", false, "[::1]:80", "/?x"),
        ("http://[::1]/", false, "[::1]", "/"),
    ];
    for (text, https, authority, path) in table {
        let url = AgentUrl::parse(text).unwrap();
        assert_eq!(url.as_str(), text);
        assert_eq!((url.is_https(), url.authority()), (https, authority));
        assert_eq!(url.path_with_query(), path);
    }
    for text in [
        "",
        "h",
        "//h",
        "http:/h",
        "http://",
        "http:///x",
        "http://:1",
        "http://h:",
        "http://h:x",
        "http://h:+1",
        "http://h:65536",
        "http://u@h",
        "http://h#f",
        "http://h h",
        "http://é",
        "http://[::1",
        "http://[]",
        "http://[::1]x",
        "file:///x",
    ] {
        assert_eq!(AgentUrl::parse(text), None, "{text}");
    }
}

#[test]
fn times_are_of_fixed_width() {
    let table = [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (u64::MAX, "9999-12-31T23:59:59.999Z"),
    ];
    for (millis, text) in table {
        assert_eq!(timestamp::format(millis), text);
    }
    for text in [
        "",
        "2024-02-30T00:00:00.000Z",
        "2024-00-01T00:00:00.000Z",
        "2024-01-00T00:00:00.000Z",
        "1969-12-31T23:59:59.999Z",
        "2024-01-01T24:00:00.000Z",
        "2024-01-01 00:00:00.000Z",
        "2024-01-01T00:00:00Z",
        "+024-01-01T00:00:00.000Z",
        "2024-01-01T00:00:00.000Z ",
    ] {
        assert_eq!(timestamp::parse(text), None, "{text}");
    }
}

#[test]
fn the_well_known_cards_point_at_the_gateway() {
    let gateway: serde_json::Value =
        serde_json::from_slice(&gateway_card("http://g:9090", "0.1.0")).unwrap();
    assert_eq!(gateway["url"], "http://g:9090");
    assert_eq!(gateway["version"], "0.1.0");
    assert_eq!(gateway["capabilities"]["streaming"], true);
    let card = Card::parse(card("a1", r#"["t"]"#).as_bytes()).unwrap();
    assert_eq!(
        String::from_utf8(agent_card(&card, "http://g:9090")).unwrap(),
        r#"{"name":"n","description":"","version":"","url":"http://g:9090/a2a/a1","capabilities":{"streaming":true},"skills":[{"id":"s","name":"","description":"","tags":["t"]}],"defaultInputModes":["text"],"defaultOutputModes":["text"],"protocolVersions":["1.0"]}"#
    );
}

proptest! {
    #[test]
    fn times_parse_back_and_compare_as_strings(a in 0..253_402_300_799_999u64, b in 0..253_402_300_799_999u64) {
        prop_assert_eq!(timestamp::parse(&timestamp::format(a)), Some(a));
        prop_assert_eq!(a.cmp(&b), timestamp::format(a).cmp(&timestamp::format(b)));
    }

    #[test]
    fn no_input_panics(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = (AgentUrl::parse(&text), timestamp::parse(&text), named_agent(&bytes));
        let _ = (AgentUrl::parse(&format!("http://{text}")), Card::from_argument(&text));
        registry().register(&bytes, NOW);
    }
}
