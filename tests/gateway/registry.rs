//! Agents that register, and leave (details page, section 3). The clock of the registry is the
//! wall's: `protocol/tests/a2a_registry.rs` has its times to the millisecond.

use crate::support::{
    Answer, ID, PATIENCE, Setup, TestGateway, delete, get, json_answer, send_json,
};
use host_harness::gateway::Settings;
use std::time::{Duration, Instant};
use tokio::task::yield_now;

const AGENT_NOT_FOUND: &str = r#"{"error":"agent not found"}"#;

/// A gateway that was given no agent.
async fn empty() -> TestGateway {
    Setup::new(Settings::default()).simulated().await
}

async fn post(gateway: &TestGateway, call: &str, body: &str) -> Answer {
    gateway.ask(send_json("POST", &format!("/agents/{call}"), "", body)).await
}

fn card(id: &str, tags: &str) -> String {
    format!(
        r#"{{"agent_id":"{id}","name":"N","url":"http://h:1/x","skills":[{{"id":"s","tags":{tags}}}]}}"#
    )
}

fn full(id: &str, tags: &str, times: &(String, String)) -> String {
    let (registered_at, last_seen) = times;
    format!(
        r#"{{"agent_id":"{id}","name":"N","description":"","version":"","url":"http://h:1/x","skills":[{{"id":"s","name":"","description":"","tags":{tags}}}],"defaultInputModes":["text"],"defaultOutputModes":["text"],"protocolVersions":["1.0"],"registered_at":"{registered_at}","last_seen":"{last_seen}"}}"#
    )
}

