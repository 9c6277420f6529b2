"""Reasons why a host of the database gave no session: one sentence that names the fault and its remedy.

Every process logs it and shows it at /readyz, and every command prints it (`reason` in outage.py). PostgreSQL's
messages may be in any language, so a refusal is recognized by its SQLSTATE and by the server's function that raised it.
No sentence contains a password.
"""

import errno
import re
import socket
import ssl
from typing import NamedTuple

import asyncpg

ROLE_LOOKUP = "InitializeSessionUserId"  # PostgreSQL's function that finds the role of a new session
NOT_FOR_THIS_NAME = {62, 64}  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
NUMBER = re.compile(r"\[Errno (\d+)\]")


class Attempt(NamedTuple):
    """Attempt to get a session. `setting` contains the URL."""

    host: str
    role: str
    database: str
    has_password: bool
    setting: str
    seconds: float


UNPROVEN = "{host} requires a password of role {role}: add it to {setting}"
NO_ROLE = "{host} has no role {role} that may log in ({message}): create it, or correct the role in {setting}"
BY_STATE = {
    "28P01": "{host} refuses the password of role {role}: correct it in {setting}",
    "28000": "{host} does not admit role {role} to database {database} ({message}): "
    "add a line to its pg_hba.conf, or correct {setting}",
    "3D000": "database {database} does not exist at {host}: create it, or correct its name in {setting}",
    "42501": "role {role} may not connect to database {database} at {host}: grant it CONNECT",
    "53300": "{host} accepts no more connections ({message}): raise max_connections of PostgreSQL, "
    "or the connection limit of role {role} or database {database}",
    "57P03": "{host} does not accept connections yet ({message})",
}
BY_NUMBER = {
    errno.ECONNREFUSED: "nothing accepts connections at {host}: start PostgreSQL, "
    "check its listen_addresses, or correct {setting}",
    errno.ENOENT: "the socket {host} does not exist: start PostgreSQL, or correct {setting}",
    errno.EACCES: "this account may not use the socket {host}: run it as the account of the servers",
    errno.ENETUNREACH: "no route leads to {host}: check the network, or correct {setting}",
    errno.EHOSTUNREACH: "no route leads to {host}: check the network, or correct {setting}",
}
NO_ANSWER = "no answer from {host} within {seconds:g} s: check that it runs, and the firewalls on the way"
NO_ADDRESS = "the name of {host} cannot be resolved: check DNS, or correct {setting}"
NO_TLS = (
    "{host} offers no TLS, which sslmode in {setting} requires: set ssl = on in its postgresql.conf, "
    "or choose another sslmode"
)
OTHER_NAME = (
    "the certificate of {host} is for another name ({message}): "
    "use a name of the certificate in {setting}, or sslmode=verify-ca"
)
UNTRUSTED = (
    "the certificate of {host} is not trusted ({message}): "
    "let sslrootcert in {setting} name the certificate of its CA"
)
TLS_FAILED = "TLS with {host} failed ({message}): check sslmode, sslcert and sslkey in {setting}"
OTHER_ROLE = "{host} does not match target_session_attrs in {setting}"
UNKNOWN = "{host}: {message}"

NO_FILE = "a file that sslrootcert, sslcert, sslkey or sslcrl in {setting} names cannot be read: {message}"


def why(error: BaseException | None, attempt: Attempt) -> str:
    """Return the sentence; `error` None: the host did not answer."""
    return template(error, attempt).format(**attempt._asdict(), message=message_of(error))


def template(error: BaseException | None, attempt: Attempt) -> str:
    if isinstance(error, asyncpg.PostgresError):
        return refusal(error, attempt)
    if error is None or isinstance(error, TimeoutError):
        return NO_ANSWER
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return OTHER_ROLE
    return fault_of_transport(error) if isinstance(error, OSError) else UNKNOWN


def refusal(error: asyncpg.PostgresError, attempt: Attempt) -> str:
    if error.sqlstate == "28P01" and not attempt.has_password:
        return UNPROVEN
    if error.sqlstate == "28000" and error.server_source_function == ROLE_LOOKUP:
        return NO_ROLE
    return BY_STATE.get(error.sqlstate or "", UNKNOWN)


def fault_of_transport(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return OTHER_NAME if error.verify_code in NOT_FOR_THIS_NAME else UNTRUSTED
    if isinstance(error, ssl.SSLError):
        return TLS_FAILED
    if isinstance(error, socket.gaierror):
        return NO_ADDRESS
    if "rejected SSL upgrade" in str(error):  # the driver's words
        return NO_TLS
    numbers = {error.errno} if error.errno else {int(found) for found in NUMBER.findall(str(error))}
    return BY_NUMBER.get(numbers.pop(), UNKNOWN) if len(numbers) == 1 else UNKNOWN


def message_of(error: BaseException | None) -> str:
    """Return the words of PostgreSQL or of the library, on one line."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return " ".join(str(error).split()) or type(error).__name__
