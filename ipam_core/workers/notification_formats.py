"""Bodies of messages as each chat takes them.

Texts of events are data: nothing in them may become a mention, a link or formatting. So plain text elements are used
where a format has them, and everything else is escaped.
"""

import re
from collections.abc import Callable
from typing import Any

from ipam_core.model.notification import Severity
from ipam_core.workers.notification_texts import Message

OPEN = "Open in the console"
NTFY_OCTETS = 4096  # of a message; a longer one becomes a file
SLACK_FIELDS = 10  # https://docs.slack.dev/reference/block-kit/blocks/section-block
PRIORITIES: dict[Severity, int] = {"info": 3, "warning": 4, "critical": 5}
COLORS: dict[Severity, str] = {"info": "Default", "warning": "Warning", "critical": "Attention"}
TAGS: dict[Severity, list[str]] = {"info": [], "warning": ["warning"], "critical": ["rotating_light"]}
WORDS: dict[Severity, str] = {"info": "", "warning": "Warning: ", "critical": "Critical: "}
MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~:])")

Body = dict[str, Any]


def heading(message: Message) -> str:
    """Return the sentence, with its severity before it."""
    return WORDS[message.severity] + message.sentence


def slack(message: Message) -> Body:
    """Return the message for an incoming webhook with blocks; a text of blocks is never read as markup, but for `&`,
    `<` and `>`."""
    blocks: list[Body] = [{"type": "section", "text": slack_text(heading(message))}]
    if message.facts:
        fields = [slack_text(f"{label}: {value}") for label, value in message.facts[:SLACK_FIELDS]]
        blocks.append({"type": "section", "fields": fields})
    context = [slack_text(f"{message.at} · {message.type}")]
    if message.link:
        context.append({"type": "mrkdwn", "text": f"<{slack_escaped(message.link)}|{OPEN}>"})
    blocks.append({"type": "context", "elements": context})
    return {"text": slack_escaped(heading(message)), "blocks": blocks}


def slack_text(text: str) -> Body:
    return {"type": "plain_text", "text": slack_escaped(text), "emoji": False}


def slack_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def teams(message: Message) -> Body:
    """Return a message with an Adaptive Card, for the workflow "Post to a channel when a webhook request is received".
    Text runs are not read as Markdown, in contrast to text blocks."""
    body = [teams_text(heading(message), weight="Bolder", color=COLORS[message.severity])]
    body += [teams_text(f"{label}: {value}") for label, value in message.facts]
    body.append(teams_text(f"{message.at} · {message.type}", isSubtle=True, size="Small"))
    card: Body = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    if message.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": OPEN, "url": message.link}]
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [content]}


def teams_text(text: str, **style: Any) -> Body:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}


def mattermost(message: Message) -> Body:
    """Return the message for an incoming webhook; its text is Markdown, and an @ would be a mention."""
    lines = [f"**{markdown_escaped(heading(message))}**"]
    lines += [f"{label}: {markdown_escaped(value)}" for label, value in message.facts]
    lines.append(markdown_escaped(f"{message.at} · {message.type}"))
    if message.link:
        lines.append(f"[{OPEN}]({message.link})")
    return {"text": "  \n".join(lines)}


def markdown_escaped(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", text).replace("@", "@\u200b")


def ntfy(message: Message, topic: str, priority: int | None) -> Body:
    """Return a message published as JSON (https://docs.ntfy.sh/publish/#publish-as-json); it is plain text."""
    body: Body = {
        "topic": topic,
        "title": heading(message)[:250],
        "message": cut(in_lines(message), NTFY_OCTETS),
        "priority": priority or PRIORITIES[message.severity],
        "tags": TAGS[message.severity],
    }
    return body | ({"click": message.link} if message.link else {})


def cut(text: str, octets: int) -> str:
    """Return the beginning of a text that has at most so many octets."""
    return text.encode()[:octets].decode("utf-8", "ignore")


def in_lines(message: Message) -> str:
    """Return the message as plain text of several lines."""
    lines = [message.sentence, *(f"{label}: {value}" for label, value in message.facts)]
    lines += [f"Time: {message.at}", f"Event: {message.type}"]
    return "\n".join([*lines, *([message.link] if message.link else [])])


CHATS: dict[str, Callable[[Message], Body]] = {"slack": slack, "teams": teams, "mattermost": mattermost}
