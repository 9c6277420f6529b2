"""Place of the database: the URL that is set, or that of the embedded server that runs in the data folder."""

from ipam_core.db.embedded.server import running_dsn
from ipam_core.errors import SettingsError
from ipam_core.settings import Settings


def find_url(settings: Settings) -> str:
    """Raise SettingsError where there is neither."""
    url = settings.database_url or running_dsn(settings.data_dir)
    if url is None:
        raise SettingsError(
            "database_url",
            f"is not set, and no embedded PostgreSQL runs in {settings.data_dir}: set it, or start `ipam up`. "
            "If the server uses another folder, set IPAM_DATA_DIR (`make run` uses ./data)",
        )
    return url
