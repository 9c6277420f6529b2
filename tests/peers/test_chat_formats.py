"""Bodies for chats by what their makers publish: Microsoft's parser of Adaptive Cards, and Slack's types of blocks."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from peers.npm import fetched

from ipam_core.model.event_texts import TEXTS
from ipam_core.workers import notification_formats as formats
from ipam_core.workers.notification_texts import Message, message_of

pytestmark = pytest.mark.peers

PARSE = """
const AC = require("adaptivecards/dist/adaptivecards.js");
const faults = JSON.parse(require("fs").readFileSync(0, "utf8")).map((given) => {
  const card = new AC.AdaptiveCard();
  const context = new AC.SerializationContext(AC.Versions.v1_4);
  card.parse(given, context);
  const found = [];
  for (let at = 0; at < context.eventCount; at++) found.push(context.getEventAt(at).message);
  const missing = card.validateProperties().validationEvents.map((event) => event.message);
  return [...found, ...missing];
});
console.log(JSON.stringify(faults));
"""
TYPED = """import type {{ KnownBlock }} from "@slack/types";
type Body = {{ text: string; blocks: KnownBlock[] }};
export const bodies: Body[] = {bodies};
"""
TYPESCRIPT = "5.9.3"


def messages() -> list[Message]:
    """One of each event of the service, with a link and without."""
    payloads = [
        {"type": type_, "timestamp": "2026-11-27T10:15:00.000Z", "data": text.example}
        for type_, text in TEXTS.items()
    ]
    return [message_of(payload, url) for payload in payloads for url in ("https://ipam.example.net", "")]


def faults_of(cards: list[Any]) -> list[list[str]]:
    told = subprocess.run(
        ["node", "-e", PARSE], cwd=fetched("adaptivecards@3"), input=json.dumps(cards).encode(), capture_output=True,
        timeout=60, check=True,
    )  # fmt: skip
    found: list[list[str]] = json.loads(told.stdout)
    return found


def test_microsofts_parser_takes_every_card() -> None:
    cards = [formats.teams(message)["attachments"][0]["content"] for message in messages()]
    assert faults_of(cards) == [[] for _ in cards]


def test_that_parser_finds_faults() -> None:
    good = formats.teams(messages()[0])["attachments"][0]["content"]
    blocks = [
        {"type": "RichTextBlok"},
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": "x", "color": "Red"}]},
    ]
    (faults,) = faults_of([good | {"body": blocks, "actions": [{"type": "Action.OpenUrl", "title": "x"}]}])
    assert len(faults) == 3, faults


def compiled(folder: Path, bodies: list[Any]) -> subprocess.CompletedProcess[str]:
    library = fetched("@slack/types@2", f"typescript@{TYPESCRIPT}")
    source = folder / "bodies.ts"
    source.write_text(TYPED.format(bodies=json.dumps(bodies)))
    (folder / "node_modules").symlink_to(library / "node_modules")
    command = [
        "node",
        "node_modules/typescript/bin/tsc",
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        source.name,
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_slacks_types_take_every_body(tmp_path: Path) -> None:
    told = compiled(tmp_path, [formats.slack(message) for message in messages()])
    assert told.returncode == 0, told.stdout


def test_those_types_find_faults(tmp_path: Path) -> None:
    body = formats.slack(messages()[0])
    told = compiled(tmp_path, [body | {"blocks": [{"type": "section", "txt": "x"}, *body["blocks"]]}])
    assert "error TS" in told.stdout
