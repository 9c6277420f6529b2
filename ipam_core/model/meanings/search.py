"""What fields mean: what a search finds."""

MEANINGS = {
    "type": "What was found: prefix, subnet, pool, reservation, assignment, lease, dns_zone or dns_record.",
    "label": "What to show: address and name.",
    "match": "The field that the text was found in.",
    "subnet_id": "The subnet that it stands in, or is. Null: it stands in none.",
}
