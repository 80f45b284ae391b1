#!/usr/bin/env python3
"""The Python client of the contract page ("Stream a task"), for any gateway and agent.

    pip install -r tests/clients/requirements.txt
    python tests/clients/a2a_httpx_sse.py --url http://localhost:9090 --agent stream-agent-01

It ends with 0 only where it got at least one task.status and then a task.done (or, with
--accept-error, a task.error), each of them an envelope of the same stream.
"""

import argparse
import asyncio
import json
import sys

import httpx
from httpx_sse import aconnect_sse

TERMINAL = ("task.done", "task.error")
TYPES = {
    "task.status": "status_update",
    "task.artifact": "artifact",
    "task.done": "done",
    "task.error": "error",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Streams one task and checks its frames.")
    parser.add_argument("--url", default="http://localhost:9090", help="the gateway's base URL")
    parser.add_argument("--agent", default="stream-agent-01", help="the agent's id")
    parser.add_argument("--text", default="Stream me some updates", help="the message's text")
    parser.add_argument("--timeout", type=float, default=60, help="seconds without a byte")
    parser.add_argument("--accept-error", action="store_true", help="a task.error will do as well")
    return parser.parse_args()


def check(event: str, data: object, stream_ids: set[str]) -> None:
    """Raises where a frame is not as the page says ("Event types")."""
    if not isinstance(data, dict) or list(data) != ["stream_id", "type", "payload"]:
        raise ValueError(f"not an envelope: {data}")
    stream_ids.add(data["stream_id"])
    if len(stream_ids) != 1:
        raise ValueError(f"not one stream: {stream_ids}")
    if event in TYPES and data["type"] != TYPES[event]:
        raise ValueError(f"{event} of type {data['type']}")
    if event not in TYPES and (event != "message" or data["type"] in TYPES.values()):
        raise ValueError(f"{event} of type {data['type']}")


async def main(options: argparse.Namespace) -> int:
    payload = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "message/stream",
        "params": {
            "message": {"parts": [{"text": options.text}]},
        },
    }

    events: list[str] = []
    stream_ids: set[str] = set()
    async with httpx.AsyncClient(timeout=options.timeout) as client:
        print("Connecting to SSE stream...")
        async with aconnect_sse(
            client,
            "POST",
            f"{options.url}/a2a/{options.agent}",
            json=payload,
            headers={"Accept": "text/event-stream"},
        ) as event_source:
            # Fails where the answer is no 200 or no event stream, such as a JSON-RPC error.
            event_source.response.raise_for_status()
            async for event in event_source.aiter_sse():
                data = json.loads(event.data)
                print(f"[{event.event}] {json.dumps(data)}")
                check(event.event, data, stream_ids)
                events.append(event.event)
                if event.event in TERMINAL:
                    break

    print(f"\nReceived {len(events)} events")
    if "task.status" not in events:
        print("No task.status came.", file=sys.stderr)
        return 1
    if events[-1] not in (TERMINAL if options.accept_error else ("task.done",)):
        print(f"The last event is {events[-1]}, which does not do.", file=sys.stderr)
        return 1
    print("Stream completed!")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(arguments())))
    except Exception as error:  # noqa: BLE001: whatever it is, the stream was not what it should be
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
