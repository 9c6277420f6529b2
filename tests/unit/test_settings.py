"""Settings: the environment over the file, and one clear line for what does not fit."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from api.cli import main
from ipam_core import client_settings, commands, setting_values, settings
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings, load

SAMPLE = Path(__file__).parents[2] / "deploy/ipam.toml"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in settings.read_environment():
        monkeypatch.delenv(name)


def write(folder: Path, text: str) -> Path:
    path = folder / "ipam.toml"
    path.write_text(text)
    return path


def test_defaults() -> None:
    chosen = load()
    assert chosen.api_listen == Endpoint("127.0.0.1", 8080)
    assert chosen.health_listen == Endpoint("127.0.0.1", 8081)
    assert chosen.dhcp4_listen == (Endpoint("0.0.0.0", 67),)
    assert chosen.dns_listen == (Endpoint("0.0.0.0", 53), Endpoint("::", 53))
    assert (chosen.rate_limit, chosen.token_rate_limit, chosen.managed_address_limit) == (300, 10, 1000)
    assert chosen.connections_per_address == 64
    assert chosen.database_url is None
    assert chosen.trusted_relays == chosen.trusted_proxies == ()


def test_the_environment_goes_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = write(tmp_path, 'rate_limit = 5\nlog_level = "debug"\ntrusted_relays = ["10.0.0.0/8"]')
    monkeypatch.setenv("IPAM_RATE_LIMIT", "7")
    monkeypatch.setenv("IPAM_TRUSTED_PROXIES", "192.0.2.0/24, 2001:db8::/32")
    chosen = load(config)
    assert (chosen.rate_limit, chosen.log_level) == (7, "debug")
    assert chosen.trusted_relays == (ip_network("10.0.0.0/8"),)
    assert chosen.trusted_proxies == (ip_network("192.0.2.0/24"), ip_network("2001:db8::/32"))


def test_defaults_of_a_door_give_way_to_everything(tmp_path: Path) -> None:
    here = {"dhcp4_listen": ["127.0.0.1:6767"]}
    assert load(defaults=here).dhcp4_listen == (Endpoint("127.0.0.1", 6767),)
    config = write(tmp_path, 'dhcp4_listen = ["192.0.2.1:67"]')
    assert load(config, defaults=here).dhcp4_listen == (Endpoint("192.0.2.1", 67),)
    assert load(config, {"dhcp4_listen": "192.0.2.2:67"}).dhcp4_listen == (Endpoint("192.0.2.2", 67),)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("rate_limits = 3", "rate_limits"),
        ("rate_limit = -1", "rate_limit"),
        ("rate_limit = true", "rate_limit"),
        ('rate_limit = "many"', "rate_limit"),
        ("connections_per_address = -1", "connections_per_address"),
        ("dhcp4_ping_ms = 9", "dhcp4_ping_ms"),
        ("dhcp4_ping_ms = 2001", "dhcp4_ping_ms"),
        ("dhcp_workers = 0", "dhcp_workers"),
        ("dhcp_workers = 65", "dhcp_workers"),
        ('api_listen = "8080"', "api_listen"),
        ('api_listen = "127.0.0.1:70000"', "api_listen"),
        ('dhcp4_listen = ["[::]:67"]', "dhcp4_listen"),
        ("dhcp4_listen = 67", "dhcp4_listen"),
        ('dns_listen = ["localhost:53"]', "dns_listen"),
        ("dns_response_rate = -1", "dns_response_rate"),
        ('trusted_relays = ["10.0.0.1/8"]', "trusted_relays"),
        ('dhcp4_interfaces = ["an interface"]', "dhcp4_interfaces"),
        *(
            (f'{name} = ["{never}"]', name)
            for name in ("dhcp4_interfaces", "dhcp6_interfaces", "dhcp4_option82_interfaces")
            for never in ("s*", "eth?", "eth[01]", "eth0:1", "eth%d", ".", "..", "é" * 8, "e" * 16)
        ),
        ('dhcp4_interfaces = ["eth0", "eth1", "eth0"]', "dhcp4_interfaces"),
        ('dhcp6_interfaces = ["eth0", "eth0"]', "dhcp6_interfaces"),
        ('dhcp4_listen = ["127.0.0.1:67", "127.0.0.1:67"]', "dhcp4_listen"),
        ('dhcp6_listen = ["[::1]:547", "[::1]:547"]', "dhcp6_listen"),
        ('dhcp6_listen = ["[::1]:547", "[0::1]:547"]', "dhcp6_listen"),
        ('dhcp6_listen = ["[2001:DB8::1]:547", "[2001:db8:0::1]:547"]', "dhcp6_listen"),
        ('dns_listen = ["127.0.0.1:53", "127.0.0.1:53"]', "dns_listen"),
        ('dns_listen = ["[::]:53", "[0:0::0]:053"]', "dns_listen"),
        ('dhcp4_option82_interfaces = ["eth1"]', "dhcp4_option82_interfaces"),
        ('database_url = "mysql://localhost/ipam"', "database_url"),
        ('database_read_url = "postgresql://db2/ipam"', "database_read_url"),
        ('log_level = "loud"', "log_level"),
        ("dhcp4_client_rate = -1", "dhcp4_client_rate"),
        ("dhcp4_adaptive_percent = 101", "dhcp4_adaptive_percent"),
        ('pool_high_percent = "most"', "pool_high_percent"),
        ('dhcp4_bootp = "yes"', "dhcp4_bootp"),
        ("lease_device_details = 1", "lease_device_details"),
        ('lease_device_details = "off"', "lease_device_details"),
        ("webhook_ca = 3", "webhook_ca"),
        ('webhook_allow = ["127.0.0.1/8"]', "webhook_allow"),
        ('outbound_allow = ["127.0.0.1/8"]', "outbound_allow"),
        ('outbound_proxy = "proxy.example.net:3128"', "outbound_proxy"),
        ('outbound_proxy = "https://proxy.example.net:3128"', "outbound_proxy"),
        ('outbound_proxy = "http://proxy.example.net"', "outbound_proxy"),
        ('outbound_proxy = "http://proxy.example.net:3128/path"', "outbound_proxy"),
        ('outbound_proxy = "http://[::1"', "outbound_proxy"),
        ('ddns_blocked_names = ["wpad.example.net"]', "ddns_blocked_names"),
        ('ddns_blocked_names = [""]', "ddns_blocked_names"),
        ("ddns_blocked_names = [3]", "ddns_blocked_names"),
        *(
            (f"dhcp6_relay_supplied_options = {codes}", "dhcp6_relay_supplied_options")
            for codes in (
                "65",
                "[0]",
                "[65536]",
                "[-1]",
                "[true]",
                "[1]",
                "[17]",
                "[20]",
                "[65, 25]",
                "[26]",
                "[39]",
                "[66]",
                "[67]",
                "[138]",
                "[148]",
                str(list(range(200, 265))),
            )
        ),
        ("data_dir = 3", "data_dir"),
        ("not toml", "ipam.toml"),
    ],
)
def test_what_does_not_fit_is_named_in_one_line(tmp_path: Path, line: str, key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(write(tmp_path, line))
    assert key in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_variable_is_named_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPAM_API_LISTENS", "127.0.0.1:1")
    with pytest.raises(
        SettingsError, match=r"^IPAM_API_LISTENS: there is no such setting; did you mean api_listen\?$"
    ):
        load()


def test_build_switches_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = SAMPLE.parents[1]
    readers = [checkout / "setup.py", *(file for file in (checkout / ".ci").iterdir() if file.is_file())]
    switches = {name for file in readers for name in re.findall(r"IPAM_[A-Z_]+", file.read_text())}
    switches -= {f"IPAM_{name.upper()}" for name in settings.READERS}
    assert {"IPAM_WERROR", "IPAM_NEED_NPM"} <= switches
    for switch in switches:
        monkeypatch.setenv(switch, "1")
    assert load() == Settings()


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "[2001:db8::1]:80", "localhost:80"])
def test_an_address_is_written_as_it_is_read(text: str) -> None:
    assert str(setting_values.endpoint(text)) == text


def test_a_child_gets_the_very_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = load(
        None,
        {
            "database_url": "postgresql://u:p@h1:1,h2:2/d?target_session_attrs=read-write",
            "dhcp4_listen": ["10.0.0.1:67", "10.0.0.2:67"],
            "trusted_relays": ["10.0.0.0/8", "2001:db8::/32"],
            "ddns_blocked_names": ["WPAD", "my_proxy"],
            "dhcp6_relay_supplied_options": [65, 23, 65535, 23],
            "webhook_allow": ["127.0.0.0/8", "::1/128"],
            "webhook_ca": "/etc/ipam/ca.pem",
            "outbound_proxy": "http://me%40x:p%2Fw@[2001:db8::1]:3128/",
            "secret_key_file": "/etc/ipam/key",
        },
    )
    for name, value in settings.environment(chosen).items():
        monkeypatch.setenv(name, value)
    assert load() == chosen


@pytest.mark.parametrize("name", ["eth0", "br-lan.100", "wlan0_1", "vm@7", "e" * 15, "é" * 7])
def test_an_interface_may_have_any_name_that_linux_allows(name: str) -> None:
    """It may be missing now, and come later."""
    assert load(None, {"dhcp4_interfaces": name}).dhcp4_interfaces == (name,)


def test_an_address_is_kept_in_its_shortest_spelling() -> None:
    chosen = load(None, {"dhcp6_listen": "[2001:DB8:0::1]:547", "api_listen": "[0::1]:8080"})
    assert chosen.dhcp6_listen == (Endpoint("2001:db8::1", 547),)
    assert chosen.api_listen == Endpoint("::1", 8080)
    assert load(None, {"api_listen": "Ipam.example:8080"}).api_listen == Endpoint("Ipam.example", 8080)


@pytest.mark.parametrize("name", ["ddns_blocked_names", "dhcp6_relay_supplied_options", "dns_listen"])
def test_a_child_gets_an_empty_list_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = load(None, {name: []})
    for variable, value in settings.environment(chosen).items():
        monkeypatch.setenv(variable, value)
    assert load() == chosen
    assert getattr(chosen, name) == ()


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"smtp_host": "mail.example.net"}, "smtp_from"),
        ({"smtp_host": "m", "smtp_from": "ipam"}, "smtp_from"),
        ({"smtp_from": "a@b.example\r\nBcc: x@y.example"}, "smtp_from"),
        ({"smtp_user": "ipam"}, "smtp_user"),
        ({"smtp_password_file": "/x"}, "smtp_user"),
        ({"smtp_user": "ipam", "smtp_password_file": "/x", "smtp_security": "none"}, "smtp_security"),
        ({"smtp_security": "ssl"}, "smtp_security"),
        ({"smtp_port": 65536}, "smtp_port"),
        ({"smtp_tenant_domains": ["a b"]}, "smtp_tenant_domains"),
        ({"public_url": "ipam.example.net"}, "public_url"),
        ({"public_url": "https://ipam.example.net/?a=b"}, "public_url"),
        ({"public_url": "https://ipam.example.net/>|x"}, "public_url"),
    ],
)
def test_settings_of_mail_are_judged_together(told: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load(None, told)


def test_mail_by_starttls_is_the_default() -> None:
    found = load(
        None, {"smtp_host": "m", "smtp_from": "a@b.example", "public_url": "https://ipam.example.net/"}
    )
    assert (found.smtp_security, found.smtp_verify, found.smtp_tenant_domains) == ("starttls", True, ())
    assert found.public_url == "https://ipam.example.net"


def test_outbound_allow_by_its_old_name_and_a_proxy_with_a_password(tmp_path: Path) -> None:
    found = load(
        write(
            tmp_path,
            'webhook_allow = ["10.0.0.0/8"]\noutbound_proxy = "http://me:p%40ss@proxy.example.net:3128"',
        )
    )
    assert found.outbound_allow == (ip_network("10.0.0.0/8"),)
    assert found.outbound_proxy == setting_values.Proxy("proxy.example.net", 3128, "me:p@ss")
    with pytest.raises(SettingsError) as caught:
        load(None, {"outbound_proxy": "http://me:s3cret@proxy.example.net"})
    assert "s3cret" not in str(caught.value)


def test_every_setting_has_a_reader_a_docstring_and_a_line_in_the_sample() -> None:
    fields = {field.name for field in msgspec.structs.fields(Settings)}
    assert fields == settings.READERS.keys()
    source = Path(settings.__file__).read_text("utf-8")
    sample = SAMPLE.read_text("utf-8")
    for field in fields:
        assert f"\n#{field} = " in sample, field
        after = source.split(f"\n    {field}: ", 1)[1]
        assert after.split("\n\n", 1)[0].rstrip().endswith('"""'), field


