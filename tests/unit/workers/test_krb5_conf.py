"""Which realms a tenant's server may be of: those whose KDCs the machine names."""

from pathlib import Path

import pytest

from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Refused, krb5_conf
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig

CONF = """
[libdefaults]
    default_realm = DEFAULT.EXAMPLE
    kdc = not.a.realm
# [realms]
[realms]
    ONE.EXAMPLE = {
        kdc = dc1.one.example
        auth_to_local = {
            kdc = nested
        }
        admin_server = dc1.one.example
    }
    WITHOUT.EXAMPLE = {
        admin_server = dc1.without.example
    }
[domain_realm]
    kdc = X
"""
MORE = "[realms]\nTWO.EXAMPLE = {\nkdc=dc2\n}\n"


def server(**fields: str) -> DnsServer:
    empty = dict.fromkeys(DnsServer.__struct_fields__, "")
    unset = dict.fromkeys(("port", "realm", "keytab", "ticket_cache"))
    return DnsServer(**{**empty, **unset, "address": "dc.one.example", "adapter": "ad_gsstsig", **fields})


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "more").write_text(MORE)
    (tmp_path / "conf.d" / "ignored~").write_text(MORE.replace("TWO", "IGNORED"))
    (tmp_path / "other.conf").write_text(MORE.replace("TWO", "THREE"))
    path = tmp_path / "krb5.conf"
    path.write_text(f"includedir {tmp_path}/conf.d\ninclude {path}\n{CONF}")
    monkeypatch.setenv("KRB5_CONFIG", f"{path}:{tmp_path}/other.conf:{tmp_path}/none")
    return path


def test_realms_with_kdcs(conf: Path) -> None:
    """Of files that include others, themselves too; a file that is not there has none."""
    found = krb5_conf.realms_with_kdcs()
    assert {"ONE.EXAMPLE", "TWO.EXAMPLE", "THREE.EXAMPLE"} <= found
    assert not found & {"WITHOUT.EXAMPLE", "IGNORED.EXAMPLE", "X", "DEFAULT.EXAMPLE"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"principal": "svc@EVIL.EXAMPLE"}, "has no kdc for the realm EVIL.EXAMPLE"),
        ({"principal": "svc@ONE.EXAMPLE", "realm": "EVIL.EXAMPLE"}, "has no kdc for the realm EVIL.EXAMPLE"),
        ({"principal": "svc@WITHOUT.EXAMPLE"}, "has no kdc for the realm WITHOUT.EXAMPLE"),
        ({"principal": "svc"}, "realm is required"),
    ],
)
async def test_a_tenant_steers_no_lookup_of_kdcs(
    conf: Path, fields: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before the Kerberos library is asked for anything."""

    monkeypatch.setattr("ipam_core.workers.adapters.kerberos.library", lambda: None)
    adapter = AdGssTsig(server(**fields), "password", Guard(), Reach(2, of_tenant=True))
    tested = await adapter.test(["lab.example"])
    assert said in tested.steps[0].detail
    with pytest.raises(Refused, match=said):
        krb5_conf.check(adapter.who.realms)
