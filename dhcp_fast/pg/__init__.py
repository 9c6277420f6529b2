"""PostgreSQL's own format, where asyncpg would make an object of every value.

bind.pyx       a batch of operations as the arrays of a Bind message, and the rows that come back
copy_out.pyx   COPY in binary, straight from the socket; copy_tuples.pyx: the rows that it carries
"""
