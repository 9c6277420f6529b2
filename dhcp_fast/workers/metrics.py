"""Page of metrics for the host, out of its workers' pages.

Counts are summed. The last counts of a worker that died are kept and added to those of its
successor. Otherwise the sum would go backwards, which Prometheus would take for a restart of the
host. Gauges are summed if each worker has its own part (offers, leases, waiting packets). The
largest is shown if all see the same thing, or if the worst matters (pools, age of the feed). The
supervisor itself counts the datagrams that its sockets dropped: they belong to it, and fill while
their worker is away. Its metrics of each worker have a label `worker`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ipam_core.processes.metrics_text import by_family

LARGEST = {  # of DHCPv6 the same with its name
    "ipam_build_info",
    "ipam_dhcp4_class_values",
    "ipam_dhcp4_feed_age_seconds",
    "ipam_dhcp4_feed_lag_seconds",
    "ipam_dhcp4_lease_pages_to_read",
    "ipam_dhcp4_pool_addresses",
    "ipam_dhcp4_writes_blocked_by_seconds",
    "ipam_dhcp4_pool_addresses_used",
    "ipam_dhcp4_pool_used_ratio",
    "ipam_lease_event_partitions_ahead",
}
RECEIVED = "ipam_dhcp4_packets_received_total"
DROPPED = "ipam_dhcp4_kernel_drops_total"


class Family(NamedTuple):
    """HELP and TYPE lines, whether it counts, and the value of each sample by name and labels."""

    notes: list[str]
    sums: bool
    samples: dict[str, float]


Page = dict[str, Family]


class Shown(msgspec.Struct, frozen=True):
    """A worker as the supervisor sees it."""

    index: int
    alive: bool
    restarts: int


def read(text: str) -> Page:
    """Return a worker's page, by family. Raises ValueError where it is not one."""
    page: Page = {}
    for name, line in by_family(text):
        family = page.get(name, Family([], False, {}))
        if line.startswith("#"):
            kind = line.split()[3] if line.startswith("# TYPE") else ""
            family = Family([*family.notes, line], family.sums or kind in ("counter", "histogram"), {})
        else:
            sample, _, value = line.rpartition(" ")
            family.samples[sample] = float(value)
        page[name] = family
    return page


class Ledger:
    """Ledger of what was shown of each worker of a family, and what the dead ones have left."""

    def __init__(self, family: int = 4) -> None:
        self.largest = {named(name, family) for name in LARGEST}
        self.received, self.dropped = named(RECEIVED, family), named(DROPPED, family)
        self.last: dict[int, Page] = {}
        self.left: dict[str, float] = {}

    def ended(self, index: int) -> None:
        """Note that the worker's process is another one from now on."""
        for family in self.last.pop(index, {}).values():
            if family.sums:
                add(self.left, family.samples)

    def join(self, texts: Mapping[int, str], workers: Sequence[Shown], dropped: int = 0) -> str:
        """Return the host's page; `texts` by worker, of those that answered; `dropped` by the kernel before any read
        it."""
        fresh = {index: read(text) for index, text in texts.items()}
        self.last |= fresh
        notes, totals = self.counts()
        if self.dropped in totals:
            totals[self.dropped] = {self.dropped: float(dropped)}
        for page in fresh.values():
            for name, family in page.items():
                if not family.sums:
                    notes.setdefault(name, family.notes)
                    gather(totals.setdefault(name, {}), family.samples, name in self.largest)
        lines = [line for name in notes for line in [*notes[name], *written(totals[name])]]
        return "".join(f"{line}\n" for line in lines + self.of_workers(workers))

    def counts(self) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
        """Return hELP and TYPE lines and sums of what is counted, also of a worker that does not answer just now."""
        notes: dict[str, list[str]] = {}
        totals: dict[str, dict[str, float]] = {}
        for page in self.last.values():
            for name, family in page.items():
                if family.sums:
                    notes.setdefault(name, family.notes)
                    add(totals.setdefault(name, {}), family.samples)
        for name, total in totals.items():
            add(total, {sample: self.left[sample] for sample in self.left if is_of(sample, name)})
        return notes, totals

    def of_workers(self, workers: Sequence[Shown]) -> list[str]:
        served = {
            index: page[self.received].samples for index, page in self.last.items() if self.received in page
        }
        return [
            *family("ipam_dhcp_worker_up", "gauge", "Whether the process of the worker runs.",
                    ((worker.index, int(worker.alive)) for worker in workers)),
            *family("ipam_dhcp_worker_restarts", "counter", "Restarts of the worker.",
                    ((worker.index, worker.restarts) for worker in workers)),
            *family("ipam_dhcp_worker_packets", "counter", "Messages received by the worker since it started.",
                    ((index, int(sum(samples.values()))) for index, samples in sorted(served.items()))),
        ]  # fmt: skip


def named(name: str, family: int) -> str:
    """Return the metric of this family of addresses."""
    return name.replace("dhcp4", f"dhcp{family}")


def is_of(sample: str, name: str) -> bool:
    return bool(sample.split("{", 1)[0] in (name, f"{name}_bucket", f"{name}_sum", f"{name}_count"))


def add(into: dict[str, float], samples: Mapping[str, float]) -> None:
    for sample, value in samples.items():
        into[sample] = into.get(sample, 0.0) + value


def gather(into: dict[str, float], samples: Mapping[str, float], largest: bool) -> None:
    if not largest:
        add(into, samples)
        return
    for sample, value in samples.items():
        into[sample] = max(into.get(sample, value), value)


def written(samples: Mapping[str, float]) -> list[str]:
    return [f"{sample} {value!r}" for sample, value in samples.items()]


def family(name: str, kind: str, text: str, values: Iterable[tuple[int, int]]) -> list[str]:
    end = "_total" if kind == "counter" else ""
    return [
        f"# HELP {name}{end} {text}",
        f"# TYPE {name}{end} {kind}",
        *(f'{name}{end}{{worker="{index}"}} {value}' for index, value in values),
    ]
