"""Backup and restore: everything that the service knows, in a folder, without stopping it.

    FOLDER/backup.json          written last: what is here, by digest
    FOLDER/tables/NAME.jsonl.gz the rows of one table, all tables as of one moment
    FOLDER/blobs/HE/HEX         the verified blobs that those rows list
    FOLDER/service-key.pem      the key that signs jobs, if there is one: a secret

The database is read in one snapshot, and the blobs that it lists afterwards: blobs never change, so whatever happens
meanwhile, rows and blobs fit. A second backup into the same folder adds the new blobs only. A backup of SQLite can be
restored into PostgreSQL and the other way round, and one of a local store into S3.
"""

from server.backup.check import Damage, Verified, verify
from server.backup.folder import BackupError, Summary
from server.backup.restore import restore
from server.backup.save import backup

__all__ = ["BackupError", "Damage", "Summary", "Verified", "backup", "restore", "verify"]
