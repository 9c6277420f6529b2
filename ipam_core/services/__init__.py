"""Use cases, a family of objects a file: rules, SQL, audit and event in one transaction. entity/ has what all share."""
