"""The management API over what every Ansible brings along: no package has to be installed where a module runs.

429 and 503 are tried again after Retry-After; what got lost on the way, only where a second one does no harm.
"""

from __future__ import annotations

import json
import time
import uuid
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode

from ansible.module_utils.basic import env_fallback
from ansible.module_utils.urls import open_url

RETRIED = (429, 503)
ATTEMPTS = 4
MOST_SECONDS = 30.0
PAGE = 500
AGENT = "ansible-ipam"

CONNECTION = {
    "api_url": {"type": "str", "required": True, "fallback": (env_fallback, ["IPAM_API_URL"])},
    "api_token": {"type": "str", "no_log": True, "fallback": (env_fallback, ["IPAM_API_TOKEN"])},
    "api_ca": {"type": "path", "fallback": (env_fallback, ["IPAM_API_CA"])},
}


class ApiError(Exception):
    """What the API refused, as its envelope says it; `status` 0: it was not reached."""

    def __init__(self, status, code, message, details=None, request_id=None):
        super().__init__(f"{message} ({status} {code}, request {request_id or '-'})")
        self.status = status
        self.facts = {"status": status, "code": code, "details": details, "request_id": request_id}


class Api:
    """One server. Every method raises ApiError."""

    def __init__(self, url, token=None, ca=None):
        self.url = url.rstrip("/")
        self.ca = ca
        self.headers = {"Accept": "application/json"}
        if token:
            self.headers["Authorization"] = "Bearer " + token

    def request(self, method, path, body=None, query=None, **headers):
        """Return the answer's JSON, None where there is none, and its entity tag."""
        sent = dict(self.headers, **{name.replace("_", "-"): value for name, value in headers.items()})
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body), "application/json"
        address = self.url + path + ("?" + urlencode(query) if query else "")
        repeatable = method == "GET" or "Idempotency-Key" in sent
        for attempt in range(1, ATTEMPTS + 1):
            last = attempt == ATTEMPTS
            try:
                response = open_url(
                    address, data, sent, method, ca_path=self.ca, timeout=30, http_agent=AGENT
                )
                text = response.read()
                return (json.loads(text) if text else None), response.headers.get("ETag")
            except HTTPError as error:
                if last or error.code not in RETRIED:
                    raise refusal(error) from None
                time.sleep(retry_after(error))
            except (URLError, OSError, ValueError) as error:
                if last or not repeatable:
                    raise ApiError(0, "not_reached", f"{self.url} cannot be reached: {error}") from None
                time.sleep(0.2 * attempt)
        raise AssertionError

    def get(self, path):
        """Return an object and its entity tag."""
        return self.request("GET", path)

    def items(self, path, **filters):
        """Yield all objects of a list, page by page: only a null next_cursor ends it."""
        query = dict({"limit": PAGE}, **{name: spelled(value) for name, value in filters.items()})
        while True:
            page = self.request("GET", path, query=query)[0]
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def create(self, path, body):
        return self.request("POST", path, body, Idempotency_Key=uuid.uuid4().hex)[0]

    def update(self, path, body, etag):
        return self.request("PATCH", path, body, If_Match=etag)[0]

    def delete(self, path, cascade):
        self.request("DELETE", path, query={"cascade": "true"} if cascade else None)

    def rehearse(self, **operation):
        """Return what the operation would be answered; nothing is kept."""
        body = {"operations": [operation], "dry_run": True}
        return self.create("/bulk", body)["results"][0]["body"]


def segment(text):
    return quote(text, safe="")


def spelled(value):
    return str(value).lower() if isinstance(value, bool) else value


def refusal(error):
    """Return the envelope's error; another body (a proxy between) is described by its status."""
    try:
        said = json.loads(error.read())["error"]
        return ApiError(error.code, said["code"], said["message"], said.get("details"), said["request_id"])
    except (ValueError, KeyError, TypeError):
        return ApiError(error.code, "unknown", str(error.reason))


def retry_after(error):
    text = error.headers.get("Retry-After") or "1"
    return min(float(text), MOST_SECONDS) if text.isdigit() else 1.0
