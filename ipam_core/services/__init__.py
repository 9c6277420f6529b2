"""Use cases, a noun a file: rules, SQL, audit and event in one transaction. entity/ has what all nouns share."""
