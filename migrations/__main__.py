"""``python -m migrations upgrade | downgrade REVISION | check``, on the database the settings name."""

import argparse

from migrations.run import check, downgrade, upgrade
from server.settings import Settings


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m migrations", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("upgrade", help="bring the database to the newest revision")
    down = commands.add_parser("downgrade", help="bring it back to a revision")
    down.add_argument("revision")
    commands.add_parser("check", help="compare it with the models")
    chosen = parser.parse_args()
    settings = Settings()
    if settings.resolved_database_url.startswith("sqlite"):
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    match chosen.command:
        case "upgrade":
            upgrade(settings.resolved_database_url)
        case "downgrade":
            downgrade(settings.resolved_database_url, revision=chosen.revision)
        case _:
            check(settings.resolved_database_url)


if __name__ == "__main__":
    main()
