"""What fields mean: what a search finds."""

MEANINGS = {
    "type": "What was found: prefix, subnet, pool, reservation, assignment, lease, dns_zone or dns_record.",
    "label": "What to show: address and name.",
    "match": "The field that the text was found in.",
    "as_of": "Changes committed up to this moment are found by parts of their names. Null: the table of parts has not "
    "been filled for the first time yet.",
    "subnet_id": "The subnet that it stands in, or is. Null: it stands in none.",
}
