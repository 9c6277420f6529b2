"""The plots of the documents show the tables that stand beside them."""

import pytest

from benchmarks import plots


@pytest.mark.parametrize("plot", plots.PLOTS, ids=lambda plot: plot.file)
def test_a_plot_is_of_its_table(plot: plots.Plot) -> None:
    """After a change of a table: python -m benchmarks.plots"""
    assert (plots.ROOT / plot.file).read_text() == plots.drawn(plot)
    assert len([*plots.rows(plot)]) >= 4
