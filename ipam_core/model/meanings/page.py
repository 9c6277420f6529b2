"""What fields mean: pages of lists."""

MEANINGS = {
    "items": "The objects of this page; there may be fewer than `limit` although more follow.",
    "next_cursor": "Query parameter `cursor` of the next page. Null: there is none.",
}
