"""What notifications say, and that no text of an event becomes more than text in a chat."""

from typing import Any

import pytest

from ipam_core.errors import ValidationError
from ipam_core.model.event import OBJECTS, PING, TYPES
from ipam_core.model.event_texts import TEXTS
from ipam_core.model.notification import (
    BY_DEFAULT,
    NewNotification,
    check_notification,
    chosen_types,
    severity_of,
)
from ipam_core.workers import notification_formats as formats
from ipam_core.workers.notification_texts import LEASES, LONGEST_SENTENCE, SENTENCES, Message, message_of

AT = "2026-11-27T10:15:00.000Z"
LEASE = {"ip": "10.0.0.5", "mac": "02:00:00:00:00:01", "hostname": "laptop", "lease_id": "1"}
HOSTILE = "<!channel> @all **x** [a](http://evil.example) `code` <b>&amp;\r\nBcc: x\u202e"


def said(type_: str, data: dict[str, Any], url: str = "") -> Message:
    return message_of({"type": type_, "timestamp": AT, "data": data}, url)


@pytest.mark.parametrize("type_", sorted(set(TEXTS) - {PING}))
def test_each_event_of_the_service_has_a_sentence_of_its_own(type_: str) -> None:
    assert type_ in SENTENCES
    sentence = said(type_, TEXTS[type_].example).sentence
    assert sentence.endswith(".")
    assert "None" not in sentence


@pytest.mark.parametrize("type_", sorted(TYPES - {PING, "notification.summary"}))
def test_no_event_is_without_a_sentence(type_: str) -> None:
    """Even if its data lacks every field, as that of another version may."""
    assert said(type_, {}, "https://ipam.example.net").sentence


def test_leases_and_changes() -> None:
    assert {f"lease.{word}" for word in LEASES} == {type_ for type_ in TYPES if type_.startswith("lease.")}
    assert said("lease.declined", LEASE).sentence == "10.0.0.5 was declined by laptop (02:00:00:00:00:01)."
    assert (
        said("lease.granted", {"ip": "10.0.0.5", "duid": "0001"}).sentence == "10.0.0.5 was leased to 0001."
    )
    change = {"object_id": "7", "after": {"name": "noc", "cidr": "10.0.0.0/24"}, "token_name": "alice"}
    assert said("subnet.updated", change).sentence == "Subnet noc was updated by alice."
    deleted = {"object_id": "7", "before": {"cidr": "10.0.0.0/24"}, "after": None, "token_name": None}
    assert said("prefix.deleted", deleted).sentence == "Prefix 10.0.0.0/24 was deleted."
    assert said("subnet.updated", {"object_id": "7"}).sentence == "Subnet 7 was updated."


def test_a_url_that_is_a_credential_is_reduced_to_its_host() -> None:
    change = {"object_id": "7", "after": {"url": "https://hooks.example/T0/s3cr3t?key=k3y"}}
    message = said("webhook.created", change)
    assert message.sentence == "Webhook https://hooks.example/ was created."
    assert "s3cr3t" not in str(message)


@pytest.mark.parametrize(
    ("type_", "data", "place"),
    [
        ("subnet.updated", {"object_id": "a/b"}, "/subnets/a%2Fb"),
        ("pool.exhausted", {"subnet_id": "7"}, "/subnets/7"),
        ("dns.secondary_behind", {"zone_id": "7"}, "/dns/zones/7"),
        ("lease.granted", {"lease_id": "7", "subnet_id": "8"}, "/leases?lease=7"),
        ("node.down", {}, "/nodes"),
        ("relay.untrusted", {}, "/relays"),
        ("license.threshold", {}, "/overview"),
    ],
)
def test_links_lead_to_the_screen(type_: str, data: dict[str, Any], place: str) -> None:
    assert (
        said(type_, data, "https://ipam.example.net/x").link == f"https://ipam.example.net/x/console{place}"
    )
    assert said(type_, data).link == ""


def test_severities() -> None:
    assert {severity_of(type_) for type_ in TYPES} == {"info", "warning", "critical"}
    assert chosen_types([], "info") == BY_DEFAULT
    assert chosen_types([], "critical") == {"pool.exhausted", "node.down"}
    assert chosen_types(["subnet.*", "lease.declined"], "warning") == {"lease.declined"}
    assert not BY_DEFAULT & OBJECTS
    assert not any(type_.startswith("lease.") for type_ in BY_DEFAULT)


def test_values_are_of_one_line_and_bounded() -> None:
    message = said("node.degraded", {"name": HOSTILE, "detail": "x" * 10_000})
    assert message.sentence.isprintable()
    assert len(said("node.down", {"name": "x" * 10_000}).sentence) == LONGEST_SENTENCE
    assert max(len(value) for _, value in message.facts) == 200


def test_hostile_texts_stay_texts() -> None:
    message = said("node.down", {"name": HOSTILE, "silent_seconds": 31}, "https://ipam.example.net")
    slack = formats.slack(message)
    assert "<!" not in slack["text"]
    assert "&lt;!channel&gt;" in slack["text"]
    kinds = {block["text"]["type"] for block in slack["blocks"] if "text" in block}
    assert kinds == {"plain_text"}
    mattermost = formats.mattermost(message)["text"]
    assert "@\u200ball" in mattermost
    assert "\\[a\\]\\(http" in mattermost
    assert "\\`code\\`" in mattermost
    card = formats.teams(message)["attachments"][0]["content"]
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    assert formats.ntfy(message, "t", None)["priority"] == 5
    assert formats.ntfy(message, "t", 1)["priority"] == 1
    assert "click" not in formats.ntfy(said("node.down", {}), "t", None)


def test_bodies_fit_the_limits_of_the_chats() -> None:
    """3,000 characters of a section and 2,000 of a field in Slack, 28 KiB in Teams, 4,096 octets in ntfy."""
    fields = dict.fromkeys(
        ("name", "detail", "error", "cidr", "relay", "expires_at", "token_name", "remote_address"),
        "\u6771&" * 5000,
    )
    message = said("node.degraded", fields, "https://ipam.example.net")
    slack = formats.slack(message)
    assert all(len(block["text"]["text"]) <= 3000 for block in slack["blocks"] if "text" in block)
    assert all(len(field["text"]) <= 2000 for field in slack["blocks"][1]["fields"])
    assert len(str(formats.teams(message)).encode()) < 28 * 1024
    assert len(formats.ntfy(message, "t", None)["message"].encode()) <= 4096


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "slack"}, "url"),
        ({"kind": "slack", "url": "https://a.example/", "topic": "x"}, "topic"),
        ({"kind": "slack", "url": "https://a.example/", "priority": 3}, "priority"),
        ({"kind": "slack", "url": "https://me:pw@a.example/"}, "url"),
        ({"kind": "ntfy", "url": "https://ntfy.sh/"}, "topic"),
        ({"kind": "ntfy", "url": "https://ntfy.sh/topic", "topic": "x"}, "url"),
        ({"kind": "mail"}, "recipients"),
        ({"kind": "mail", "recipients": ("a@b.example",), "url": "https://a.example/"}, "url"),
        ({"kind": "mail", "recipients": ("a@b.example", "a\r\nBcc: b@c.example")}, "recipients[1]"),
        ({"kind": "mail", "recipients": ("no address",)}, "recipients[0]"),
        ({"kind": "mail", "recipients": ("a@b.example",), "events": ("x.y",)}, "events[0]"),
    ],
)
def test_what_does_not_fit_its_kind_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check_notification(NewNotification(name="n", **fields))
    assert caught.value.field == field
