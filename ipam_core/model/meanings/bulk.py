"""What fields mean: many operations as one."""

MEANINGS = {
    "operations": "Operations, performed in order in one transaction: all of them, or none. 1 to 1,000.",
    "op": "`create` at a collection's path, `update` (a merge patch) or `delete` at an item's.",
    "path": "Path without /api/v1, such as /subnets or /subnets/$net/pools.",
    "Operation.body": "Body of a request to the path. Null: for a delete.",
    "ref": (
        "Name for the id of a created object: later paths and bodies refer to it as $NAME. Null: no name."
    ),
    "results": "One result per operation, in order.",
    "impact": "For a dry run: further effects of the operations.",
    "index": "Position of the operation, from 0.",
    "status": "HTTP status that a single request would have had.",
    "OperationResult.body": "Body that a single request would have been answered with.",
}
