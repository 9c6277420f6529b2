"""Report of a run: figures.py from results, as tables (tables.py), lines (reporting.py) and plots
(plots.py). machine.py describes the machine.
"""
