"""What fields mean: pages of lists."""

MEANINGS = {
    "items": "Objects of this page. There may be fewer than `limit` although more follow.",
    "next_cursor": "Query parameter `cursor` of the next page. Null: this is the last page.",
}
