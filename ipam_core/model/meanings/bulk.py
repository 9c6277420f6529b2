"""What fields mean: many operations as one."""

MEANINGS = {
    "operations": "What is done, in order; all of it happens, or nothing. 1 to 1,000.",
    "op": "`create` at a collection's path, `update` (a merge patch) or `delete` at an item's.",
    "path": "Path without /api/v1, such as /subnets or /subnets/$net/pools.",
    "Operation.body": "What a request to the path would bring. Null: of a delete.",
    "ref": (
        "Name for the id that a create makes: $NAME stands for it in later paths and bodies. Null: none is needed."
    ),
    "results": "One an operation, in order.",
    "impact": "Of a dry run, what the operations would do beside what they say.",
    "index": "Which operation, from 0.",
    "status": "HTTP status that it would have had by itself.",
    "OperationResult.body": "What it would have been answered.",
}
