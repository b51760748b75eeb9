"""The command `byogpu`: where worker, judge, server and the bundled subject are put together."""
