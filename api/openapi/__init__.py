"""The OpenAPI document, made from Litestar's routes and msgspec's structs.

document.py     the document
documents.py    the document and its fragment as a server sends them, made for the first request
described.py    meanings of fields and query parameters
operations.py   descriptions of operations and tags
parameters.py   headers and errors by operation
queries.py      filters, by the functions that read them
links.py        links from the answer to a create to further requests
examples.py     examples of answers, with plausible values
requests.py     examples of request bodies
page.py         the page that shows the document
"""
