"""`ipam import`: a plan of another server's configuration, made through the API, and undone again.

command.py   its options, and what follows on what
entries.py   the plan as a site file's entries, compared with the server: what is there already is left as it is
making.py    what is missing, made in bulk requests and taken back by id; record.py: the file that knows which
plan_file.py the file of --plan: the plan with operations of POST /bulk, for the console and scripts
telling.py   the plan in words
report.py    the report of a cutover; report_data.py: its data; report_page.py: as HTML; steps_of_the_day.py: its last
             part; rehearsal.py: output of `ipam replay --json`
"""
