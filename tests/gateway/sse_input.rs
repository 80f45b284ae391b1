//! How an agent's event stream is read: as the SSE standard says (details page, section 5).

use crate::support::{Caller, EVENT_STREAM, ID, Setup, simulated};
use host_harness::gateway::Settings;

const ENDED_EARLY: &str = "internal error: agent stream ended before a terminal event";

/// Streams, and the payloads of their untyped frames.
const STREAMS: [(&str, &[&str]); 12] = [
    ("data: 1\n\ndata: 2\n\n", &["1", "2"]),
    ("data: 1\r\n\r\ndata: 2\r\n\r\n", &["1", "2"]),
    ("data: 1\r\rdata: 2\r\r", &["1", "2"]),
    ("data: 1\r\n\rdata: 2\n\r\n", &["1", "2"]),
    ("\u{feff}data: 1\n\n\u{feff}data: 2\n\n", &["1"]),
    (":\n: ping\n\ndata: 1\n: in between\n\n:data: 2\n\n", &["1"]),
    ("data: [1,\ndata: 2\ndata:]\n\n", &["[1,2]"]),
    ("data: a\ndata:  b\ndata\ndata:\n\n", &[r#""a\n b\n\n""#]),
    ("data:1\n\n", &["1"]),
    ("id: 1\nretry: 5\nunknown: x\ndata: 1\n\nid: 2\nevent: x\n\n", &["1"]),
    ("data: é€😀\n\ndata: \"\u{2028}\"\n\n", &["\"é€😀\"", "\"\u{2028}\""]),
    ("data: 1\n\ndata: {\"type\":\"done\"}\n", &["1"]),
];

/// Expects the frames of a stream that has no terminal event.
async fn expect_payloads(caller: &mut Caller, payloads: &[&str]) {
    caller.head().await;
    for payload in payloads {
        caller.frame("message", "", payload).await;
    }
    caller.error(-32603, ENDED_EARLY).await;
}

#[tokio::test(start_paused = true)]
async fn lines_comments_and_fields_are_read_as_the_standard_says() {
    let (gateway, mut agent) = simulated().await;
    for (stream, payloads) in STREAMS {
        let mut caller = gateway.stream().await;
        let mut exchange = agent.accept().await;
        exchange.send(stream).await;
        drop(exchange);
        expect_payloads(&mut caller, payloads).await;
    }
}

/// The agent's connection holds one byte, so that each is read by itself: a stream is cut at every
/// place, inside characters and between CR and LF.
#[tokio::test(start_paused = true)]
async fn a_stream_may_be_cut_at_every_byte() {
    let mut setup = Setup::new(Settings::default());
    let mut agent = setup.agent_with_buffer(ID, 1);
    let gateway = setup.simulated().await;
    for (stream, payloads) in STREAMS {
        let mut caller = gateway.stream().await;
        let mut exchange = agent.request().await;
        exchange.send(EVENT_STREAM).await;
        exchange.send(stream).await;
        drop(exchange);
        expect_payloads(&mut caller, payloads).await;
    }
}

/// Both framings of a body, and chunks that end where no event does.
#[tokio::test(start_paused = true)]
async fn a_chunked_stream_is_relayed_chunk_by_chunk() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    exchange
        .send(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
             transfer-encoding: chunked\r\n\r\n",
        )
        .await;
    caller.head().await;
    exchange.send("a\r\ndata: 1\n\nd\r\n").await;
    caller.frame("message", "", "1").await;
    exchange.send("5\r\nata: \r\n").await;
    exchange.send("3\r\n2\n\n\r\n").await;
    caller.frame("message", "", "2").await;
    let done = "data: {\"type\":\"done\",\"payload\":3}\n\n";
    exchange.send(format!("{:x}\r\n{done}\r\n0\r\n\r\n", done.len())).await;
    caller.done("3").await;
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_not_utf_8_are_replaced() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.send(b"data: a\xffb\xe2\x82\n\n").await;
    caller.frame("message", "", "\"a\u{fffd}b\u{fffd}\"").await;
}
