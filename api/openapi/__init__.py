"""The OpenAPI document: document.py from Litestar's routes and msgspec's structs; page.py shows it to people.

documents.py    both as a server answers them, made for the first request
described.py    what fields and query parameters mean; operations.py: descriptions of operations and tags
parameters.py   headers and errors by operation; queries.py: filters, by the functions that read them
links.py        from what a create answers to what follows; examples.py: of answers, with values that
                one would expect; requests.py: what one would send
"""
