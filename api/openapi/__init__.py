"""The OpenAPI document: document.py from Litestar's routes and msgspec's structs; page.py shows it to people."""
