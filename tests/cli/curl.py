"""As much of curl as docs/reference/api.md uses: -sS, -X, -H and -d. An answer that is a refusal ends it with 22, as
--fail-with-body does."""

import argparse
import sys

import httpx


def main() -> int:
    parser = argparse.ArgumentParser(prog="curl", allow_abbrev=False)
    parser.add_argument("-sS", action="store_true", required=True)
    parser.add_argument("-X", dest="method")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="data")
    parser.add_argument("url")
    told = parser.parse_args()
    headers = dict(line.split(": ", 1) for line in told.headers)
    method = told.method or ("POST" if told.data else "GET")
    answer = httpx.request(method, told.url, headers=headers, content=told.data, timeout=30, verify=False)
    sys.stdout.write(answer.text)
    return 0 if answer.is_success else 22


if __name__ == "__main__":
    sys.exit(main())
