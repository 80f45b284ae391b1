//! What stops a driver or tool, what does not, and what it can reach.

use crate::support::agent::{agent_with, load_bytes, run, script};
use crate::support::{QUEUE, Served, TaskFrames, builder};
use host_harness::components::{ComponentRuntime, ComponentSettings, shipped};
use host_harness::turn_loop::{AgentSettings, ComponentAgent};
use serde_json::json;
use std::fs;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn short() -> ComponentSettings {
    ComponentSettings {
        compute: Duration::from_millis(300),
        memory_bytes: 16 * 1024 * 1024,
        ..Default::default()
    }
}

async fn served(components: ComponentSettings) -> Served {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    run(agent_with(components, AgentSettings::default()), served.handle());
    served
}

/// The frames of a task with this script, without those of its end.
async fn frames(served: &Served, steps: &[&str]) -> String {
    served.submit(&script(steps)).await.rest().await
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_computes_or_grows_without_end_is_stopped_and_the_capsule_goes_on() {
    let served = served(short()).await;
    for (number, step) in ["spin", "grow"].iter().enumerate() {
        let names = TaskFrames::nth(number);
        let expected =
            [names.working(0, 1), names.text(1, "a"), names.failed(1, "session ended")].concat();
        assert_eq!(frames(&served, &["say a", step]).await, expected);
    }
    assert_eq!(frames(&served, &["say hi"]).await, TaskFrames::nth(2).run("hi"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_computes_or_grows_without_end_fails_with_the_reason() {
    let served = served(short()).await;
    for (step, reason) in [
        ("spin", "tool 'work' trapped: it computed for longer than 300ms"),
        ("grow", "tool 'work' trapped: it takes more than 16 MiB of memory"),
    ] {
        let call = format!("call work {}", json!({ "do": [step] }));
        let frames = frames(&served, &[&call, "turn", "end went on"]).await;
        assert!(
            frames.contains(&format!(r#""content":"{reason}","fence_source":null"#)),
            "{frames}"
        );
        assert!(frames.contains(r#""response":"went on""#), "{frames}");
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_is_not_computing() {
    let served = served(short()).await;
    let frames = frames(&served, &["wait 1800000", "say hi"]).await;
    assert_eq!(frames, TaskFrames::nth(0).run("hi"));
}

#[tokio::test]
async fn outgoing_http_reaches_allowed_hosts_only() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = server.accept().await.unwrap();
            let mut request = [0; 1024];
            let length = stream.read(&mut request).await.unwrap();
            assert!(request[..length].starts_with(b"GET /weather HTTP/1.1\r\n"));
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nsunny";
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let port = address.port();
    for (allowed, content) in [
        (vec!["127.0.0.1".to_owned()], "sunny"),
        (vec!["example.com".to_owned(), address.to_string()], "sunny"),
        (vec![], "ErrorCode::HttpRequestDenied"),
        (
            vec![format!("127.0.0.1:{}", port ^ 1), "localhost".to_owned()],
            "ErrorCode::HttpRequestDenied",
        ),
    ] {
        let allowed_hosts = allowed.iter().map(|host| host.parse().unwrap()).collect();
        let served = Served::on_a_socket(builder()).await;
        let components = ComponentSettings { allowed_hosts, ..Default::default() };
        run(agent_with(components, AgentSettings::default()), served.handle());
        let call =
            format!("call work {}", json!({"do": [format!("get http://{address}/weather")]}));
        let frames = frames(&served, &[&call, "turn", "end"]).await;
        assert!(frames.contains(&format!(r"\n{content}\n</untrusted-content>")), "{frames}");
    }
}

#[tokio::test(start_paused = true)]
async fn components_see_the_variables_that_were_chosen_and_no_other() {
    let env = vec![("ENDPOINT".to_owned(), "https://example.com".to_owned())];
    let served = served(ComponentSettings { env, ..Default::default() }).await;
    for (variable, content) in [("ENDPOINT", "https://example.com"), ("PATH", "")] {
        let call = format!("call work {}", json!({"do": [format!("env {variable}")]}));
        let frames = frames(&served, &[&call, "turn", "end"]).await;
        assert!(
            frames.contains(&format!(r"=tool:work>\n{content}\n</untrusted-content>")),
            "{frames}"
        );
    }
}

/// A component's bytes with another version of WASI 0.2 in the names of its imports.
fn with_wasi(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    let mut replaced = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|w| w == from.as_bytes()) {
        at += found + from.len();
        bytes[at - from.len()..at].copy_from_slice(to.as_bytes());
        replaced += 1;
    }
    assert!(replaced > 10, "the component imports no WASI {from}");
    bytes
}

#[tokio::test(start_paused = true)]
async fn components_of_every_wasi_from_0_2_6_to_0_2_12_run_unchanged() {
    let driver = fs::read(shipped::scripted_driver()).unwrap();
    let tool = fs::read(shipped::scripted_tool()).unwrap();
    let runtime = ComponentRuntime::new(ComponentSettings::default()).unwrap();
    for (driver_wasi, tool_wasi) in [(6, 10), (7, 11), (8, 12), (9, 12)] {
        let driver = with_wasi(&driver, "@0.2.0", &format!("@0.2.{driver_wasi}"));
        let tool = with_wasi(&tool, "@0.2.12", &format!("@0.2.{tool_wasi}"));
        let agent = ComponentAgent::new(load_bytes(&runtime, driver), AgentSettings::default())
            .tool("work", load_bytes(&runtime, tool));
        let served = Served::simulated(builder()).await;
        run(agent, served.handle());
        let call = format!("call work {}", json!({"do": ["wait 5", "return found it"]}));
        let frames = frames(&served, &[&call, "turn", "wait 5", "say hi"]).await;
        assert!(frames.contains("found it"), "{frames}");
        assert!(frames.contains(r#""response":"hi""#), "{frames}");
    }
}
