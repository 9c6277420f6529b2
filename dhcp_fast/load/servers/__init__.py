"""What is driven: our server and its peers, each on a fresh database with the same plan (bench_plan.py).
audit.py compares what was acknowledged with what the database holds.
"""
