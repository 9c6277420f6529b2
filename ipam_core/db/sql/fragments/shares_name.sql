(o.by_operator and excluded.by_operator or o.owners && excluded.owners
    or o.by_operator = excluded.by_operator and o.owners = excluded.owners)
