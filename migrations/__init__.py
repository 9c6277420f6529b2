"""Schema steps after the baseline, in SQL, one file a step, forward only. They are read as files, never imported.

The tables of the baseline and the texts of functions and views are in ipam_core/db/schema/ (db/schema_files.py).
"""
