"""A site file: a plan in YAML, and the server made as it says (`ipam apply`), or written as it is (`ipam export`).

Both compare in the file's own terms: names instead of ids, no field that has its default, one spelling for what is
equal.

shapes.py       which lists and fields a file has, read off the families and their commands
loading.py      YAML with the line of every key; reading.py: checked entries in one spelling; faults.py: what is wrong
references.py   names that fields refer to, checked before anything is compared
spelling.py     values as the server shows them; secret_values.py: secrets, from the environment or from files
plain_words.py  durations and names of options
credential_urls.py credentials that exports leave out
stored.py       what the server has, in few requests
comparing.py    the difference, as steps; matching.py: which entry of the file is which object
steps.py        a step, and the order of all
making.py       steps as bulk requests; refusals.py: all that the server refuses of them
sound.py        entries without faults, which the server judges although others have some
telling.py      steps and impact in words or JSON
exporting.py    what the server has as a file
schema.py       the file's JSON Schema, for editors
"""
