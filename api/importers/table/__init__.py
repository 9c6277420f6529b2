"""Tables in CSV, whoever wrote them: spreadsheets, PowerShell's Export-Csv, other address managers.

columns.py       which column is which field: as the user says it, else by its name
reader.py        what each row is, and the objects
"""
