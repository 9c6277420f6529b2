"""The pytest plug-in of this repository; tests/conftest.py loads plugin.py, and has the fixtures of databases.

plugin.py            the hooks and options, which call the other modules
order.py             the order of a whole run under xdist: long files first, waiting and computing ones in turn
selection.py         files without a test that `-m` selects are not imported
costs.py             `--costs`: processor time by folder, file and function
examples.py          how many examples hypothesis makes (`--fuzz-count`)
marks.py             which server and database a test shares, by its marks
shared_database.py   one database for the tests of a file, emptied before each
prepared_folder.py   what takes seconds to make: made once per run, then copied
memory_folder.py     a file system in memory for databases
"""