SHOWN = re.compile(r"^#([a-z]\w*) = (.*?)(  # example)?$", re.MULTILINE)
EMPTY_VALUES = (None, ())


@pytest.mark.parametrize("line", SHOWN.findall(SAMPLE.read_text("utf-8")), ids=lambda line: line[0])
def test_the_sample_shows_the_default_that_the_packaged_units_use(
    line: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or an example, marked as such, of a setting that is empty by default. `data_dir` is that of root."""
    name, _, example = line
    monkeypatch.setattr("os.geteuid", lambda: 0)
    shown = getattr(load(None, tomllib.loads(line[0] + " = " + line[1])), name) if not example else None
    unset = getattr(load(defaults=defaults_of_unit()), name)
    assert (unset in EMPTY_VALUES) if example else (unset == shown)


def defaults_of_unit() -> Mapping[str, Any] | None:
    """Return the defaults with which ipam-up.service starts `ipam up`; the other units have none of their own."""
    unit = (SAMPLE.parent / "systemd/ipam-up.service").read_text("utf-8")
    (start,) = re.findall(r"^ExecStart=.* up(.*)$", unit, re.MULTILINE)
    context = commands.up.make_context("up", start.split())
    return commands.defaults_of_up(context.params["standard_ports"])


def test_the_sample_without_its_comment_marks_is_valid(tmp_path: Path) -> None:
    lines = SAMPLE.read_text("utf-8").splitlines()
    active = [line[1:] for line in lines if line.startswith("#") and line[1:2].isalpha()]
    load(write(tmp_path, "\n".join(active)))


def test_a_bad_setting_stops_the_command_without_a_traceback(tmp_path: Path) -> None:
    config = write(tmp_path, 'colour = "red"')
    command = [sys.executable, "-P", "-m", "api.cli", "migrate", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "ipam: colour: there is no such setting\n"


def test_a_name_that_a_setting_had_before_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPAM_API_TLS_CERT", "/etc/ipam/api.pem")
    assert settings.load().api_tls_certificate == Path("/etc/ipam/api.pem")


@pytest.mark.parametrize(
    ("lines", "url"),
    [
        ("", "http://127.0.0.1:8080/api/v1"),
        ('api_listen = "127.0.0.1:9000"', "http://127.0.0.1:9000/api/v1"),
        ('api_listen = "0.0.0.0:9000"', "http://127.0.0.1:9000/api/v1"),
        ('api_listen = "[::]:9000"', "http://[::1]:9000/api/v1"),
        ('api_listen = "192.0.2.7:9000"', "http://192.0.2.7:9000/api/v1"),
        (
            'api_listen = "0.0.0.0:443"\napi_tls_certificate = "/a"\napi_tls_key = "/b"',
            "https://localhost:443/api/v1",
        ),
    ],
)
def test_a_client_finds_the_server_of_a_settings_file(
    lines: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment comes first."""
    monkeypatch.delenv("IPAM_API_URL", raising=False)
    config = write(tmp_path, lines)
    assert client_settings.client(config).api_url == url
    monkeypatch.setenv("IPAM_API_URL", "http://elsewhere/api/v1")
    assert client_settings.client(config).api_url == "http://elsewhere/api/v1"


@pytest.mark.parametrize("command", ["get", "who", "nodes", "migrate", "completion"])
def test_a_settings_file_that_is_missing_stops_each_command(command: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.toml")
    for arguments in (["--config", missing, command], [command, "--config", missing]):
        done = CliRunner().invoke(main, arguments)
        assert (done.exit_code, missing in done.stderr, "does not exist" in done.stderr) == (2, True, True)
