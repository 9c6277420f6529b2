"""The log of a process: JSON lines on stderr, its own and those of the libraries alike."""

import logging
import sys

import structlog

from ipam_core import faults
from ipam_core.settings import Settings

SHOWN = 80  # first characters of a message, which distinguish it


def begin(settings: Settings, **facts: int) -> None:
    """Add these facts to each line from now on. A trace names lines of code and never the values of variables, which
    may be secret."""
    structlog.contextvars.bind_contextvars(**facts)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level.upper()]
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(handlers=[Structured()], level=logging.WARNING, force=True)


class Structured(logging.Handler):
    """Handler of what libraries log, asyncio and uvicorn above all, as lines of the same kind: once a minute each,
    because anybody who sends junk may cause some of them."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0] if record.exc_info else None
        first = record.getMessage().partition("\n")[0][:SHOWN]
        suppressed = faults.due((record.name, record.levelno, first, error and error.__name__))
        if suppressed is None:
            return
        told = {"suppressed": suppressed} | {"logger": record.name, "exc_info": record.exc_info or None}
        shown = {name: value for name, value in told.items() if value}
        structlog.get_logger().log(record.levelno, record.getMessage(), **shown)
