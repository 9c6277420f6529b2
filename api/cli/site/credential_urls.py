"""Credentials that stay out of exports: anyone who has the URL of a chat can post there, and anyone who knows a topic
too."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from api.cli.site.spelling import Fields
from api.client import Client
from api.client.errors import ApiError
from ipam_core.model import credential_url
from ipam_core.model.credential_url import host_alone

LEFT_OUT = "left out: url and topic of notifications, which are credentials; ipam apply keeps the stored ones"
IN_FILE = "the file contains url of webhooks: treat it like a password"
CONCEALED = "left out: webhooks, because only admins see all of their url"
SHORTENED = "left out: url of webhooks beyond the host, which is a credential"


def leave_out(document: Fields, client: Client, is_site_file: bool) -> list[str]:
    """Take the credentials out of an export, and return what to say about it. A site file of an admin keeps the URLs of
    webhooks, because nothing else names a webhook."""
    chats = entries(document, "notifications")
    taken = [each.pop(name, None) for each in chats for name in credential_url.OF["notification"]]
    told = [LEFT_OUT] if any(taken) else []
    hooks = entries(document, "webhooks")
    if not hooks:
        return told
    if not is_site_file:
        for each in hooks:
            each["url"] = host_alone(each["url"])
        return [*told, SHORTENED]
    if is_admin(client):
        return [*told, IN_FILE]
    for level in levels(document):
        level.pop("webhooks", None)
    return [*told, CONCEALED]


def is_admin(client: Client) -> bool:
    """Return whether the token shows whole URLs. Before the first token the host itself is asking."""
    try:
        return bool(client.request("GET", "/tokens/self")["role"] == "admin")
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return True
        raise


def levels(document: Fields) -> Iterator[Fields]:
    yield document
    yield from document.get("tenants", ())


def entries(document: Fields, name: str) -> list[dict[str, Any]]:
    return [each for level in levels(document) for each in level.get(name, ())]
