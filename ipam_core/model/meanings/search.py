"""What fields mean: what a search finds."""

MEANINGS = {
    "type": (
        "Kind of the object: prefix, subnet, pool, reservation, assignment, lease, dns_zone or dns_record."
    ),
    "label": "Label of the object: address and name.",
    "match": "Field that matched.",
    "as_of": (
        "Changes committed up to this time are found by parts of their names. Null: the search table "
        "has not been filled yet."
    ),
    "subnet_id": "Subnet of the object, or the subnet itself. Null: none.",
}
