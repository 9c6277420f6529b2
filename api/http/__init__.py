"""Layers that every request passes.

gate.py          first and last: its id, its limits, who asks; errors.py: every failure as one envelope
auth.py          the token; forwarding.py: the client's address; guards.py: who may do what
ratelimit.py     so many a minute; rate_sharing.py: over all processes; refusal_log.py: who was not let in
standby.py       reads that need not be the primary's
context.py       settings, database and actor for the routes; request.py: body and query
answers.py       JSON; etag.py: entity tags and conditions; listing.py: JSON pages, CSV; encodings.py: gzip
event_streams.py live events, as many clients follow them
idempotency.py   a create that is sent twice
console.py       the files of the browser console
guide.py         the site of the guides
envelope.py      the error's shape; metrics.py: what is counted
"""