/// The value of a string in an answer.
fn value(answer: &Answer, key: &str) -> String {
    let (_, rest) = answer.body.split_once(&format!("\"{key}\":\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// The times of a card: RFC 3339 in UTC, of fixed width.
fn times(answer: &Answer) -> (String, String) {
    let times = (value(answer, "registered_at"), value(answer, "last_seen"));
    for time in [&times.0, &times.1] {
        let shape: String =
            time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{time}");
        assert!(time.as_str() > "2026", "{time}");
    }
    times
}

/// Calls until the time that is seen is later than `before`: the clock counts milliseconds.
async fn until_later(before: &str, mut call: impl AsyncFnMut() -> Answer) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = call().await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let seen = value(&answer, "last_seen");
        if seen.as_str() > before {
            return answer;
        }
        assert_eq!(seen, before, "time goes back");
        assert!(begun.elapsed() < PATIENCE, "it stands still");
        yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_registration_is_answered_with_the_full_card_and_a_second_one_keeps_its_time() {
    let gateway = empty().await;
    let first = post(&gateway, "register", &card(ID, r#"["a"]"#)).await;
    let first_times = times(&first);
    assert_eq!(first.status, 200);
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(first.body, full(ID, r#"["a"]"#, &first_times));
    assert_eq!(first_times.0, first_times.1);

    let again = card(ID, r#"["b"]"#);
    let again =
        until_later(&first_times.1, async || post(&gateway, "register", &again).await).await;
    let again_times = times(&again);
    assert_eq!(again_times.0, first_times.0);
    let shown = full(ID, r#"["b"]"#, &again_times);
    assert_eq!(again.body, shown);
    gateway.send(get(&format!("/agents/{ID}"))).await.expect_all(json_answer(&shown)).await;
}

#[tokio::test(start_paused = true)]
async fn a_card_may_say_more() {
    let gateway = empty().await;
    let card = r#"{"agent_id":"a-2","name":"N","description":"d","version":"1","url":"https://h/","skills":[{"id":"s","name":"S","description":"sd","tags":[]}],"defaultInputModes":["a"],"defaultOutputModes":["b","c"],"protocolVersions":["0.3"],"kind":"murmur-capsule""#;
    let request = format!(r#"{card},"registered_at":"1999","last_seen":"2099","unknown":1}}"#);
    let answer = post(&gateway, "register", &request).await;
    let (registered_at, last_seen) = times(&answer);
    let times = format!(r#","registered_at":"{registered_at}","last_seen":"{last_seen}"}}"#);
    assert_eq!(answer.body, format!("{card}{times}"));
}

#[tokio::test(start_paused = true)]
async fn a_card_that_cannot_be_used_is_a_400_that_says_why() {
    let gateway = empty().await;
    let url = r#""url":"http://h/""#;
    for (body, error) in [
        ("nonsense".to_owned(), "invalid JSON"),
        ("[]".to_owned(), "body must be an object"),
        (format!(r#"{{"name":"n",{url}}}"#), "agent_id is required"),
        (
            format!(r#"{{"agent_id":"A","name":"n",{url}}}"#),
            "invalid agent_id: it must match [a-z0-9-]{2,128}",
        ),
        (format!(r#"{{"agent_id":"a1",{url}}}"#), "name is required"),
        (format!(r#"{{"agent_id":"a1","name":"",{url}}}"#), "name is required"),
        (r#"{"agent_id":"a1","name":"n"}"#.to_owned(), "url is required"),
        (
            r#"{"agent_id":"a1","name":"n","url":"/x"}"#.to_owned(),
            "url must be an absolute http or https URL",
        ),
        (
            r#"{"agent_id":"a1","name":"n","url":"ftp://h/"}"#.to_owned(),
            "url must be an absolute http or https URL",
        ),
        (
            format!(r#"{{"agent_id":"a1","name":"n",{url},"skills":{{}}}}"#),
            "skills must be an array of objects",
        ),
    ] {
        let answer = post(&gateway, "register", &body).await;
        assert_eq!((answer.status, answer.body), (400, format!(r#"{{"error":"{error}"}}"#)));
    }
    assert_eq!(gateway.ask(get("/agents")).await.body, "[]");
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_moves_the_time() {
    let gateway = empty().await;
    let registered = times(&post(&gateway, "register", &card(ID, "[]")).await);
    let body = format!(r#"{{"agent_id":"{ID}"}}"#);
    let beat = until_later(&registered.1, async || post(&gateway, "heartbeat", &body).await).await;
    let last_seen = value(&beat, "last_seen");
    assert_eq!(beat.body, format!(r#"{{"agent_id":"{ID}","last_seen":"{last_seen}"}}"#));
    let shown = gateway.ask(get(&format!("/agents/{ID}"))).await;
    assert_eq!(times(&shown), (registered.0, last_seen));

    let answer = post(&gateway, "heartbeat", r#"{"agent_id":"a2"}"#).await;
    assert_eq!((answer.status, answer.body.as_str()), (400, AGENT_NOT_FOUND));
    for body in ["{}", "nonsense", r#"{"agent_id":"A"}"#] {
        assert_eq!(post(&gateway, "heartbeat", body).await.status, 400, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_leaves_in_two_ways_and_then_it_is_not_found() {
    let gateway = empty().await;
    let body = format!(r#"{{"agent_id":"{ID}"}}"#);
    for leaves in
        [send_json("POST", "/agents/deregister", "", &body), delete(&format!("/agents/{ID}"))]
    {
        post(&gateway, "register", &card(ID, "[]")).await;
        assert_eq!(gateway.ask(&leaves).await.status, 200);
        for request in [leaves, get(&format!("/agents/{ID}"))] {
            let answer = gateway.ask(request).await;
            assert_eq!((answer.status, answer.body.as_str()), (404, AGENT_NOT_FOUND));
        }
        let mut caller = gateway.stream().await;
        assert!(caller.client.rest().await.contains("-32002"));
    }
    assert_eq!(gateway.ask(delete("/agents/no-such-agent")).await.status, 404);
    assert_eq!(post(&gateway, "deregister", "{}").await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn agents_are_listed_by_tags_and_up_to_a_limit() {
    let gateway = empty().await;
    for (id, tags) in [("a3", r#"["x","y"]"#), ("a1", r#"["x"]"#), ("a2", r#"["z"]"#)] {
        post(&gateway, "register", &card(id, tags)).await;
    }
    for (query, listed) in [
        ("", &["a1", "a2", "a3"][..]),
        ("?skill_tags=x", &["a1", "a3"]),
        ("?skill_tags=y,z", &["a2", "a3"]),
        ("?skill_tags=none", &[]),
        ("?limit=2", &["a1", "a2"]),
        ("?skill_tags=x%2Cz&limit=1", &["a1"]),
        ("?limit=100&unknown=1", &["a1", "a2", "a3"]),
    ] {
        let answer = gateway.ask(get(&format!("/agents{query}"))).await;
        let mut cards = Vec::new();
        for id in listed {
            cards.push(gateway.ask(get(&format!("/agents/{id}"))).await.body);
        }
        assert_eq!(
            (answer.status, answer.body),
            (200, format!("[{}]", cards.join(","))),
            "{query}"
        );
    }
    for query in ["?limit=0", "?limit=-1", "?limit=x", "?skill_tags=%"] {
        assert_eq!(gateway.ask(get(&format!("/agents{query}"))).await.status, 400, "{query}");
    }
}

/// What the first gives, or nothing where the second is done before.
async fn select<T>(first: impl Future<Output = T>, second: impl Future) -> Option<T> {
    tokio::select! {
        biased;
        first = first => Some(first),
        _ = second => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_registration_expires_and_what_was_given_at_start_does_not() {
    let mut setup =
        Setup::new(Settings { agent_ttl: Duration::from_millis(100), ..Settings::default() });
    let mut given = setup.agent(ID);
    let mut leaves = setup.network.agent("h:1");
    let gateway = setup.simulated().await;
    // A stream of it that runs survives it.
    let (mut caller, mut exchange) = loop {
        post(&gateway, "register", &card("a-2", "[]")).await;
        let mut caller = gateway.stream_to("a-2").await;
        // On a machine that is slow, it may have expired before.
        match select(leaves.accept(), caller.client.read_until("\r\n\r\n")).await {
            Some(exchange) => break (caller, exchange),
            None => continue,
        }
    };
    while gateway.ask(get("/agents/a-2")).await.status == 200 {
        yield_now().await;
    }
    let answer = post(&gateway, "heartbeat", r#"{"agent_id":"a-2"}"#).await;
    assert_eq!((answer.status, answer.body.as_str()), (400, AGENT_NOT_FOUND));
    caller.head().await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
    let (mut caller, mut exchange) = gateway.open(&mut given).await;
    exchange.envelope("done", "2").await;
    caller.done("2").await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_runs_survives_its_agents_leaving() {
    let mut setup = Setup::new(Settings::default());
    let mut agent = setup.agent(ID);
    let gateway = setup.simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    assert_eq!(gateway.ask(delete(&format!("/agents/{ID}"))).await.status, 200);
    exchange.envelope("status_update", "1").await;
    caller.status("1").await;
    caller.keepalive().await;
    exchange.envelope("done", "2").await;
    caller.done("2").await;
    gateway.until_no_streams().await;
}
