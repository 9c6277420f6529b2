"""Report: what a run says: figures.py from results, as tables (tables.py), lines (reporting.py) and plots (plots.py).
machine.py says on which machine."""
