"""A cluster that ran under `nobody` becomes the property of an account of its own.

Other programs run under `nobody` as well, and may have put anything into its folders. A link to a file of another
account must not be followed, and one that is moved meanwhile must not change its owner. So each name is opened without
following links, and only what the open descriptor shows to be `nobody`'s is given away by that same descriptor.
"""

import os
import stat
from pathlib import Path

from ipam_core.db.embedded.programs import Account
from ipam_core.errors import DataDirError

OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def hand_over(cluster: Path, before: int, account: Account) -> None:
    """Give all that belongs to the account number `before` to the new one, the folder itself last, so that an
    interruption is noticed. Raises DataDirError."""
    try:
        top = os.open(cluster, OPEN | os.O_DIRECTORY)
    except OSError as error:
        raise DataDirError(str(cluster), str(error.strerror)) from None
    try:
        give_folder(top, before, account)
    finally:
        os.close(top)


def give_folder(folder: int, before: int, account: Account) -> None:
    for name in os.listdir(folder):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
            raise DataDirError(
                name, "is a link or special file, which does not belong in the cluster: remove it"
            )
        entry = os.open(name, OPEN, dir_fd=folder)
        try:
            if stat.S_ISDIR(os.fstat(entry).st_mode):
                give_folder(entry, before, account)
            else:
                give(entry, before, account)
        finally:
            os.close(entry)
    give(folder, before, account)


def give(descriptor: int, before: int, account: Account) -> None:
    owner = os.fstat(descriptor).st_uid
    if owner == before:
        os.fchown(descriptor, account.uid, account.gid)
    elif owner != account.uid:
        path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        raise DataDirError(
            path, f"belongs to account {owner}, not to {before}: remove it, or change its owner"
        )
