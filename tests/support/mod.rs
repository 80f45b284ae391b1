//! What the tests share. No rule of the protocol lives here.

pub(crate) mod agent;
mod capsule;
pub(crate) mod client;
mod expected;
mod requests;
mod tasks;

pub(crate) use capsule::{QUEUE, Served, builder, builder_with_heartbeats};
pub(crate) use client::{Client, frames};
pub(crate) use expected::{
    ACK, BEAT, CLOSED, NOT_FOUND, STREAM_HEAD, TaskFrames, gap, json_answer, minted,
};
pub(crate) use requests::{
    WATCH, message, post, post_with, stream_body, stream_body_of, submission, watch_with,
};
pub(crate) use tasks::{TASK_NOT_FOUND, scenario};
