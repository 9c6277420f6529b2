"""docs/reference/settings.md lists every setting as the code has it."""

from pathlib import Path

import msgspec

from ipam_core import settings_reference
from ipam_core.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / settings_reference.NAME


def test_the_reference_is_fresh() -> None:
    """After a change: python -m ipam_core.settings_reference docs"""
    assert PAGE.read_text() == settings_reference.text()


def test_each_setting_has_a_row() -> None:
    listed = {name for name, _, meaning in settings_reference.fields() if meaning}
    assert listed == {field.name for field in msgspec.structs.fields(Settings)}


def test_defaults_are_those_of_the_code() -> None:
    told = {name: default for name, default, _ in settings_reference.fields()}
    assert told["api_listen"] == "`127.0.0.1:8080`"
    assert told["dns_listen"] == "`0.0.0.0:53, [::]:53`"
    assert told["database_url"] == told["trusted_relays"] == "none"
    assert told["managed_address_limit"] == f"`{Settings().managed_address_limit}`"
    assert told["lease_device_details"] == "`true`"
    assert told["dhcp6_relay_supplied_options"] == "`65`"
